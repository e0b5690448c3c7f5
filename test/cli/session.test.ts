// `svc session create`, `svc account suspend`, `resume` and `tier`, beside a running gateway.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallCatalog } from "../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { callSvc } from "./run-svc.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
const read = (headers: Record<string, string>) => gateway.request("GET", "/v1/auth/session", { headers });

describe("svc session create", () => {
  test("prints a session as signing in would make it: token, cookie and CSRF token work at once", async () => {
    const { id } = await gateway.createAccount();
    const ran = await svc("session", "create", id, "--json");
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const session = ran.json() as { session_token: string; cookie: string; csrf_token: string };
    expect(Object.keys(session)).toEqual(["session_token", "cookie", "csrf_token"]);
    expect(session.cookie).toBe(`__Host-svc_session=${session.session_token}`);
    const reply = await read({ authorization: `Bearer ${session.session_token}` });
    expect([reply.status, reply.json.csrf_token]).toEqual([200, session.csrf_token]);
    const out = await gateway.request("POST", "/v1/auth/signout", {
      headers: { cookie: session.cookie, "x-svc-csrf": session.csrf_token },
    });
    expect(out.status).toBe(204);
  });

  test("without --json it prints the same for a person", async () => {
    const { id } = await gateway.createAccount();
    const { stdout } = await svc("session", "create", id);
    const token = /^svcs_\S+$/m.exec(stdout)![0];
    expect(stdout).toContain(`Cookie: __Host-svc_session=${token}\n`);
    expect((await read({ authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("an account that does not exist is refused with 1", async () => {
    expect(await svc("session", "create", "acc_999999", "--json")).toMatchObject({
      ...{ status: 1, stdout: "", stderr: "no such account: acc_999999\n" },
    });
  });
});

describe("svc account suspend and resume", () => {
  test("refuse the account's keys and sessions within a second, and let them work again", async () => {
    const account = await gateway.createAccount({ deposit: "1" });
    const { token } = await gateway.createSession(account);
    const balance = async () => (await gateway.request("GET", "/v1/credits/balance", { key: account.key })).status;
    const session = async () => (await read({ authorization: `Bearer ${token}` })).status;
    expect([await balance(), await session()]).toEqual([200, 200]);
    expect((await svc("account", "suspend", account.id, "--json")).json()).toEqual({ account_id: account.id, suspended: true });
    await expect.poll(balance).toBe(403);
    expect(await session()).toBe(403);
    expect((await svc("account", "resume", account.id, "--json")).json()).toEqual({ account_id: account.id, suspended: false });
    await expect.poll(balance).toBe(200);
    expect(await session()).toBe(200);
  });

  test.each([["session"], ["key", "--name", "late"]])(
    "of a suspended account no %s is created: refused with 1, as the API does, until it is resumed",
    async (noun, ...options) => {
      const account = await gateway.createAccount();
      const made = async () =>
        (
          await gateway.context.db.pool.query(`select 1 from ${noun === "key" ? "api_key" : "session"} where account_id = $1`, [
            account.accountId,
          ])
        ).rowCount;
      const before = await made();
      await svc("account", "suspend", account.id);
      const stderr = "That is not possible: the account is suspended; resume it first.\n";
      expect(await svc(noun, "create", account.id, ...options)).toMatchObject({ status: 1, stdout: "", stderr });
      expect(await made()).toBe(before);
      await svc("account", "resume", account.id);
      expect(await svc(noun, "create", account.id, ...options)).toMatchObject({ status: 0 });
    },
  );

  test.each(["suspend", "resume"])("%s of an account that does not exist is refused with 1", async (verb) => {
    expect(await svc("account", verb, "acc_999999")).toMatchObject({ status: 1, stderr: "no such account: acc_999999\n" });
  });
});

describe("svc account tier", () => {
  test("gives a tier with its limits at once, and auto the one that the deposits reach", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const tier = async () => (await gateway.request("GET", "/v1/auth/limits", { key: account.key })).json.tier;
    expect(await tier()).toBe(1);
    const set = await svc("account", "tier", account.id, "3", "--reason", "agreed", "--json");
    expect(set.json()).toEqual({ account_id: account.id, tier: 3, assigned_tier: 3 });
    await expect.poll(tier).toBe(3);
    expect((await svc("account", "show", account.id, "--json")).json()).toMatchObject({ tier: 3 });
    expect((await svc("account", "tier", account.id, "auto", "--json")).json()).toMatchObject({ tier: 1, assigned_tier: null });
    await expect.poll(tier).toBe(1);
  });

  test("a tier that the catalog lacks is refused with 1; a word that is none, and a blank reason, with 2", async () => {
    const { id } = await gateway.createAccount();
    const lacking = await svc("account", "tier", id, "9");
    expect(lacking).toMatchObject({ status: 1, stdout: "" });
    expect(lacking.stderr).toBe("TIER must be one of the catalog's tiers, 0, 1, 2, 3, 4, or auto\n");
    expect(await svc("account", "tier", id, "high")).toMatchObject({ status: 2 });
    expect(await svc("account", "tier", id, "2", "--reason", " ")).toMatchObject({ status: 2 });
  });
});
