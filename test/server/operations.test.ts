import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import type { Ask } from "../../src/calls/ask.ts";
import type { ApiError } from "../../src/errors/fail.ts";
import { fail } from "../../src/errors/fail.ts";
import type { Request } from "../../src/operation.ts";
import { auth, call, chat, json, startEdge } from "./start-edge.ts";
import type { EdgeUnderTest, TestHandler } from "./start-edge.ts";

let edge: EdgeUnderTest;
let onChat: TestHandler;
let seen: Request | null = null;
let seenAsk: Ask | null = null;
beforeAll(async () => {
  edge = await startEdge({
    handlers: {
      createChatCompletion: (context, request, ask) => {
        [seen, seenAsk] = [request, ask];
        return onChat(context, request, ask);
      },
    },
  });
});
afterAll(() => edge.close());

const post = (body: unknown, headers: Record<string, string> = auth) => call(edge, "/v1/chat/completions", { json: body, headers });
const all = Object.values(operations);

describe("cache-control", () => {
  test("no-store on every answer but those of public reads, refusals included", async () => {
    for (const { id, auth: needs, method, path } of all) {
      const headers = needs === "none" ? {} : { authorization: needs === "session" ? "Bearer svcs_session" : auth.authorization };
      const answer = await call(edge, path.replace(/\{[^}]+\}/g, "x"), {
        method: method.toUpperCase(),
        headers,
        ...(method === "get" ? {} : { body: "{" }),
      });
      expect([id, answer.headers.get("cache-control")]).toEqual([id, needs === "none" && method === "get" ? null : "no-store"]);
    }
  });
  test("a handler's own stands", async () => {
    onChat = () => ({ status: 200, headers: { "cache-control": "private, max-age=30" }, body: {} });
    expect((await post(chat)).headers.get("cache-control")).toBe("private, max-age=30");
  });
});

describe("order of refusals", () => {
  test("401 before the body: bad JSON from a stranger is a missing key", async () => {
    const { status, body } = await call(edge, "/v1/chat/completions", {
      method: "POST",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    expect([status, body.error.code]).toEqual([401, "missing_api_key"]);
  });
  test("every operation that needs a caller answers 401 without and with a bad credential, never 403, whatever the body", async () => {
    for (const { auth: needs, method, path, id } of all) {
      if (needs === "none") continue;
      for (const headers of [{}, { authorization: "Bearer svc_wrong" }, { authorization: "Basic eDp5" }] as Record<string, string>[]) {
        const answer = await call(edge, path.replace(/\{[^}]+\}/g, "x"), {
          method: method.toUpperCase(),
          headers,
          ...(method === "get" ? {} : { body: "{" }),
        });
        expect([id, answer.status]).toEqual([id, 401]);
        expect(answer.headers.get("x-should-retry")).toBe("false");
      }
    }
  });
  test("403 session_required: an API key can't change the account", async () => {
    const answer = await call(edge, "/v1/auth/keys", { json: { name: "n" }, headers: auth });
    expect([answer.status, answer.body.error.code]).toEqual([403, "session_required"]);
  });
  test("403 permission_denied: a suspended account", async () => {
    const answer = await post(chat, { authorization: "Bearer svc_suspended" });
    expect([answer.status, answer.body.error.code]).toEqual([403, "permission_denied"]);
  });
  test("content type before JSON before fields", async () => {
    const text = await call(edge, "/v1/chat/completions", {
      method: "POST",
      body: "{",
      headers: { ...auth, "content-type": "text/plain" },
    });
    expect([text.status, text.body.error.code]).toEqual([400, "invalid_json"]);
    expect((await post({})).body.error.code).toBe("missing_parameter");
  });
});

describe("bad bodies name the field", () => {
  test.each([
    [{}, "missing_parameter", "model"],
    [{ ...chat, messages: [{ role: "bot", content: "x" }] }, "invalid_parameter", "messages[0].role"],
    [{ ...chat, temperature: "hot" }, "invalid_parameter", "temperature"],
    [{ ...chat, user: "a\0b" }, "invalid_parameter", "user"],
    [{ ...chat, response_format: { type: "xml" } }, "invalid_parameter", "response_format.type"],
    [{ ...chat, response_format: {} }, "missing_parameter", "response_format.type"],
    [{ ...chat, stream: "yes" }, "invalid_parameter", "stream"],
    [[], "invalid_json", null],
    ["text", "invalid_json", null],
    [null, "invalid_json", null],
  ])("400 %j: %s, param %s", async (body, code, param) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([400, code, param]);
    expect(answer.body.error.request_id).toBe(answer.headers.get("x-request-id"));
  });
  test("the message lists what is allowed, for tagged unions too", async () => {
    const { body } = await post({ ...chat, response_format: { type: "xml" } });
    expect(body.error.message).toBe('response_format.type is not valid: it must be "text", "json_object" or "json_schema".');
  });
  test("400 invalid_json: no body at all", async () => {
    const answer = await call(edge, "/v1/chat/completions", { method: "POST", headers: auth });
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_json"]);
  });
});

describe("what a handler gets and gives", () => {
  test("plain values: caller, body, its bytes, lower-case headers, a signal that hasn't fired", async () => {
    onChat = () => json({ ok: true });
    const { status, headers, body } = await post(chat, { ...auth, "X-Custom": "1" });
    expect([status, body, headers.get("content-type")]).toEqual([200, { ok: true }, "application/json"]);
    expect(seen).toMatchObject({
      caller: { accountId: 7n },
      body: chat,
      headers: { "x-custom": "1" },
    });
    expect(seen!.rawBody.toString()).toBe(JSON.stringify(chat));
    expect(seen!.receivedAt).toBeInstanceOf(Date);
    expect(seen!.requestId).toBe(headers.get("x-request-id"));
    expect(seenAsk).toMatchObject({ operationId: "createChatCompletion", requestId: seen!.requestId, signal: { aborted: false } });
    expect(Object.values(seenAsk!)).not.toContain(seen!.body);
  });
  test("defaults are not put into a body that goes upstream as sent", async () => {
    onChat = () => json({});
    await post(chat);
    expect(seen!.body).toEqual(chat);
  });
  test("bytes made before are sent as they are, headers too; characters no header can hold are replaced", async () => {
    onChat = () => ({ status: 200, headers: { "content-type": "text/plain", "x-svc-model": "zäp\r\nx: y" }, bytes: Buffer.from("já") });
    const answer = await post(chat);
    expect([answer.text, answer.headers.get("content-length"), answer.headers.get("x-svc-model")]).toEqual(["já", "3", "z?p??x: y"]);
  });
  test("a refusal with everything it can carry", async () => {
    onChat = () => fail("insufficient_credits", { extra: { need_usd: 2, have_usd: 1 }, headers: { "x-svc-credits-have": "1" } });
    const { status, body, headers } = await post(chat);
    expect(status).toBe(402);
    expect(body).toMatchObject({
      need_usd: 2,
      have_usd: 1,
      error: { code: "insufficient_credits", retryable: false, doc_url: `${edge.url}/docs/errors#insufficient_credits` },
    });
    expect(headers.get("x-svc-credits-have")).toBe("1");
  });
  test("500 internal_error: no detail outside, everything in the log under the request id", async () => {
    onChat = () => {
      throw new Error("password is hunter2", { cause: new Error("the cause") });
    };
    const { status, body, headers, text } = await post(chat);
    expect([status, body.error.code]).toEqual([500, "internal_error"]);
    expect(text).not.toContain("hunter2");
    const line = edge.logs.find((one) => one["request_id"] === headers.get("x-request-id") && one["err"]);
    expect(JSON.stringify(line)).toContain("hunter2");
    expect(JSON.stringify(line)).toContain("the cause");
  });
  test("a value that is no error, thrown or rejected, is a 500 as well", async () => {
    for (const thrown of [undefined, null, "text", 5, { code: "insufficient_credits" }]) {
      onChat = () => {
        throw thrown;
      };
      expect((await post(chat)).status).toBe(500);
    }
  });
  test("a code that the operation doesn't declare is reported, and still answered", async () => {
    const undeclared = "voice_not_owned" as ConstructorParameters<typeof ApiError>[0];
    onChat = () => fail(undeclared);
    const { status, headers } = await post(chat);
    expect(status).toBe(403);
    expect(headers.get("x-should-retry")).toBeNull();
    expect(edge.undeclared).toContain("createChatCompletion voice_not_owned");
  });
});

test("nothing the edge itself says is missing from an operation's declared codes", () => {
  // Runs after the sweeps above; the one exception is the handler that broke the rule on purpose.
  expect(edge.undeclared.filter((entry) => entry !== "createChatCompletion voice_not_owned")).toEqual([]);
});

describe("the log", () => {
  test("one line a request, with path template, status and account; nothing secret, no prompt", async () => {
    onChat = () => json({});
    const prompt = "my secret diary";
    const replies = [
      await call(edge, "/v1/chat/completions?token=svc_hidden", {
        json: { ...chat, messages: [{ role: "user", content: prompt }] },
        headers: auth,
      }),
      await call(edge, "/v1/auth/keys/svc_pathkey", { method: "DELETE", headers: auth }),
      await call(edge, "/unknown/svc_pathkey?x=svc_hidden", {}),
      await call(edge, "/v1/chat/completions", { json: { ...chat, model: prompt }, headers: auth }),
    ];
    const linesOf = ({ headers }: (typeof replies)[number]) =>
      edge.logs.filter((line) => line["request_id"] === headers.get("x-request-id"));
    await expect.poll(() => replies.map((reply) => linesOf(reply).length)).toEqual([1, 1, 1, 1]);
    expect(linesOf(replies[0]!)[0]).toMatchObject({
      method: "POST",
      path: "/v1/chat/completions",
      status: 200,
      account: "7",
      model: "demo/chat",
      ms: expect.any(Number) as number,
    });
    const everything = JSON.stringify(edge.logs);
    for (const secret of ["svc_good", "svc_hidden", "svc_pathkey", prompt, "Bearer"]) expect(everything).not.toContain(secret);
  });
});
