// Who is an operator, what each role may, and that everybody else finds no such path; accounts, and the log of what was done to them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../../generated/operations.ts";
import { hashPassword } from "../../../src/accounts/passwords.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { untilWaiting } from "../../support/locks.ts";
import { makeOperator, newOperator } from "../../support/operators.ts";

let gateway: Gateway;
let admin: { account: TestAccount; key: string };
let support: typeof admin;
beforeAll(async () => {
  gateway = await startGateway({ env: { SVC_OPERATORS: "Boss@example.com, unknown@example.com" } });
  admin = await newOperator(gateway, "admin");
  support = await newOperator(gateway, "support");
});
afterAll(() => gateway.stop());

const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) => [status, json.error?.code];
const query = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);
const actions = async (filter = "") => (await gateway.request("GET", `/v1/operator/audit${filter}`, { key: admin.key })).json.data as Row[];
interface Row {
  id: string;
  who: string;
  action: string;
  target: string;
  reason: string;
  before: unknown;
  after: unknown;
}
const suspend = (key: string, id: string, what = "suspend") =>
  gateway.request("POST", `/v1/operator/accounts/${id}/${what}`, { key, body: { reason: "a test" } });

describe("who is an operator", () => {
  test("everybody else gets the answer of an unknown path, with a session or a key", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const mine = Object.values(operations).filter(({ operator }) => operator !== undefined);
    expect(mine.length).toBeGreaterThan(5);
    for (const key of [token, account.key, admin.account.key])
      for (const { method, path } of mine) {
        const asked = path.replaceAll(/\{\w+\}/g, "some-id");
        const [found, unknown] = await Promise.all([
          gateway.request(method.toUpperCase(), asked, { key, ...(method === "get" ? {} : { body: {} }) }),
          gateway.request("GET", `/v1/operator/no-such-path`, { key }),
        ]);
        expect([path, ...codeOf(found)]).toEqual([path, 404, "endpoint_not_found"]);
        const alike = (text: string) => text.replaceAll(/req_\w+/g, "req").replace(/at \/v1\/\S+\./, "at PATH.");
        expect(alike(found.text)).toBe(alike(unknown.text));
      }
  });

  test("an address of SVC_OPERATORS is an admin, in any case, and only once it is verified", async () => {
    const boss = await gateway.createAccount({ verified: false });
    await query("update account set email = 'boss@example.com', email_norm = 'boss@example.com' where id = $1", [boss.accountId]);
    const { token: key } = await gateway.createSession(boss);
    expect(codeOf(await gateway.request("GET", "/v1/operator/me", { key }))).toEqual([404, "endpoint_not_found"]);
    await query("update account set email_verified_at = now() where id = $1", [boss.accountId]);
    const { json } = await gateway.request("GET", "/v1/operator/me", { key });
    expect(json).toMatchObject({ email: "boss@example.com", role: "admin" });
    expect(Date.parse(json.confirmed_until) - Date.now()).toBeGreaterThan(14 * 60_000);
  });

  test("the session says an operator's role, and nothing of operators to anybody else", async () => {
    const session = async (key: string) => (await gateway.request("GET", "/v1/auth/session", { key })).json;
    expect((await session(support.key)).operator).toBe("support");
    const { token } = await gateway.createSession(await gateway.createAccount());
    expect(Object.keys(await session(token))).not.toContain("operator");
  });

  test("a role that is too low gets 403 permission_denied, and nothing happens", async () => {
    const account = await gateway.createAccount();
    expect(codeOf(await suspend(support.key, account.id))).toEqual([403, "permission_denied"]);
    expect((await gateway.request("GET", "/v1/credits/balance", { key: account.key })).status).toBe(200);
  });

  test("a suspended operator is not one", async () => {
    const { account, key } = await newOperator(gateway, "admin");
    await query("update account set suspended_at = now() where id = $1", [account.accountId]);
    expect(codeOf(await gateway.request("GET", "/v1/operator/me", { key }))).toEqual([403, "permission_denied"]);
  });
});

describe("403 confirmation_required", () => {
  test("15 minutes after the sign-in a change needs the password again, a read does not", async () => {
    const { account, key } = await newOperator(gateway, "finance");
    const target = await gateway.createAccount();
    await query("update account set password_hash = $2 where id = $1", [account.accountId, await hashPassword("correct horse")]);
    await query("update session set created_at = now() - interval '15 minutes' where account_id = $1", [account.accountId]);
    expect(codeOf(await suspend(key, target.id))).toEqual([403, "confirmation_required"]);
    expect((await gateway.request("GET", "/v1/operator/me", { key })).json.confirmed_until).toBeNull();
    const confirm = (password: string) => gateway.request("POST", "/v1/auth/session/confirm", { key, body: { password } });
    expect(codeOf(await confirm("wrong horse"))).toEqual([401, "invalid_credentials"]);
    expect(codeOf(await confirm("x".repeat(10_000)))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await suspend(key, target.id))).toEqual([403, "confirmation_required"]);
    expect((await confirm("correct horse")).status).toBe(200);
    expect((await suspend(key, target.id)).status).toBe(200);
  });

  test("wrong passwords are throttled like sign-in: 429 rate_limit_exceeded", async () => {
    const { account, key } = await newOperator(gateway, "support");
    await query("update account set password_hash = $2 where id = $1", [account.accountId, await hashPassword("correct horse")]);
    const confirm = () => gateway.request("POST", "/v1/auth/session/confirm", { key, body: { password: "wrong" } });
    const codes = new Set<unknown>();
    for (let n = 0; n < 11; n++) codes.add((await confirm()).json.error.code);
    expect([...codes]).toEqual(["invalid_credentials", "rate_limit_exceeded"]);
  });
});

describe("accounts", () => {
  test("are found by a part of the address, by id and by status, a page at a time, newest first", async () => {
    const [one, other] = [await gateway.createAccount({ deposit: "7" }), await gateway.createAccount()];
    const list = async (filter: string) => (await gateway.request("GET", `/v1/operator/accounts?${filter}`, { key: support.key })).json;
    expect((await list(`email=${one.email.toUpperCase()}`)).data).toMatchObject([
      { id: one.id, balance_usd: 7, tier: 1, spent_30d_usd: 0 },
    ]);
    expect((await list(`id=${other.id}`)).data).toMatchObject([{ id: other.id, status: "active" }]);
    const first = await list("limit=1");
    expect(first).toMatchObject({ has_more: true, last_id: other.id });
    expect((await list(`limit=1&after=${first.last_id}`)).data).toMatchObject([{ id: one.id }]);
    await query("update account set suspended_at = now() where id = $1", [other.accountId]);
    expect((await list("status=suspended&limit=1")).data).toMatchObject([{ id: other.id, status: "suspended" }]);
  });

  test("the ledger of one is listed a page at a time and by type; an entry of another's is 400, an unknown account 404", async () => {
    const account = await gateway.createAccount({ deposit: "7", credit: "1" });
    const list = (filter = "", id = account.id) =>
      gateway.request("GET", `/v1/operator/accounts/${id}/ledger${filter}`, { key: support.key });
    const first = (await list("?limit=1")).json;
    expect(first).toMatchObject({ data: [{ type: "gift", amount_usd: 1, balance_after: 8 }], has_more: true, last_id: "led_2" });
    expect((await list(`?after=${first.last_id}`)).json).toMatchObject({ data: [{ type: "purchase", amount_usd: 7 }], has_more: false });
    expect((await list("?type=purchase")).json.data).toHaveLength(1);
    expect((await list("", account.email)).json.data).toHaveLength(2);
    expect(codeOf(await list("?after=led_9"))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await list("", "acc_999999"))).toEqual([404, "account_not_found"]);
  });

  test("one shows its money and keys, found by id or address; an unknown one is 404 account_not_found", async () => {
    const account = await gateway.createAccount({ deposit: "7", credit: "1" });
    for (const name of [account.id, account.email]) {
      const { json } = await gateway.request("GET", `/v1/operator/accounts/${encodeURIComponent(name)}`, { key: support.key });
      expect(json).toMatchObject({
        id: account.id,
        balance_usd: 8,
        lifetime_purchased_usd: 7,
        lifetime_earned_usd: 1,
        has_more_keys: false,
      });
      expect(json.keys).toMatchObject([{ name: "Default", is_default: true }]);
      expect(JSON.stringify(json)).not.toContain(account.key);
    }
    for (const name of ["acc_999999", "nobody@example.com", "x"])
      expect(codeOf(await gateway.request("GET", `/v1/operator/accounts/${name}`, { key: support.key }))).toEqual([
        404,
        "account_not_found",
      ]);
  });

  test("a workspace shows its name and who is in it, a person's own has its owner", async () => {
    const [owner, member] = [await gateway.createAccount(), await gateway.createAccount()];
    const { token: key } = await gateway.createSession(owner);
    const { json: made } = await gateway.request("POST", "/v1/workspaces", { key, body: { name: "Lighthouse" } });
    const { rows } = await query("select id from account where workspace_name = 'Lighthouse'");
    await query("insert into member values ($1, $2, 'viewer', now() + interval '1 hour')", [rows[0].id, member.accountId]);
    const shown = async (id: string) => (await gateway.request("GET", `/v1/operator/accounts/${id}`, { key: support.key })).json;
    expect(made).toMatchObject({ name: "Lighthouse" });
    expect(await shown(`acc_${rows[0].id}`)).toMatchObject({
      email: owner.email,
      workspace_name: "Lighthouse",
      members: [
        { email: owner.email, role: "owner" },
        { email: member.email, role: "viewer" },
      ],
      has_more_members: false,
    });
    expect(await shown(owner.id)).toMatchObject({ workspace_name: null, members: [{ email: owner.email, role: "owner" }] });
  });

  test("suspending refuses keys and sessions at once, resuming ends that; each is one row of the log, a repeat none", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const balance = () => gateway.request("GET", "/v1/credits/balance", { key: account.key });
    expect((await balance()).status).toBe(200);
    expect((await suspend(admin.key, account.id)).json).toMatchObject({ status: "suspended" });
    expect((await suspend(admin.key, account.id)).json).toMatchObject({ status: "suspended" });
    await expect.poll(async () => codeOf(await balance())).toEqual([403, "permission_denied"]);
    expect((await suspend(admin.key, account.id, "resume")).json).toMatchObject({ status: "active", suspended_at: null });
    await expect.poll(async () => (await balance()).status).toBe(200);
    const rows = await actions(`?target=${account.id}`);
    expect(rows.map(({ action, who, reason }) => [action, who, reason])).toEqual([
      ["account.resume", admin.account.email, "a test"],
      ["account.suspend", admin.account.email, "a test"],
    ]);
    expect(rows[1]).toMatchObject({ before: { status: "active" }, after: { status: "suspended" } });
  });

  test("409 not_possible: an account that its person deleted is neither resumed nor suspended", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    expect((await gateway.request("DELETE", "/v1/account", { key: token })).status).toBe(200);
    expect(codeOf(await suspend(admin.key, account.id, "resume"))).toEqual([409, "not_possible"]);
    expect(codeOf(await suspend(admin.key, account.id))).toEqual([409, "not_possible"]);
    expect((await gateway.request("GET", `/v1/operator/accounts/${account.id}`, { key: admin.key })).json.status).toBe("suspended");
  });

  test("409 not_possible: an account that its person deletes meanwhile gets no role", async () => {
    const account = await gateway.createAccount();
    const { db } = gateway.context;
    const asked = await inTransaction(db, async ({ pool }) => {
      await pool.query("update account set deleted_at = now(), suspended_at = now() where id = $1", [account.accountId]);
      const reply = gateway.request("POST", "/v1/operator/operators", {
        key: admin.key,
        body: { account: account.id, role: "support", reason: "a test" },
      });
      await untilWaiting(db, "from account");
      return [reply];
    });
    expect(codeOf((await asked[0])!)).toEqual([409, "not_possible"]);
    expect((await query("select 1 from operator where account_id = $1", [account.accountId])).rowCount).toBe(0);
  });

  test("an operator's account is not suspended: 409 not_possible", async () => {
    expect(codeOf(await suspend(admin.key, support.account.id))).toEqual([409, "not_possible"]);
    await makeOperator(gateway, support.account, "support");
    expect((await gateway.request("GET", "/v1/operator/me", { key: support.key })).status).toBe(200);
  });
});

test("the log of actions is append-only in the database, and read by page and filter", async () => {
  const account = await gateway.createAccount();
  await suspend(admin.key, account.id);
  for (const sql of ["update operator_action set who = 'x'", "delete from operator_action", "truncate operator_action"])
    await expect(query(sql)).rejects.toThrow("actions are append-only");
  const [newest] = await actions("?limit=1");
  expect(newest).toMatchObject({ action: "account.suspend", target: account.id });
  const older = await actions(`?limit=1&after=${newest!.id}`);
  expect(older[0]!.id).not.toBe(newest!.id);
  expect(await actions("?who=nobody")).toEqual([]);
  expect(await actions(`?from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect((await actions("?action=account.suspend&limit=1"))[0]).toEqual(newest);
});

test("the overview adds up what was called, charged and failed", async () => {
  const account = await gateway.createAccount({ deposit: "5" });
  const at = (filter = "") => gateway.request("GET", `/v1/operator/overview${filter}`, { key: support.key });
  const before = (await at()).json;
  expect([before.cost_usd, before.margin_usd]).toEqual([0, 0]); // nothing was asked
  const chat = { model: "north/chat-small", max_tokens: 5, messages: [{ role: "user", content: "hello" }] };
  expect((await gateway.request("POST", "/v1/chat/completions", { key: account.key, body: chat })).status).toBe(200);
  const { json } = await at();
  const { spent } = await gateway.balance(account);
  expect(spent).toBeGreaterThan(0);
  expect(json.calls - before.calls).toBe(1);
  expect(json.revenue_usd - before.revenue_usd).toBeCloseTo(spent, 8);
  expect([json.cost_usd, json.margin_usd, json.providers[0].cost_usd]).toEqual([null, null, null]); // its route names no cost
  expect(json.active_accounts).toBe(before.active_accounts + 1);
  expect(json.providers.map(({ failures }: { failures: number }) => failures)).toEqual([0]);
  await query("update usage_log set expense = 5, attempts = jsonb_set(attempts, '{0,cost}', '\"5\"')");
  const known = (await at()).json;
  expect([known.cost_usd, known.providers[0].cost_usd]).toEqual([0.00000005, 0.00000005]);
  expect(known.margin_usd).toBeCloseTo(known.revenue_usd - 0.00000005, 8);
  for (const wrong of ["?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z", "?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z"])
    expect(codeOf(await at(wrong))).toEqual([400, "invalid_parameter"]);
});
