// POST /v1/chat/completions when no route serves: the error code, and that nothing is charged.
import { describe, expect, test } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { chatWorld, language } from "./chat-gateway.ts";

const serverFaults = [
  "fail-503",
  "fail-500",
  "fail-529",
  "429",
  "401",
  "402",
  "403",
  "408",
  "quota",
  "reset",
  "html+sim-fail-502",
  "200-error",
];
const unreadable = ["html", "empty", "bad-json", "end-after-1"];
const able = { supports_tools: true };
const world = chatWorld([
  ...serverFaults.map((fault) => language(`down/${fault}`, [`chat+sim-${fault}`])),
  ...unreadable.map((fault) => language(`unreadable/${fault}`, [`chat+sim-${fault}`])),
  ...unreadable.map((fault) => language(`unreadable-stream/${fault}`, [`stream+sim-${fault}`])),
  language("demo/gone", ["chat+sim-404"]),
  language("demo/gone-twice", ["gone1+sim-404", "gone2+sim-404"]),
  language("demo/gone-and-down", ["mixed1+sim-404", "mixed2+sim-fail-503"]),
  language("demo/unreadable-and-down", ["mixed3+sim-html", "mixed4+sim-fail-500"]),
  language("demo/refused", ["refused1+sim-refuse", "refused2+sim-refuse-403"], { supports_tools: true, fallbacks: ["demo/refused-too"] }),
  language("demo/refused-too", ["refused3+sim-refuse"], able),
  language("demo/refused-and-down", ["refused4+sim-refuse", "refused5+sim-fail-503"]),
  ...[400, 413, 422].map((status) =>
    language(`reject/${status}`, [`chat+sim-reject-${status}`, "never-asked"], { fallbacks: ["demo/other"] }),
  ),
  language("demo/rejecting-second", ["rejecting1+sim-fail-503", "rejecting2+sim-reject-422", "never-asked"]),
  language("demo/too-long", ["chat+sim-context", "never-asked"]),
  language("demo/other", ["other"], able),
  language("demo/other-best", ["other"], { ...able, recommended: true }),
  language("demo/other-plain", ["other"]),
  language("demo/other-paused", ["other"], { ...able, state: { paused: true } }),
  {
    id: "demo/other-image",
    type: "image",
    pricing: { mode: "per-image", usd_per_image: 1 },
    routes: [{ provider: "north", model: "image" }],
  },
]);

/** Sends the request, expects the error, and that nothing was charged. */
async function refused(body: object, status: number, code: string): Promise<TestReply> {
  const account = await world.account();
  const reply = await world.chat(account, body);
  expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  expect(reply.json.error.request_id).toBe(reply.headers["x-request-id"]);
  expect(reply.headers["x-should-retry"]).toBe(String(reply.json.error.retryable));
  await world.expectUntouched(account);
  expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: status, error_code: code, cost: 0n });
  return reply;
}

describe("503 provider_unavailable", () => {
  test.each(serverFaults)("sim-%s on the only route: retry after 5 s, not a word of the upstream's", async (fault) => {
    const { headers, json, text } = await refused({ model: `down/${fault}` }, 503, "provider_unavailable");
    expect(headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
    expect(headers).not.toHaveProperty("retry-after-ms");
    expect(json.error).toMatchObject({ type: "upstream_error", param: null });
    expect(text).not.toMatch(/api key|quota|balance|overloaded\.|rate limit|bad gateway|may not use/i);
  });

  test.each(["demo/gone-and-down", "demo/unreadable-and-down", "demo/refused-and-down"])(
    "%s: routes that failed each in another way",
    async (model) => {
      await refused({ model }, 503, "provider_unavailable");
    },
  );
});

describe("503 model_unavailable", () => {
  test.each(["demo/gone", "demo/gone-twice"])("%s: each route said 404; not to be retried", async (model) => {
    const { headers, json } = await refused({ model }, 503, "model_unavailable");
    expect(headers["x-should-retry"]).toBe("false");
    expect(headers).not.toHaveProperty("retry-after");
    expect(json.error.type).toBe("api_error");
  });
});

describe("502 upstream_invalid_response", () => {
  test.each(unreadable)("sim-%s: each route's 200 was unreadable", async (fault) => {
    const { json, headers } = await refused({ model: `unreadable/${fault}` }, 502, "upstream_invalid_response");
    expect(json.error.type).toBe("upstream_error");
    expect(headers["x-should-retry"]).toBe("true");
  });

  test.each(["html", "empty", "bad-json"])("sim-%s where a stream was asked for", async (fault) => {
    await refused({ model: `unreadable-stream/${fault}`, stream: true }, 502, "upstream_invalid_response");
  });
});

describe("403 route_refused", () => {
  test("every route refused: suggested_models inside error names others that could, the recommended ones first", async () => {
    const tools = [{ type: "function", function: { name: "look" } }];
    const { json } = await refused({ model: "demo/refused", tools }, 403, "route_refused");
    expect(json.error.type).toBe("permission_error");
    expect(json.error.suggested_models).toEqual(["demo/other-best", "demo/other"]);
    expect(json).not.toHaveProperty("suggested_models");
    expect(world.sent().map(({ model }) => model)).toEqual(["refused1+sim-refuse", "refused2+sim-refuse-403", "refused3+sim-refuse"]);
  });

  test("names at most five models, none of them one that refused", async () => {
    const { json } = await refused({ model: "demo/refused" }, 403, "route_refused");
    expect(json.error.suggested_models).toHaveLength(5);
    expect(json.error.suggested_models).not.toContain("demo/refused");
    expect(json.error.suggested_models).not.toContain("demo/refused-too");
  });

  test("the same before a stream", async () => {
    await refused({ model: "demo/refused-too", stream: true }, 403, "route_refused");
  });
});

describe("400, 413 and 422 request_rejected", () => {
  test.each([400, 413, 422])("%i: the upstream's own words, and no other route is asked", async (status) => {
    const { json } = await refused({ model: `reject/${status}`, temperature: 0.3 }, status, "request_rejected");
    expect(json.error.message).toContain("Unsupported value: 'temperature' does not support this value with this model.");
    expect(json.error.type).toBe(status === 413 ? "request_too_large" : "invalid_request_error");
    expect(world.sent()).toHaveLength(1);
  });

  test("by the second route, after the first was down", async () => {
    await refused({ model: "demo/rejecting-second" }, 422, "request_rejected");
    expect(world.sent()).toHaveLength(2);
  });

  test("a prompt too long for the model: the message names both numbers", async () => {
    const { json } = await refused({ model: "demo/too-long" }, 400, "request_rejected");
    expect(json.error.message).toMatch(/4096.*5000/);
  });
});
