// The ledger as a whole for operators: its state, and audits in the background, one at a time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { audit } from "../../../src/ledger/audit.ts";
import { addUpBalances, openLedgerAudits, readLedgerState } from "../../../src/ledger/audits.ts";
import { verifyChain } from "../../../src/ledger/verify.ts";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { endJobsOf, newJob } from "../../support/media-jobs.ts";
import { newOperator } from "../../support/operators.ts";
import { tamper as tamperAt } from "../../support/tamper.ts";

let gateway: Gateway;
let finance: { account: TestAccount; key: string };
beforeAll(async () => {
  gateway = await startGateway();
  finance = await newOperator(gateway, "finance");
});
afterAll(() => gateway.stop());

const query = (sql: string, values: unknown[] = []) => gateway.context.db.pool.query(sql, values);
const state = async () => (await gateway.request("GET", "/v1/operator/ledger", { key: finance.key })).json;
const start = (key = finance.key, body: object = { reason: "a test" }) =>
  gateway.request("POST", "/v1/operator/ledger/audit", { key, body });
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) => [status, json.error?.code];
const tamper = (sql: string, values: unknown[]) => tamperAt(gateway, sql, values);
const ended = () =>
  eventually(async () => {
    const { audit: newest } = await state();
    expect(newest.status).not.toBe("running");
    return newest;
  });

test("the state has the money of all accounts, open holds and accounts below 0", async () => {
  const before = await state();
  expect(before).toMatchObject({
    object: "operator.ledger",
    negative_accounts: 0,
    holds_open: 0,
    oldest_hold_at: null,
    audit: null,
    last_result: null,
  });
  const account = await gateway.createAccount({ deposit: "7" });
  await newJob(gateway, account);
  const debtor = await gateway.createAccount();
  await tamper("update balance set available = -150000000 where account_id = $1", [debtor.accountId]);
  const at = Date.now();
  const id = `${at
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-7000-8000-000000000001`;
  await tamper("insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1000000, $2, now() + interval '1 hour')", [account.accountId, id]); // prettier-ignore
  const now = await state();
  expect(now).toMatchObject({ accounts: before.accounts + 2, negative_accounts: 1, negative_usd: 1.5, holds_open: 1, held_usd: 0.01 });
  expect(now).toMatchObject({ media_holds_open: 1, media_held_usd: 0.04 });
  expect(Date.parse(now.oldest_hold_at)).toBe(at);
  expect(Date.parse(now.oldest_media_hold_at)).not.toBeNaN();
  await tamper("delete from hold where id = $1", [id]);
  await tamper("update balance set available = 0 where account_id = $1", [debtor.accountId]);
  await endJobsOf(gateway, account);
});

test("of many accounts the sums are those of the background's last round, with its time; holds are of now, and old sums are left for new ones", async () => {
  const { db } = gateway.context;
  const { rows } = await query("select now() as now");
  await addUpBalances(db); // few accounts: nothing is kept
  const live = await state();
  expect(Date.parse(live.as_of)).toBeGreaterThan(Number(rows[0].now));
  expect(live.accounts).toBeGreaterThan(1);

  await addUpBalances(db, { few: 1 });
  const [payer, debtor] = [await gateway.createAccount({ deposit: "2" }), await gateway.createAccount()];
  await newJob(gateway, payer);
  await tamper("update balance set available = -50000000 where account_id = $1", [debtor.accountId]);
  await addUpBalances(db, { few: 1 }); // a round of another process, in the same minute
  const { as_of, ...kept } = await state();
  expect(kept).toMatchObject({
    ...{ accounts: live.accounts, balance_usd: live.balance_usd, negative_accounts: 0, negative_usd: 0 },
    media_holds_open: live.media_holds_open + 1,
  });
  expect(await readLedgerState(db)).toMatchObject({ asOf: new Date(as_of) });

  await query("update balance_total set as_of = as_of - interval '1 minute'");
  await addUpBalances(db, { few: 1 });
  const [{ sum }] = (await query("select sum(available + reserved)::bigint as sum from balance")).rows;
  const later = await state();
  expect(later).toMatchObject({ accounts: live.accounts + 2, negative_accounts: 1, negative_usd: 0.5, balance_usd: Number(sum) / 1e8 });
  expect(Date.parse(later.as_of)).toBeGreaterThan(Date.parse(as_of));

  await tamper("update balance set available = 0 where account_id = $1", [debtor.accountId]);
  expect(await state()).toMatchObject({ as_of: later.as_of, negative_accounts: 1 });
  await query("update balance_total set as_of = as_of - interval '10 minutes'");
  expect(await state()).toMatchObject({ negative_accounts: 0 });
  await endJobsOf(gateway, payer);
  await query("delete from balance_total");
});

test("an audit runs in the background, is a row of the log, and finds what svc ledger audit and verify find", async () => {
  const { status, json } = await start();
  expect([status, json]).toMatchObject([
    200,
    { object: "operator.ledger.audit", status: "running", started_by: finance.account.email, result: null },
  ]);
  const found = await ended();
  const { db } = gateway.context;
  const [balances, chain] = [await audit(db), await verifyChain(db)];
  expect(found).toMatchObject({
    ...{ id: json.id, status: "agrees" },
    result: {
      accounts: balances.accounts,
      entries: balances.entries,
      mismatches: [],
      truncated: false,
      chain_head: chain.head,
      broken: null,
    },
  });
  const { data } = (await gateway.request("GET", `/v1/operator/audit?target=${json.id}`, { key: finance.key })).json;
  expect(data).toMatchObject([{ action: "ledger.audit", who: finance.account.email, reason: "a test" }]);
});

test("a balance that the entries don't give is found", async () => {
  const account = await gateway.createAccount({ deposit: "3" });
  await tamper("update balance set available = available + 1 where account_id = $1", [account.accountId]);
  await start();
  expect(await ended()).toMatchObject({
    status: "differs",
    result: { mismatches: [{ account_id: account.id, what: "balance", computed_usd: 3 }] },
  });
  await tamper("update balance set available = available - 1 where account_id = $1", [account.accountId]);
});

test("409 not_possible: one runs at a time; one whose process is gone counts as failed, and the last result stays", async () => {
  const insert =
    "insert into ledger_audit (started_at, started_by, status, alive_until) values (now(), 'x', 'running', now() + $1::interval)";
  await query(insert, ["1 minute"]);
  expect(codeOf(await start())).toEqual([409, "not_possible"]);
  await query("update ledger_audit set alive_until = now() - interval '1 second' where status = 'running'");
  expect(await state()).toMatchObject({ audit: { status: "failed" }, last_result: { status: "differs" } });
  expect((await start()).status).toBe(200);
  expect(await ended()).toMatchObject({ status: "agrees" });
});

test("an audit that is ended before its connection is open fails", async () => {
  const { db } = gateway.context;
  const audits = openLedgerAudits({ db, url: gateway.databaseUrl, onFault: () => {} });
  const locked = await db.pool.connect();
  try {
    await locked.query("begin; lock table ledger_entry in access exclusive mode");
    audits.run((await audits.begin(db, "a test"))!.id);
    await audits.close();
  } finally {
    await locked.query("rollback");
    locked.release();
  }
  expect((await state()).audit).toMatchObject({ status: "failed", result: null });
});

test("a process that stops ends its audit, which is failed then; 403 permission_denied for support, 400 without a reason", async () => {
  const { databaseUrl } = gateway;
  const other = await startGateway({ databaseUrl });
  const locked = await gateway.context.db.pool.connect();
  try {
    await locked.query("begin");
    await locked.query("lock table ledger_entry in access exclusive mode");
    expect((await other.request("POST", "/v1/operator/ledger/audit", { key: finance.key, body: { reason: "a test" } })).status).toBe(200);
    await other.stop();
  } finally {
    await locked.query("rollback");
    locked.release();
  }
  expect(await ended()).toMatchObject({ status: "failed", result: null });
  const support = await newOperator(gateway, "support");
  expect(codeOf(await start(support.key))).toEqual([403, "permission_denied"]);
  expect(codeOf(await start(finance.key, { reason: "" }))).toEqual([400, "invalid_parameter"]);
});
