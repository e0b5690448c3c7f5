// What holds for whole groups of operations: 500 without detail, refusals of a suspended account.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dialects, errors, type DialectRow, type ErrorCode } from "../../../generated/errors.ts";
import { type Operation, type OperationId, operations } from "../../../generated/operations.ts";
import { setSuspended } from "../../../src/accounts/admin.ts";
import type { Catalog } from "../../../src/catalog/types.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { shownWord } from "../../support/error-word.ts";
import { whileAllFail } from "../../support/failing-statements.ts";
import { makeOperator } from "../../support/operators.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
  account = await gateway.createAccount({ deposit: "5" });
});
afterAll(() => gateway.stop());

const all: Operation[] = Object.values(operations);
const names = (chosen: Operation[]) => chosen.map((operation) => [operation.id, operation] as const);
const ask = ({ method, path }: Operation, key?: string, body: unknown = {}) =>
  gateway.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "some-id"), {
    ...(key === undefined ? {} : { key }),
    ...(method === "get" || method === "delete" ? {} : { body }),
  });
const credentialFor = async ({ auth, operator }: Operation, owner: TestAccount) => {
  if (operator !== undefined) await makeOperator(gateway, owner, "admin");
  return auth === "none" ? undefined : auth === "session" ? (await gateway.createSession(owner)).token : owner.key;
};
const codeOf = ({ status, json }: TestReply) => [status, json.error.code];
/** Of the operations with a parameter in their path. */
const bodies: Partial<Record<string, object>> = {
  updateConversation: { metadata: null },
  createConversationItems: { items: [{ role: "user", content: "Hello" }] },
  updateApiKey: { enabled: true },
  rollApiKey: { grace_seconds: 60 },
  updateWebhook: { enabled: true },
  rollWebhookSecret: { grace_seconds: 60 },
  updateMember: { role: "viewer" },
  updateDomain: { role: "viewer" },
  suspendAccount: { reason: "a test" },
  setAccountTier: { tier: 2, reason: "a test" },
  disableProvider: { reason: "a test" },
  enableProvider: { reason: "a test" },
  resumeAccount: { reason: "a test" },
  adjustAccount: { amount_usd: 1, reason: "a test" },
  refundCall: { reason: "a test" },
  cancelOperatorJob: { reason: "a test" },
  endVoucher: { reason: "a test" },
  endVoucherBatch: { reason: "a test" },
  startSignIn: { redirect_uri: "https://app.example.com/" },
  signInWithProvider: { id_token: "a", state: "svco_a" },
};
/** The operation's own code, and its place in the envelope. */
const wordOf = ({ dialect }: Operation, { status, json }: TestReply) => [status, shownWord(dialect, json)];
const shown = ({ dialect }: Operation, code: ErrorCode) => (dialects[dialect] as DialectRow).codes[code] ?? code;
/** In the standard envelope; test/server tests the older ones. */
const standard = ({ dialect }: Operation) => dialect === "standard" || dialect === "anthropic";

describe("403 session_required", () => {
  test.each(
    names(all.filter((operation) => operation.auth === "session" && standard(operation) && operation.errors.includes("session_required"))),
  )("%s with an API key", async (_, operation) => {
    const { status, json } = await ask(operation, account.key);
    expect([status, json.error.code]).toEqual([403, "session_required"]);
  });
});

describe("403 permission_denied: a session where only an API key will do", () => {
  test.each(names(all.filter((operation) => operation.auth === "key" && standard(operation))))("%s", async (_, operation) => {
    const { token } = await gateway.createSession(account);
    const { status, json } = await ask(operation, token);
    expect([status, json.error.code]).toEqual([403, "permission_denied"]);
    expect(json.error.message).toContain("a session cannot call models: use an API key");
  });
});

describe("400 invalid_parameter: what can't be read of a path", () => {
  test("every operation with parameters declares it", () => {
    const silent = all.filter(({ parameters, errors: declared }) => parameters.length > 0 && !declared.includes("invalid_parameter"));
    expect(names(silent)).toEqual([]);
  });
  test.each(names(all.filter(({ path }) => path.includes("{"))))(
    "%s says which parameter, in a code that it declares",
    async (_, operation) => {
      const { path, method, dialect } = operation;
      const key = await credentialFor(operation, account);
      const asked = {
        ...(key === undefined ? {} : { key }),
        ...(bodies[operation.id] === undefined ? {} : { body: bodies[operation.id] }),
      };
      for (const [place, name] of path.matchAll(/\{(\w+)\}/g))
        for (const segment of ["%00", "a%00b", "%ff", "%E0%A4", "%zz", "%"]) {
          const reply = await gateway.request(method.toUpperCase(), path.replace(place, segment).replaceAll(/\{\w+\}/g, "some-id"), asked);
          expect([name, segment, ...wordOf(operation, reply)]).toEqual([name, segment, 400, shown(operation, "invalid_parameter")]);
          if (dialect === "standard") expect(reply.json.error.param).toBe(name);
        }
    },
  );
});

describe("401, without a credential or with an unknown one", () => {
  test.each(names(all.filter(({ auth }) => auth !== "none").filter(standard)))("%s", async (_, operation) => {
    expect(codeOf(await ask(operation))).toEqual([401, "missing_api_key"]);
    for (const credential of ["svc_wrong", "svcs_wrong", "x".repeat(5000)])
      expect(codeOf(await ask(operation, credential))).toEqual([401, "invalid_api_key"]);
  });
});

describe("403 csrf_failed: a session's cookie without its header changes nothing", () => {
  const changing = all.filter(({ auth, method }) => auth === "session" && method !== "get");
  test.each(names(changing))("%s", async (_, operation) => {
    const { token, csrfToken } = await gateway.createSession(account);
    const wrong: Record<string, string>[] = [
      {},
      { "x-svc-csrf": "wrong" },
      { "x-svc-csrf": `${csrfToken}x` },
      { "x-svc-csrf": (await gateway.createSession(account)).csrfToken },
    ];
    for (const given of wrong) {
      const reply = await gateway.request(operation.method.toUpperCase(), operation.path.replaceAll(/\{\w+\}/g, "some-id"), {
        headers: { cookie: `__Host-svc_session=${token}`, ...given },
        ...(operation.method === "delete" ? {} : { body: {} }),
      });
      expect(codeOf(reply)).toEqual([403, "csrf_failed"]);
    }
    expect((await gateway.request("GET", "/v1/auth/session", { key: token })).status).toBe(200);
  });
});

describe("403 permission_denied", () => {
  const keyed = all.filter(({ auth }) => auth !== "none");
  test.each(names(keyed))("%s: a suspended account", async (_, operation) => {
    const suspended = await gateway.createAccount({ deposit: "5" });
    const credential = await credentialFor(operation, suspended);
    await setSuspended(gateway.context.db, suspended.accountId, new Date());
    const reply = await ask(operation, credential);
    expect(wordOf(operation, reply)).toEqual([403, shown(operation, "permission_denied")]);
  });
});

describe("the policies of a key", () => {
  const keyed = all.filter(({ auth }) => auth === "key" || auth === "key_or_session");
  const policies: [code: ErrorCode, status: number, set: string][] = [
    ["key_expired", 401, "expires_at = clock_timestamp()"],
    ["network_not_allowed", 403, "allowed_networks = '{192.0.2.0/24}'"],
    ["operation_not_allowed", 403, "allowed_operations = '{none}'"],
  ];
  test.each(policies)("%s on every operation that takes a key; a session of the account is not bound", async (code, status, set) => {
    const bound = await gateway.createAccount({ deposit: "5" });
    await gateway.context.db.pool.query(`update api_key set ${set} where account_id = $1`, [bound.accountId]);
    for (const operation of keyed) {
      const reply = await ask(operation, bound.key);
      expect([operation.id, ...wordOf(operation, reply)]).toEqual([operation.id, status, shown(operation, code)]);
    }
    expect((await gateway.request("GET", "/v1/auth/keys", { key: (await gateway.createSession(bound)).token })).status).toBe(200);
  });
});

describe("invalid bodies", () => {
  /** Where an empty body is a change of nothing, and only a member of a list can lack something. */
  const lacking: Partial<Record<OperationId, object>> = {
    updateNotices: { mails: [{}] },
    createConversation: { items: [{ tools: [{}] }] },
  };
  const bounds = new Set(all.map(({ bodyMax }) => bodyMax));
  const tooLong = new Map([...bounds].map((bound) => [bound, Buffer.from(`{"filler":"${"x".repeat(bound)}"}`, "latin1")]));
  const taking = all.filter(({ bodies }) => bodies.includes("application/json")).filter(standard);
  test.each(names(taking))("%s: 400 invalid_json, then 400 missing_parameter, then 413 request_too_large", async (_, operation) => {
    const credential = await credentialFor(operation, account);
    expect(codeOf(await ask(operation, credential, "{"))).toEqual([400, "invalid_json"]);
    if (operation.errors.includes("missing_parameter"))
      expect(codeOf(await ask(operation, credential, lacking[operation.id] ?? {}))).toEqual([400, "missing_parameter"]);
    expect(codeOf(await ask(operation, credential, tooLong.get(operation.bodyMax)!))).toEqual([413, "request_too_large"]);
    const ofItsOwn: Record<string, number> = {
      receivePaymentEvent: 1024 * 1024,
      checkCatalog: 8_000_000,
      compareCatalog: 8_000_000,
      applyCatalog: 8_000_000,
      createBatch: 65_536,
    };
    expect(operation.bodyMax).toBe(ofItsOwn[operation.id] ?? (operation.auth === "key" ? 25 * 1024 * 1024 : 65_536));
  });
});

describe("503 overloaded", () => {
  test.each(names(all.filter(({ auth }) => auth !== "none")))("%s: the database starts up; retry in 5 s", async (_, operation) => {
    const credential = await credentialFor(operation, await gateway.createAccount({ deposit: "5" })); // which no cache knows
    const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
    const query = vi.spyOn(gateway.context.db.pool, "query").mockRejectedValue(away as never);
    const reply = await ask(operation, credential).finally(() => query.mockRestore());
    expect(wordOf(operation, reply)).toEqual([503, shown(operation, "overloaded")]);
    expect(reply.headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
  });
});

describe("500 internal_error", () => {
  const withoutDetail = ({ dialect }: Operation, { status, json, headers, text }: TestReply) => {
    const [message, requestId] =
      dialect === "genmedia" ? [json.error, json.details.request_id] : [json.error.message, json.error.request_id];
    expect([status, shownWord(dialect, json), message]).toEqual([500, "internal_error", errors.internal_error.message]);
    expect(requestId).toBe(headers["x-request-id"]);
    expect(text).not.toMatch(/undefined|TypeError|\.ts|broken/);
  };
  const notRerank = all.filter(({ dialect }) => dialect !== "rerank");
  const readsCatalog = ({ id, auth, method }: Operation) => auth === "none" && method === "get" && id !== "listErrors";

  test.each(names(notRerank.filter(readsCatalog)))("%s: without detail, under a request id", async (_, operation) => {
    const { context } = gateway;
    const { catalog, config } = context;
    context.catalog = {} as Catalog; // what all of these read but one,
    context.config = { ...config, signUp: null as never }; // which reads this
    const reply = await ask(operation).finally(() => Object.assign(context, { catalog, config }));
    withoutDetail(operation, reply);
  });

  test.each(names(notRerank.filter(({ auth }) => auth !== "none")))("%s: without detail, under a request id", async (_, operation) => {
    const credential = await credentialFor(operation, await gateway.createAccount({ deposit: "5" }));
    const query = vi.spyOn(gateway.context.db.pool, "query").mockRejectedValue(new Error("broken") as never);
    withoutDetail(operation, await ask(operation, credential).finally(() => query.mockRestore()));
  });
});

/** Right enough to reach the database. */
const publicBodies: Partial<Record<Operation["id"], object>> = {
  signUp: { email: "new@example.com", password: "a long password" },
  verifyAccount: { token: `svcm_${"x".repeat(43)}` },
  resendVerification: { email: "new@example.com" },
  signIn: { email: "new@example.com", password: "a long password" },
  forgotPassword: { email: "new@example.com" },
  resetPassword: { token: `svcm_${"x".repeat(43)}`, password: "a long password" },
};

describe("400 invalid_parameter", () => {
  test.each(names(all.filter(({ id }) => id in publicBodies)))("%s: an invalid address or token", async (_, operation) => {
    const body = Object.fromEntries(
      Object.entries(publicBodies[operation.id]!).map(([name, text]) => [name, name === "email" ? "nobody" : text]),
    );
    const { status, json } = await ask(operation, undefined, "email" in body ? body : { ...body, token: 5 });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "email" in body ? "email" : "token"]);
  });
});

describe("public operations that need the database", () => {
  const writing = all.filter(({ id }) => id in publicBodies);
  const failing = (operation: Operation, error: Error) =>
    whileAllFail(gateway.context.db, error, () => ask(operation, undefined, publicBodies[operation.id]));
  const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
  let whileAway: Promise<Map<OperationId, TestReply>> | undefined;
  /** Together: each waits seconds for the database before it gives up. */
  const askAll = () =>
    whileAllFail(gateway.context.db, away, async () => {
      const replies = writing.map(
        async (operation) => [operation.id, await ask(operation, undefined, publicBodies[operation.id])] as const,
      );
      return new Map(await Promise.all(replies));
    });

  test.each(names(writing))("503 overloaded: %s, the database starts up", async (id) => {
    const reply = (await (whileAway ??= askAll())).get(id)!;
    expect(codeOf(reply)).toEqual([503, "overloaded"]);
    expect(reply.headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
  });

  test.each(names(writing))("500 internal_error: %s, without detail", async (_, operation) => {
    const { status, json, text } = await failing(operation, new Error("broken"));
    expect([status, json.error.code]).toEqual([500, "internal_error"]);
    expect(text).not.toMatch(/broken|\.ts/);
  });
});
