import { describe, expect, test } from "vitest";
import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../../src/fail.ts";
import { authenticate } from "../../src/server/authenticate.ts";
import { callers, goodKey } from "./start-edge.ts";

const accounts = { authenticateKey: async (key: string) => callers[key], authenticateSession: async (token: string) => callers[token] };
type Auth = "key" | "key_or_session" | "session";
type Method = "get" | "post";

async function outcome(auth: Auth, headers: IncomingHttpHeaders, xApiKey = false, method: Method = "post"): Promise<string> {
  try {
    const caller = await authenticate(accounts, { auth, xApiKey, method }, headers);
    return `account ${caller.accountId}`;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("who gets in", () => {
  test.each([
    ["key", bearer(goodKey), false, "account 7"],
    ["key", { authorization: `bEaReR   ${goodKey} ` }, false, "account 7"],
    ["key", {}, false, "missing_api_key"],
    ["key", { authorization: "" }, false, "missing_api_key"],
    ["key", { authorization: "Bearer" }, false, "missing_api_key"],
    ["key", { authorization: "Bearer   " }, false, "missing_api_key"],
    ["key", { authorization: "Basic c3ZjX2dvb2Q6" }, false, "missing_api_key"],
    ["key", bearer("svc_bad"), false, "invalid_api_key"],
    ["key", bearer("svc_good extra"), false, "invalid_api_key"],
    ["key", bearer("svc_\u00e9\u00ff"), false, "invalid_api_key"],
    ["key", bearer(goodKey + "x".repeat(10_000)), false, "invalid_api_key"],
    ["key", bearer("svc_suspended"), false, "permission_denied"],
    ["key", bearer("svcs_session"), false, "invalid_api_key"],
    ["key_or_session", bearer("svcs_session"), false, "account 7"],
    ["key_or_session", bearer(goodKey), false, "account 7"],
    ["session", bearer("svcs_session"), false, "account 7"],
    ["session", bearer(goodKey), false, "session_required"],
    ["session", bearer("svc_bad"), false, "invalid_api_key"],
    ["session", bearer("svcs_expired"), false, "invalid_api_key"],
    ["session", {}, false, "missing_api_key"],
    ["key", { "x-api-key": goodKey }, true, "account 7"],
    ["key", { "x-api-key": goodKey }, false, "missing_api_key"],
    ["key", { "x-api-key": goodKey, ...bearer(goodKey) }, true, "account 7"],
    ["key", { "x-api-key": goodKey, ...bearer("sk-other") }, true, "account 7"],
    ["key", { "x-api-key": "sk-other", ...bearer(goodKey) }, true, "account 7"],
    ["key", { "x-api-key": "sk-other", ...bearer("sk-third") }, true, "invalid_api_key"],
  ] as [Auth, IncomingHttpHeaders, boolean, string][])("%s %j (x-api-key allowed: %s): %s", async (auth, headers, xApiKey, expected) => {
    expect(await outcome(auth, headers, xApiKey)).toBe(expected);
  });
});
