import { describe, expect, test } from "vitest";
import { dialects, errors } from "../../generated/errors.ts";
import type { Dialect, ErrorCode } from "../../generated/errors.ts";
import { fillMessage } from "../../src/errors/text.ts";
import { renderError } from "../../src/server/render-error.ts";

const place = (dialect: Dialect) => ({ dialect, requestId: "req_1", publicUrl: "https://gw.example" });
const codes = Object.keys(errors) as ErrorCode[];
const names = Object.keys(dialects) as Dialect[];
const pairs = names.flatMap((dialect) => codes.map((code) => [dialect, code] as const));

const extra = { need_usd: 1.5, have_usd: 0.25 };
const inside = { suggested_models: ["demo/other"] };

type Inner = Record<string, unknown>;

describe("every code in every dialect", () => {
  test.each(pairs)("%s %s", (dialect, code) => {
    const words = dialects[dialect];
    const { status, headers, body } = renderError(code, { param: "messages[0].role", extra, inside }, place(dialect));

    expect(status).toBe(words.statuses[code] ?? errors[code].status);
    const row = { ...errors[code], ...errors[code].at?.[status] };
    expect(headers["x-should-retry"]).toBe(row.bare ? undefined : String(row.retryable));
    expect(headers["retry-after"]).toBe(row.retryAfterSec === undefined ? undefined : String(row.retryAfterSec));
    expect(headers["retry-after-ms"]).toBe(code === "rate_limit_exceeded" ? String(row.retryAfterSec! * 1000) : undefined);
    expect(body).toMatchObject(extra);

    const inner = body["error"] as Inner;
    if (words.envelope === "genmedia") {
      expect(inner).toEqual(expect.any(String));
      expect(body["details"]).toMatchObject({ request_id: "req_1", code: words.codes[code] ?? code, ...inside });
      return;
    }
    expect(inner).toMatchObject({
      request_id: "req_1",
      message: expect.stringMatching(/\S/) as string,
      type: expect.stringMatching(/^[a-z_]+$/) as string,
    });
    if (words.envelope === "bare") {
      expect(inner["type"]).toBe(words.codes[code] ?? code);
      const extra = row.status === 402 ? ["code"] : []; // on rerank too, whose errors have no code else
      expect(Object.keys(inner).sort()).toEqual([...extra, "message", "request_id", "type"]);
      return;
    }
    expect(inner).toMatchObject({
      ...inside,
      code: words.codes[code] ?? code,
      param: "messages[0].role",
      doc_url: `https://gw.example/docs/errors#${words.codes[code] ?? code}`,
    });
    expect(inner["retryable"]).toBe(row.bare ? undefined : row.retryable);
    if (words.envelope === "anthropic") expect(body).toMatchObject({ type: "error", request_id: "req_1" });
    if (words.envelope === "anthropic") expect(anthropicTypes).toContain(inner["type"]);
  });
});

const anthropicTypes = [
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
  "request_too_large",
  "rate_limit_error",
  "timeout_error",
  "api_error",
  "overloaded_error",
];

describe("the fine points", () => {
  test("param is null where no field is at fault", () => {
    expect(renderError("internal_error", {}, place("standard")).body["error"]).toMatchObject({ param: null });
  });
  test("the true wait goes out rounded up, and in milliseconds on rate_limit_exceeded only; a window's own leaves Retry-After alone", () => {
    expect(renderError("rate_limit_exceeded", { retryAfterMs: 1_200 }, place("standard")).headers).toMatchObject({
      "retry-after": "2",
      "retry-after-ms": "1200",
    });
    expect(renderError("rate_limit_exceeded", { windowMs: 1_200.5 }, place("standard")).headers).toMatchObject({
      "retry-after": "60",
      "retry-after-ms": "1201",
    });
    expect(renderError("provider_unavailable", { retryAfterMs: 1_200 }, place("standard")).headers).not.toHaveProperty("retry-after-ms");
  });
  test("messages with upstream failures: overloaded on 503, api_error on 502 (Anthropic-style envelope)", () => {
    expect(renderError("provider_unavailable", {}, place("anthropic")).body["error"]).toMatchObject({ type: "overloaded_error" });
    expect(renderError("upstream_invalid_response", {}, place("anthropic")).body["error"]).toMatchObject({ type: "api_error" });
    expect(renderError("model_unavailable", {}, place("anthropic")).body["error"]).toMatchObject({ type: "api_error" });
  });
  test("a code that is moved to another status has the type and the retry rule of that status (provider_error: 500)", () => {
    const { status, headers, body } = renderError("provider_error", {}, place("images"));
    expect([status, headers["x-should-retry"]]).toEqual([500, "false"]);
    expect(body["error"]).toMatchObject({ type: "api_error", retryable: false });
    expect(renderError("provider_error", {}, place("speech")).body["error"]).toMatchObject({ type: "upstream_error", retryable: true });
    const rejected = renderError("request_rejected", { status: 413 }, place("standard")).body["error"];
    expect(rejected).toMatchObject({ type: "request_too_large", retryable: false });
  });
  test("a refusal may choose the status where its row allows several (request_rejected: 400, 413, 422)", () => {
    expect(renderError("request_rejected", { status: 422 }, place("standard")).status).toBe(422);
    expect(renderError("request_rejected", {}, place("standard")).status).toBe(400);
  });
  test("rerank and the older endpoints use their own words", () => {
    expect(renderError("missing_api_key", {}, place("rerank")).body).toEqual({
      error: { message: expect.any(String) as string, type: "auth_required", request_id: "req_1" },
    });
    expect(renderError("missing_api_key", {}, place("balance")).body["error"]).toMatchObject({ code: "auth_required" });
    expect(renderError("missing_api_key", {}, place("images")).body["error"]).toMatchObject({ code: "auth_error" });
  });
  test("a message's optional part goes with the value it needs", () => {
    expect(fillMessage("Bad JSON[: {reason}].", {})).toBe("Bad JSON.");
    expect(fillMessage("Bad JSON[: {reason}].", { reason: "it is empty" })).toBe("Bad JSON: it is empty.");
  });
  test("values are put in once: a brace in a value stays a brace", () => {
    expect(fillMessage("No model {model}.", { model: "{model}[{x}]" })).toBe("No model {model}[{x}].");
  });
});
