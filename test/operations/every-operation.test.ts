// What holds for whole groups of operations: 501 where nothing is built yet, 500 without detail, refusals of a suspended account.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { errors } from "../../generated/errors.ts";
import { type Operation, operations } from "../../generated/operations.ts";
import { setSuspended } from "../../src/accounts/admin.ts";
import type { Catalog } from "../../src/catalog/types.ts";
import { smallCatalog } from "../catalog/small-catalog.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
  account = await gateway.createAccount({ deposit: "5" });
});
afterAll(() => gateway.stop());

const all: Operation[] = Object.values(operations);
const names = (chosen: Operation[]) => chosen.map((operation) => [operation.id, operation] as const);
const ask = ({ method, path }: Operation, key?: string) =>
  gateway.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "some-id"), {
    ...(key === undefined ? {} : { key }),
    ...(method === "get" || method === "delete" ? {} : { body: {} }),
  });
/** In the standard envelope; the older ones are test/server's. */
const standard = ({ dialect }: Operation) => dialect === "standard";

describe("501 not_implemented", () => {
  const keyed = all.filter((operation) => !operation.built && operation.auth !== "session" && standard(operation));
  test.each(names(keyed))("%s", async (_, operation) => {
    const { status, json, headers } = await ask(operation, operation.auth === "none" ? undefined : account.key);
    expect([status, json.error.code]).toEqual([501, "not_implemented"]);
    expect(headers["x-should-retry"]).toBe("false");
  });

  test.each(names(keyed.filter(({ auth }) => auth !== "none")))("%s: not before the key was looked at", async (_, operation) => {
    expect((await ask(operation)).status).toBe(401);
  });
});

describe("403 session_required", () => {
  test.each(
    names(all.filter((operation) => operation.auth === "session" && standard(operation) && operation.errors.includes("session_required"))),
  )("%s with an API key", async (_, operation) => {
    const { status, json } = await ask(operation, account.key);
    expect([status, json.error.code]).toEqual([403, "session_required"]);
  });
});

describe("403 permission_denied", () => {
  const keyed = all.filter(({ built, auth }) => built && auth !== "none");
  test.each(names(keyed))("%s: a suspended account", async (_, operation) => {
    const suspended = await gateway.createAccount({ deposit: "5" });
    await setSuspended(gateway.context.db, suspended.accountId, new Date());
    const { status, json } = await ask(operation, suspended.key);
    expect([status, json.error.code]).toEqual([403, "permission_denied"]);
  });
});

describe("503 overloaded", () => {
  test.each(names(all.filter(({ built, auth }) => built && auth !== "none")))(
    "%s: the database starts up; come back in 5 s",
    async (_, operation) => {
      const fresh = await gateway.createAccount({ deposit: "5" }); // whose key no cache knows
      const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
      const query = vi.spyOn(gateway.context.db.pool, "query").mockRejectedValue(away as never);
      const { status, json, headers } = await ask(operation, fresh.key).finally(() => query.mockRestore());
      expect([status, json.error.code]).toEqual([503, "overloaded"]);
      expect(headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
    },
  );
});

describe("500 internal_error", () => {
  const reading = all.filter(({ built, method }) => built && method === "get");
  test.each(names(reading))("%s: without detail, under a request id, not retryable", async (_, operation) => {
    const { context } = gateway;
    const { catalog } = context;
    context.catalog = {} as Catalog; // the one thing that all of these read
    const { status, json, headers, text } = await ask(operation, operation.auth === "none" ? undefined : account.key).finally(
      () => (context.catalog = catalog),
    );
    expect([status, json.error.code, json.error.message]).toEqual([500, "internal_error", errors.internal_error.message]);
    expect(json.error.request_id).toBe(headers["x-request-id"]);
    expect(text).not.toMatch(/undefined|TypeError|\.ts/);
  });
});
