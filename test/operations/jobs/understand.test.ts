// POST /v1/audio/understand, retired: 404 right after authentication, whatever is sent.
import { describe, expect, test } from "vitest";
import { familyA, speechWorld } from "../speech/speech-gateway.ts";

const world = speechWorld([familyA("demo/a")]);
const understand = (key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  world.gateway.request("POST", "/v1/audio/understand", { ...(key !== undefined && { key }), body, headers });

describe("404 model_not_found", () => {
  const form = '--x\r\ncontent-disposition: form-data; name="question"\r\n\r\nWho?\r\n--x--\r\n';
  test.each([
    ["nothing", undefined, {}],
    ["JSON", { model: "demo/a", question: "Who?" }, {}],
    ["half of JSON", "{", {}],
    ["a form", form, { "content-type": "multipart/form-data; boundary=x" }],
    ["a form without an end", "--x", { "content-type": "multipart/form-data; boundary=x" }],
    ["a form without a boundary", form, { "content-type": "multipart/form-data" }],
    ["audio", Buffer.alloc(1000), { "content-type": "audio/mpeg" }],
    ["100 MB", Buffer.alloc(100 * 1024 * 1024), { "content-type": "multipart/form-data; boundary=x" }],
  ])("%s", async (_, body, headers) => {
    const account = await world.account();
    const reply = await understand(account.key, body, headers as Record<string, string>);
    expect([reply.status, reply.json.error.code]).toEqual([404, "model_not_found"]);
    expect(reply.json.error.message).toContain("retired");
    expect(reply.headers["x-should-retry"]).toBe("false");
    await world.expectUntouched(account);
    expect(await world.logOf(reply)).toBeUndefined();
  });

  test("for an account that never paid, too", async () => {
    const free = await world.account({ signupCredit: true });
    expect((await understand(free.key, {})).status).toBe(404);
  });
});

test("401: only after the key was checked", async () => {
  expect((await understand(undefined, {})).json.error.code).toBe("missing_api_key");
  expect((await understand("svc_wrong", {})).json.error.code).toBe("invalid_api_key");
});
