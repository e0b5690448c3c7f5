// `svc operator …`, and that what `svc` changes of accounts and their money is a row of the log of operators' actions, once.
import { userInfo } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeOfStep, stepAt } from "../../src/accounts/totp.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { endJob, newJob, pngFile } from "../support/media-jobs.ts";
import { newOperator } from "../support/operators.ts";
import { callSvc } from "./run-svc.ts";

let gateway: Gateway;
let admin: { account: TestAccount; key: string };
beforeAll(async () => {
  gateway = await startGateway({ notices: { everyMs: 50 } });
  admin = await newOperator(gateway, "admin");
});
afterAll(() => gateway.stop());

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
const actionsOn = async (target: string) =>
  (await gateway.request("GET", `/v1/operator/audit?who=svc&target=${target}`, { key: admin.key })).json.data as Record<string, unknown>[];
const byShell = { who: `svc (${userInfo().username})`, role: null, address: null, session: null, request_id: null };

describe("svc operator", () => {
  test("gives, changes and takes a role, lists the operators, and each change is a row by the shell", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const role = async () => (await gateway.request("GET", "/v1/operator/me", { key: token })).json.role as string | undefined;
    const added = await svc("operator", "add", account.email, "support", "--reason", "joins support", "--json");
    expect([added.status, added.stderr]).toEqual([0, ""]);
    expect(added.json().data).toContainEqual(expect.objectContaining({ account_id: account.id, role: "support", added_by: byShell.who }));
    expect(await role()).toBe("support");
    expect((await svc("operator", "add", account.id, "finance")).stdout).toContain(`${account.id} ${account.email} finance, added by svc`);
    expect((await svc("operator", "remove", account.id)).status).toBe(0);
    expect(await role()).toBeUndefined();
    expect((await svc("operator", "list", "--json")).json().data).toHaveLength(1);
    const rows = await actionsOn(account.id);
    expect(rows).toMatchObject([
      { ...byShell, action: "operator.remove", reason: null, before: { role: "finance" }, after: { role: null } },
      { ...byShell, action: "operator.set", before: { role: "support" }, after: { role: "finance" } },
      { ...byShell, action: "operator.set", reason: "joins support", before: { role: null }, after: { role: "support" } },
    ]);
  });

  test("refuses the last admin, an unverified address, an unknown account and an unknown role, and nothing changes", async () => {
    const last = await svc("operator", "remove", admin.account.id);
    expect([last.status, last.stderr]).toEqual([1, expect.stringContaining("it is the last admin")]);
    const unverified = await gateway.createAccount({ verified: false });
    expect((await svc("operator", "add", unverified.id, "support")).status).toBe(1);
    expect((await svc("operator", "add", "acc_999999", "support")).status).toBe(1);
    expect((await svc("operator", "add", admin.account.id, "owner")).status).toBe(2);
    expect((await svc("operator", "list", "--json")).json().data).toHaveLength(1);
  });
});

test("creating, adding money, correcting, suspending and opening a session: one row each", async () => {
  const created = await svc("account", "create", "--email", "shell@example.com", "--verified", "--deposit", "5", "--json");
  const { account_id: id } = created.json() as { account_id: string };
  await svc("account", "deposit", id, "2");
  await svc("account", "credit", id, "1");
  await svc("account", "adjust", id, "-3", "--reason", "mistyped");
  expect((await svc("account", "adjust", id, "-300", "--reason", "too much")).status).toBe(1);
  for (const verb of ["suspend", "suspend", "resume"]) expect((await svc("account", verb, id)).status).toBe(0);
  await svc("session", "create", id);
  expect(await actionsOn(id)).toMatchObject([
    { ...byShell, action: "session.create", after: null },
    { ...byShell, action: "account.resume" },
    { ...byShell, action: "account.suspend", before: { status: "active" }, after: { status: "suspended" } },
    { ...byShell, action: "account.adjust", reason: "mistyped", after: { amount_usd: -3, balance_usd: 5, kind: "adjustment" } },
    { ...byShell, action: "account.credit", after: { amount_usd: 1, balance_usd: 8 } },
    { ...byShell, action: "account.deposit", after: { amount_usd: 2, balance_usd: 7 } },
    { ...byShell, action: "account.create", after: { email: "shell@example.com", deposit_usd: 5 } },
  ]);
  expect(await gateway.audit()).toMatchObject({ mismatches: [] });
});

test("a refund: one row, and none where it is refused", async () => {
  const account = await gateway.createAccount({ deposit: "5" });
  const body = { model: "best", messages: [{ role: "user", content: "Hello!" }], max_tokens: 5 };
  const reply = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
  const id = reply.headers["x-request-id"]!;
  expect((await svc("refund", id, "--reason", "bad answer")).status).toBe(0);
  expect((await svc("refund", id, "--reason", "once more")).status).toBe(1);
  expect(await actionsOn(id)).toMatchObject([
    { ...byShell, action: "call.refund", reason: "bad answer", after: { account_id: account.id, amount_usd: reply.json.usage.cost } },
  ]);
});

test("keys, a job's refund, a payment event and a receipt key: one row each, without a secret; none where it is refused", async () => {
  const account = await gateway.createAccount({ deposit: "5" });
  const made = (await svc("key", "create", account.id, "--name", "shell", "--limit", "2", "--json")).json() as { api_key: string };
  const listed = (await svc("key", "list", account.id, "--json")).json() as { data: { id: string; name: string }[] };
  const { id } = listed.data.find(({ name }) => name === "shell")!;
  const rolled = (await svc("key", "roll", id, "--json")).json() as { api_key: string };
  for (const verb of ["disable", "enable", "delete"]) expect((await svc("key", verb, id)).status).toBe(0);
  expect((await svc("key", "disable", id)).status).toBe(1);
  const rows = await actionsOn(id);
  expect(rows).toMatchObject([
    { ...byShell, action: "key.delete", after: { account_id: account.id, new_default: null } },
    { ...byShell, action: "key.enable", after: { enabled: true } },
    { ...byShell, action: "key.disable", after: { enabled: false } },
    { ...byShell, action: "key.roll", after: { previous_secret_until: expect.any(String) } },
    { ...byShell, action: "key.create", after: { account_id: account.id, name: "shell", limit_usd: 2 } },
  ]);
  for (const secret of [made.api_key, rolled.api_key]) expect(JSON.stringify(rows)).not.toContain(secret);

  const job = await newJob(gateway, account);
  await endJob(gateway, account, job, { to: "succeeded", files: [pngFile("a.png")] });
  expect((await svc("job", "refund", job.shownId)).status).toBe(0);
  expect((await svc("job", "refund", job.shownId)).status).toBe(1);
  expect(await actionsOn(job.shownId)).toMatchObject([
    { ...byShell, action: "job.refund", after: { account_id: account.id, amount_usd: 0.04 } },
  ]);

  const { kid } = (await svc("receipt", "rotate", "--json")).json() as { kid: string };
  expect(await actionsOn(kid)).toMatchObject([{ ...byShell, action: "receipt.rotate" }]);
  expect((await svc("payment", "dismiss", "evt_none")).status).toBe(1);
  expect(await actionsOn("evt_none")).toEqual([]);
});

test("svc totp remove turns off a second factor that is lost: one row, no session is left, the person is told by mail", async () => {
  const account = await gateway.createAccount();
  const { token: key } = await gateway.createSession(account);
  const ask = (method: string, path: string, body?: object) => gateway.request(method, `/v1/auth/${path}`, { key, ...(body && { body }) });
  const begun = (await ask("POST", "totp")).json.secret as string;
  expect(begun).toMatch(/^[A-Z2-7]{32}$/);
  const remove = (...options: string[]) => svc("totp", "remove", account.email, ...options);
  const none = { status: 1, stdout: "", stderr: `${account.id} has no second factor\n` };
  expect(await remove("--reason", "only begun")).toMatchObject(none);
  const { rows } = await gateway.context.db.pool.query<{ secret: Buffer }>("select secret from totp where account_id = $1", [
    account.accountId,
  ]);
  expect((await ask("POST", "totp/confirm", { code: codeOfStep(rows[0]!.secret, stepAt(new Date())) })).status).toBe(200);
  expect((await remove()).status).toBe(2);
  expect((await ask("GET", "totp")).json).toMatchObject({ enabled: true });
  expect((await remove("--reason", "the phone is lost", "--json")).json()).toEqual({ account_id: account.id, totp_enabled: false });
  expect((await ask("GET", "totp")).status).toBe(401);
  const { token } = await gateway.createSession(account);
  expect((await gateway.request("GET", "/v1/auth/totp", { key: token })).json).toMatchObject({ enabled: false, recovery_codes_left: 0 });
  expect(await remove("--reason", "again")).toMatchObject(none);
  expect(await actionsOn(account.id)).toMatchObject([
    { ...byShell, action: "totp.remove", reason: "the phone is lost", before: { enabled: true }, after: { enabled: false } },
  ]);
  await expect
    .poll(() => gateway.mails.filter(({ to }) => to === account.email))
    .toMatchObject([{ subject: "The second factor was turned off" }]);
});

describe("a deleted account", () => {
  const remove = async (account: TestAccount) => {
    const { token: key } = await gateway.createSession(account);
    const deleted = await gateway.request("DELETE", "/v1/account?forfeit_balance=true", { key });
    expect(deleted.status).toBe(200);
  };

  test("gets no key, session, money, tier or role, and is neither resumed nor suspended: refused in words, and no row says otherwise", async () => {
    const account = await gateway.createAccount({ deposit: "1" });
    await remove(account);
    for (const words of [
      ["key", "create", account.id, "--name", "late"],
      ["session", "create", account.id],
      ["account", "deposit", account.id, "5"],
      ["account", "credit", account.id, "5"],
      ["account", "tier", account.id, "2"],
      ["operator", "add", account.id, "admin"],
      ["account", "resume", account.id],
      ["account", "suspend", account.id],
      ["totp", "remove", account.id, "--reason", "late"],
    ]) {
      const { status, stdout, stderr } = await svc(...words);
      expect([...words, status, stdout, stderr]).toEqual([...words, 1, "", expect.stringMatching(/the account is deleted/i)]);
    }
    expect(await actionsOn(account.id)).toEqual([]);
    const count = async (table: string) =>
      (await gateway.context.db.pool.query(`select 1 from ${table} where account_id = $1`, [account.accountId])).rowCount;
    expect([await count("session"), await count("operator"), await count("ledger_entry")]).toEqual([0, 0, 1]);
    expect(await gateway.audit()).toMatchObject({ mismatches: [] });
  });

  test("its books can still be corrected", async () => {
    const account = await gateway.createAccount({ deposit: "3" });
    await remove(account);
    expect((await svc("account", "adjust", account.id, "-3", "--reason", "paid out by hand")).status).toBe(0);
    expect(await actionsOn(account.id)).toMatchObject([{ action: "account.adjust", after: { amount_usd: -3, balance_usd: 0 } }]);
  });
});

test("a shared workspace, which is no person, gets neither a role nor a session", async () => {
  const person = await gateway.createAccount();
  const { token: key } = await gateway.createSession(person);
  await gateway.request("POST", "/v1/workspaces", { key, body: { name: "Operators' friends" } });
  const { rows } = await gateway.context.db.pool.query<{ id: bigint }>(
    "select id from account where workspace_name = 'Operators'' friends'",
  );
  const id = `acc_${rows[0]!.id}`;
  for (const words of [
    ["operator", "add", id, "admin"],
    ["session", "create", id],
  ]) {
    const { status, stderr } = await svc(...words);
    expect([status, stderr]).toEqual([1, expect.stringContaining("the account is a shared workspace")]);
  }
  expect(await actionsOn(id)).toEqual([]);
});
