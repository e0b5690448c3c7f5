import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/accounts/caller.ts";
import { ApiError } from "../../src/errors/fail.ts";
import { authenticate } from "../../src/server/authenticate.ts";
import { callers, goodKey } from "./start-edge.ts";

const csrfToken = "c5f1";
const browser: Caller = {
  ...{ accountId: 9n, keyId: null, purchased: 0n, assignedTier: null, suspended: false, storesResponses: false, policy: null },
  session: { hash: Buffer.alloc(32), personId: 9n, role: "owner", expiresAt: new Date(), csrfToken },
};
const sessions: Record<string, Caller> = { ...callers, svcs_browser: browser, svcs_suspended: { ...browser, suspended: true } };
const accounts = {
  recallKey: () => undefined,
  authenticateKey: async (key: string) => callers[key],
  authenticateSession: async (token: string) => sessions[token],
};
type Auth = "key" | "key_or_session" | "session";
type Method = "get" | "post" | "patch" | "delete";

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
    ["key", bearer("svcs_session"), false, "permission_denied"],
    ["key", bearer("svcs_suspended"), false, "permission_denied"],
    ["key", bearer("svcs_expired"), false, "invalid_api_key"],
    ["key", { "x-api-key": goodKey, ...bearer("svcs_session") }, true, "account 7"],
    ["key", { "x-api-key": "svcs_session", ...bearer("svc_bad") }, true, "permission_denied"],
    ["key_or_session", bearer("svcs_session"), false, "account 7"],
    ["key_or_session", bearer(goodKey), false, "account 7"],
    ["session", bearer("svcs_session"), false, "account 7"],
    ["session", bearer(goodKey), false, "session_required"],
    ["session", bearer("svc_suspended"), false, "permission_denied"],
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

describe("the session's cookie", () => {
  const csrf = { "x-svc-csrf": csrfToken };
  const cookie = (value: string) => ({ cookie: `a=b; __Host-svc_session=${value}; c=d` });
  const signedIn = cookie("svcs_browser");

  test.each([
    ["session", "get", signedIn, "account 9"],
    ["key_or_session", "get", signedIn, "account 9"],
    ["key", "get", signedIn, "missing_api_key"],
    ["key", "post", { ...signedIn, ...csrf }, "missing_api_key"],
    ["session", "post", { ...signedIn, ...csrf }, "account 9"],
    ["key_or_session", "post", { ...signedIn, ...csrf }, "account 9"],
    ["session", "post", signedIn, "csrf_failed"],
    ["session", "patch", signedIn, "csrf_failed"],
    ["session", "delete", signedIn, "csrf_failed"],
    ["key_or_session", "post", signedIn, "csrf_failed"],
    ["session", "post", { ...signedIn, "x-svc-csrf": "" }, "csrf_failed"],
    ["session", "post", { ...signedIn, "x-svc-csrf": `${csrfToken}0` }, "csrf_failed"],
    ["session", "post", { ...signedIn, "x-svc-csrf": csrfToken.toUpperCase() }, "csrf_failed"],
    ["session", "post", { ...signedIn, "x-svc-csrf": "é" }, "csrf_failed"],
    ["session", "post", { ...cookie("svcs_unknown"), ...csrf }, "invalid_api_key"],
    ["session", "post", { ...cookie(goodKey), ...csrf }, "invalid_api_key"],
    ["session", "get", cookie(""), "invalid_api_key"],
    ["session", "get", { cookie: "svc_session=svcs_browser" }, "missing_api_key"],
    ["session", "get", cookie("svcs_suspended"), "permission_denied"],
    // beside a bearer credential
    ["session", "post", { ...signedIn, ...bearer("svcs_session") }, "account 7"],
    ["session", "post", { ...signedIn, ...bearer("svcs_unknown"), ...csrf }, "invalid_api_key"],
    ["session", "post", { ...signedIn, ...bearer(goodKey), ...csrf }, "account 9"],
    ["session", "post", { ...signedIn, ...bearer(goodKey) }, "csrf_failed"],
    ["session", "get", { ...cookie("svcs_unknown"), ...bearer(goodKey) }, "session_required"],
    ["key_or_session", "post", { ...signedIn, ...bearer(goodKey) }, "account 7"],
    ["key", "post", { ...signedIn, ...bearer(goodKey) }, "account 7"],
  ] as [Auth, Method, IncomingHttpHeaders, string][])("%s %s %j: %s", async (auth, method, headers, expected) => {
    expect(await outcome(auth, headers, false, method)).toBe(expected);
  });
});
