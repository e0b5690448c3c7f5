// Who may call POST /v1/chat/completions, and what the gateway says when it fails itself.
import { describe, expect, test } from "vitest";
import { setKeyEnabled, setSuspended } from "../../../src/accounts/admin.ts";
import { startEdge } from "../../server/start-edge.ts";
import { checkedRequest } from "../../support/gateway.ts";
import { chatWorld, hello, language } from "./chat-gateway.ts";

const world = chatWorld([language("demo/chat", ["chat"])]);
const body = { model: "demo/chat", messages: hello };
const post = (headers: Record<string, string>, content: unknown = body) =>
  world.gateway.request("POST", "/v1/chat/completions", { body: content, headers });

describe("401", () => {
  test.each([
    ["no header", {}],
    ["an empty one", { authorization: "" }],
    ["Bearer alone", { authorization: "Bearer " }],
    ["another scheme", { authorization: "Basic c3ZjOng=" }],
    ["x-api-key, which is for messages", { "x-api-key": "svc_abc" }],
  ])("missing_api_key: %s", async (_, headers) => {
    const { status, json, headers: sent } = await post(headers);
    expect([status, json.error.code, json.error.type]).toEqual([401, "missing_api_key", "authentication_error"]);
    expect(sent["x-should-retry"]).toBe("false");
  });

  test.each([
    ["an unknown key", "svc_0000000000000000000000000000000000000000"],
    ["no key of ours", "sk-abc"],
    ["a session token", "svcs_0000000000000000000000000000000000000000"],
    ["a very long one", "svc_".padEnd(5000, "a")],
  ])("invalid_api_key: %s", async (_, key) => {
    const { status, json, text } = await post({ authorization: `Bearer ${key}` });
    expect([status, json.error.code, json.error.type]).toEqual([401, "invalid_api_key", "authentication_error"]);
    expect(text).not.toContain(key);
  });

  test("invalid_api_key: a key that was disabled, from the next call on", async () => {
    const account = await world.account();
    expect((await world.chat(account, body)).status).toBe(200);
    await setKeyEnabled(world.gateway.context.db, account.key, false);
    await expect.poll(async () => (await world.chat(account, body)).status).toBe(401);
  });

  test("comes before the body is read", async () => {
    expect((await post({}, "{")).json.error.code).toBe("missing_api_key");
  });
});

describe("403 permission_denied", () => {
  test("a suspended account; nothing is charged", async () => {
    const account = await world.account();
    await setSuspended(world.gateway.context.db, account.accountId, new Date());
    const { status, json } = await world.chat(account, body);
    expect([status, json.error.code, json.error.type]).toEqual([403, "permission_denied", "permission_error"]);
    expect(json.error.message).toMatch(/suspended/);
    await world.expectUntouched(account);
  });
});

describe("413 request_too_large", () => {
  test("a body over 25 MB is refused, one of 25 MB is read", async () => {
    const account = await world.account();
    const padded = (bytes: number) => {
      const frame = JSON.stringify({ ...body, model: "demo/none", pad: "" });
      return frame.replace('"pad":""', `"pad":"${"x".repeat(bytes - frame.length)}"`);
    };
    const largest = 25 * 1024 * 1024;
    const ask = (text: string) =>
      world.gateway.request("POST", "/v1/chat/completions", {
        key: account.key,
        body: text,
        headers: { "content-type": "application/json" },
      });
    expect((await ask(padded(largest))).json.error.code).toBe("model_not_found");
    const { status, json } = await ask(padded(largest + 1));
    expect([status, json.error.code, json.error.type]).toEqual([413, "request_too_large", "request_too_large"]);
    expect(json.error.message).toMatch(/25 MB/);
    await world.expectUntouched(account);
  });
});

describe("500 internal_error", () => {
  test("an unexpected exception: no detail, a request id, nothing held", async () => {
    const account = await world.account();
    const { pool } = world.gateway.context.db;
    const reserveTypes = "uuid, bigint[], uuid[], bigint[], bigint[], bigint[], text[], int[], text[], int[], interval"; // the current signature
    await pool.query(`alter function ledger_reserve(${reserveTypes}) rename to ledger_reserve_away`);
    const { status, json, text } = await world.chat(account, body);
    await pool.query("alter function ledger_reserve_away rename to ledger_reserve");
    expect([status, json.error.code, json.error.type]).toEqual([500, "internal_error", "api_error"]);
    expect(text).not.toMatch(/ledger|function|stack|\.ts/);
    expect((await world.chat(account, body)).status).toBe(200);
  });
});

describe("503 overloaded", () => {
  test("more body bytes at once than the gateway holds: retry in 5 s", async () => {
    const edge = await startEdge({ limits: { allBodiesBytes: 10 } });
    const reply = await checkedRequest(edge.url, "POST", "/v1/chat/completions", { key: "svc_good", body });
    await edge.close();
    expect([reply.status, reply.json.error.code]).toEqual([503, "overloaded"]);
    expect(reply.headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
  });
});
