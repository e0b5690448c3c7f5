// What an account or a key spent lately is read in the sums of its calls, and not call by call; and what operators search follows an index.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { listAccounts } from "../../src/accounts/admin.ts";
import { readEntries } from "../../src/ledger/entries.ts";
import { readStaffJobs } from "../../src/jobs/staff-jobs.ts";
import { readGrants } from "../../src/ledger/grants.ts";
import { readBesideCalls, sumOf } from "../../src/ledger/report.ts";
import { bucketsOf } from "../../src/ledger/summary/periods.ts";
import { readOverview, readRouteMoney } from "../../src/operators/overview.ts";
import { readVouchers } from "../../src/payments/vouchers.ts";
import { readPayments } from "../../src/ledger/statements/read-months.ts";
import { eventually } from "../support/eventually.ts";
import { readActions } from "../../src/operators/action-log.ts";
import { readKeyDays, readSpent, readSummary } from "../../src/ledger/summary/read-summary.ts";
import { listSpending } from "../../src/operators/accounts.ts";
import { listWorkspaces } from "../../src/workspaces/workspaces.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { rolledUp } from "../support/rolled-up.ts";
import { newAccount, newKey } from "../ledger/new-account.ts";
import { explainQueries } from "./explain-queries.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("what an account and its key spent is summed from few pages, however many calls it made, and is exact with those of just now", async () => {
  await db.pool.query("insert into account (email, email_norm) values ('a@example.com', 'a@example.com')");
  const calls = (count: number, at: string) =>
    db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
       select 1, ${at}, gen_random_uuid(), 'req_' || n, 7, 'createChatCompletion', 'test/one', 'success', 200, 3, 3, '{}', '[]', false, 1 from generate_series(1, $1::int) n`,
      [count],
    );
  await calls(3_000, "now() - interval '1 day'"); // those of the last minutes are in no sum yet
  await rolledUp(db);
  await calls(20, "now()");
  await db.pool.query("vacuum analyze usage_log");

  const at = new Date();
  const anyone = { before: null, email: null, suspended: null };
  for (const work of [() => readSpent(db, [1n], lately()), () => readKeyDays(db, { accountId: 1n, id: 7n }, { at, days: 30 })]) {
    const explained = await explainQueries(db, work);
    expect(explained).toHaveLength(2);
    for (const { text, buffers } of explained) expect(buffers, text).toBeLessThan(60);
  }
  const [log] = await explainQueries(db, () => db.pool.query("select sum(cost) from usage_log where account_id = 1"));
  expect(log!.buffers).toBeGreaterThan(60);

  expect(await listSpending(db, at, anyone, 50)).toMatchObject([{ accountId: 1n, spentLately: 9_060n }]);
  const days = await readKeyDays(db, { accountId: 1n, id: 7n }, { at, days: 30 });
  expect(days).toHaveLength(30);
  expect(days.filter(({ requests }) => requests > 0n)).toMatchObject([
    { requests: 20n, cost: 60n },
    { requests: 3_000n, cost: 9_000n },
  ]);
});

const anyone = { before: null, email: null, suspended: null };
const lately = (hours = 24 * 30) => ({ from: new Date(Date.now() - hours * 3_600_000), to: new Date() });
/** Beside many more, which share their ends. */
const unusual = [
  "Zoë.O'Neil@example.com",
  "back\\slash@example.com",
  "a_b%c@example.com",
  "İnci@example.com",
  "with blank@example.com",
  "x@y.zq",
];

describe("beside 5,000 accounts, entries and actions", () => {
  beforeAll(async () => {
    const { pool } = db;
    // Ids far from each other: the newest that are looked through are few.
    await pool.query(
      `insert into account (id, email, email_norm) overriding system value select 200 * n, mail, lower(mail) from (
         select n, 'person-' || n || '@firm-' || n % 50 || '.example' as mail from generate_series(1, 5000) n
         union all select 5000 + n, mail from unnest($1::text[]) with ordinality m(mail, n)) m`,
      [unusual],
    );
    const client = await pool.connect();
    try {
      await client.query("set session_replication_role = replica"); // no trigger, no foreign key
      await client.query(
        `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, seq, balance_after, hash)
         select 1, now(), gen_random_uuid(), 'deposit', 1, 'd_' || n, n, n, ''::bytea from generate_series(1, 5000) n
         union all select 200, now(), gen_random_uuid(), 'hold', -1, 'j_' || n, n, n, '' from generate_series(1, 5000) n`,
      );
      await client.query(
        `insert into credit_grant (account_id, id, seq, amount, expires_at, created_at, counted_seq)
         select 1, gen_random_uuid(), n, 1, now() + interval '1 day', now(), 5000 from generate_series(1, 60) n`,
      );
      await client.query(
        `insert into media_job (id, account_id, key_id, api, kind, shown_id, status, request_id, operation, http_status, model, prices, secret, estimated, charged, refunded,
           output, created_at, started_at, completed_at)
         select gen_random_uuid(), 200, 1, 'image', 'image', 'job_' || n, 'succeeded', 'req_' || n, 'createImage', 202, 'm', '{}', 's', 1, 1, 0, '{"files": []}', now(), now(), now()
         from generate_series(1, 5000) n`,
      );
      await client.query(
        "insert into operator_action (at, who, account_id, action, target) select now(), 'someone', 7, 'account.credit', 'acc_' || n from generate_series(1, 5000) n",
      );
    } finally {
      client.release(true);
    }
    await pool.query("vacuum analyze account, balance, ledger_entry, operator_action, credit_grant, media_job");
  });

  const reads: Record<string, () => Promise<unknown[]>> = {
    "suspended accounts": () => listAccounts(db, { ...anyone, suspended: true }, 51),
    "accounts by a part of their address that none has": () => listAccounts(db, { ...anyone, email: "nobody" }, 51),
    "accounts by two letters that none has": () => listAccounts(db, { ...anyone, email: "qq" }, 51),
    "accounts by words that none has": () => listAccounts(db, { ...anyone, email: "nobody at all" }, 51),
    "refunds of a time": () => readBesideCalls(db, lately()),
    "actions of a kind that nobody did": () => readActions(db, { action: "none.such" }, 51),
    "actions at the command line": () => readActions(db, { who: "svc" }, 51),
    "actions of a time in which nobody did any": () => readActions(db, { from: new Date(0), to: new Date(1) }, 51),
    "an account's refunds beside its media jobs": () => readEntries(db, 200n, { before: null, type: "refund" }, 51),
    "an account's payments beside its media jobs": () => readPayments(db, 200n, { afterSeq: 0n, lastSeq: 5_000n }, 51),
    "jobs of an account that has none": () => readStaffJobs(db, [], { accountId: 400n }, 51),
    "failed jobs of an account that has many": () => readStaffJobs(db, [], { accountId: 200n, status: "failed" }, 51),
    "workspaces of nobody": () => listWorkspaces(db, 99_999n),
  };
  test.each(Object.entries(reads))("%s: none is found in few pages, and no table is walked", async (_, read) => {
    for (const { text, buffers, walked } of await explainQueries(db, read)) {
      expect(walked, text).toEqual([]);
      expect(buffers, text).toBeLessThan(40);
    }
    expect(await read()).toEqual([]);
  });

  test("a page of grants is read without the account's other entries", async () => {
    expect(await readGrants(db, 1n, null, 51)).toHaveLength(51);
    for (const { text, buffers, walked } of await explainQueries(db, () => readGrants(db, 1n, null, 51))) {
      expect(walked, text).not.toContain("ledger_entry");
      expect(buffers, text).toBeLessThan(300);
    }
  });

  test("an account is found by any part of its address, in large letters or small, as a search without the index finds it", async () => {
    const cut = unusual.flatMap((email) => [1, 2, 4, 40].flatMap((length) => [0, 3, 9].map((at) => email.slice(at, at + length))));
    const parts = [...new Set(cut.flatMap((part) => [part, part.toUpperCase()]))].filter((part) => part !== "");
    const { rows } = await db.pool.query<{ ids: bigint[] }>(
      `select array(select id from account where position(lower(part) in lower(email)) > 0 order by id desc limit 8) as ids
       from unnest($1::text[]) with ordinality p(part, n) order by n`,
      [parts],
    );
    const found = [];
    for (const email of parts) found.push(await listAccounts(db, { ...anyone, email }, 8)); // all at once they would wait for a connection
    expect(found.map((accounts) => accounts.map(({ accountId }) => accountId))).toEqual(rows.map(({ ids }) => ids));
    for (const email of unusual) expect(found.flat().map((account) => account.email)).toContain(email);
  });
});

test("vouchers of a status are found without those of another, however many these are", async () => {
  const at = new Date();
  const count = 5_000;
  await db.pool.query(
    `insert into voucher_batch (amount, count, created_at, created_by, once_per_account, expires_at, ended_at)
     select 1, $1 / 5, now(), 'someone', false, case n when 1 then now() - interval '1 day' end, case n when 2 then now() end from generate_series(1, 5) n`,
    [count],
  );
  await db.pool.query(
    `insert into voucher (id, batch_id, hash, account_id, redeemed_at) select gen_random_uuid(), b, sha256(n::text::bytea), a, case when a is not null then now() end
     from generate_series(1, $1::int) n, lateral (select 1 + n % 5 as b) b, lateral (select case when b < 3 and n > 50 then 1 end as a) a`,
    [count],
  );
  const listed = async (status: "redeemed" | "ended" | "expired", pages: number) => {
    const read = () => readVouchers(db, at, { status }, 51);
    const [explained] = await explainQueries(db, read);
    expect(explained!.walked, explained!.text).not.toContain("voucher");
    expect(explained!.buffers, explained!.text).toBeLessThan(pages);
    return (await read()).map((row) => row.status);
  };
  await db.pool.query("vacuum analyze voucher, voucher_batch");
  expect(await listed("expired", 60)).toEqual(Array.from({ length: 10 }, () => "expired"));
  expect(await listed("ended", 60)).toEqual(Array.from({ length: 10 }, () => "ended"));
  expect(await listed("redeemed", 150)).toEqual(Array.from({ length: 51 }, () => "redeemed"));
  await db.pool.query("update voucher set account_id = null, redeemed_at = null");
  await db.pool.query("update voucher_batch set expires_at = null, ended_at = null");
  await db.pool.query("vacuum analyze voucher, voucher_batch");
  for (const status of ["redeemed", "ended", "expired"] as const) expect(await listed(status, 30)).toEqual([]);
});

test("sums over all accounts are looked up by their times, and those of 100 days are not walked for a few hours", async () => {
  const tables = ["usage_total_quarters", "usage_fact", "usage_rollup"];
  const quarters = "generate_series(now() - interval '100 days', now(), interval '15 minutes') at";
  const figures = "1, 1, 0, 0, 1, 0, 1, 1";
  const started = "15, date_bin('15 minutes', at, '2000-01-01 00:00Z')";
  await db.pool.query("truncate usage_total, usage_fact, usage_rollup");
  await db.pool.query(
    `insert into usage_total select ${started}, 'm', 'createChatCompletion', false, 'p/m', ${figures}, 0, 0, 0 from ${quarters}`,
  );
  await db.pool.query(`insert into usage_fact select ${started}, 'route', 'p/m', 1, 0, 1 from ${quarters}`);
  await db.pool.query(
    `insert into usage_rollup select 1, ${started}, usage_tag_hash(null), 'm', 7, 'createChatCompletion', false, 'p/m', null, ${figures}, 0, 0, 0 from ${quarters}`,
  );
  await db.pool.query("update usage_rollup_state set closed_until = now(), whole_since = '-infinity', routes_since = '-infinity'");
  await db.pool.query(`vacuum analyze ${tables.join(", ")}`);
  const readsOf = async () => {
    const { rows } = await db.pool.query<{ name: string; walked: string; found: string }>(
      "select relname as name, seq_tup_read::text as walked, idx_scan::text as found from pg_stat_user_tables where relname = any($1) order by 1",
      [tables],
    );
    return rows;
  };
  const before = await readsOf();

  const own = connect(database.url, { max: 4 });
  const { from, to } = lately(2.5); // two quarters of it at least are in no whole hour, of which there are no sums here
  expect((await readOverview(own, from, to)).calls).toBeGreaterThan(1);
  expect(sumOf(await readRouteMoney(own, { from, to })).requests).toBeGreaterThan(1n);
  const buckets = (await bucketsOf(own, { from, to }, { bucket: "hour", timezone: "UTC", most: 10 }))!;
  const asked = { accountId: null, span: { from, to }, buckets, filter: {}, limit: 50 };
  expect((await readSummary(own, { ...asked, groups: ["model"] })).total.requests).toBeGreaterThan(1n);
  expect((await readSummary(own, { ...asked, groups: ["account"] })).total.requests).toBeGreaterThan(1n);
  await own.close(); // its connections' counts come in with their ends

  await eventually(async () => {
    for (const [index, { name, found }] of (await readsOf()).entries())
      expect(Number(found), name).toBeGreaterThan(Number(before[index]!.found));
  });
  expect((await readsOf()).map(({ walked }) => walked)).toEqual(before.map(({ walked }) => walked));
});

test("who called in a month, and who was charged most, is read in an index alone, and no table of sums is walked for a page of accounts or keys, or for one key", async () => {
  const accounts = 5_000;
  await db.pool.query("truncate usage_rollup, usage_total, usage_log");
  // Rows as wide as histograms make them.
  await db.pool.query(
    `insert into usage_rollup select 2 * n, 1440, date_bin('1 day', now(), '2000-01-01 00:00Z') - (1 + n % 7) * interval '1 day', usage_tag_hash(null), 'm', n, 'createChatCompletion',
       false, 'p/m', null, 1, 1, 0, 0, 1, 0, 5, 1, 0, 10::numeric ^ 600 + n, 0 from generate_series(1, ${accounts}) n`,
  );
  await db.pool.query("update usage_rollup_state set closed_until = now(), whole_since = '-infinity'");
  await db.pool.query("vacuum analyze usage_rollup");

  const { from, to } = lately();
  const buckets = [{ start: from, since: from }];
  for (const group of ["account", "key"] as const)
    for (const byCost of [false, true]) {
      const read = () => readSummary(db, { accountId: null, span: { from, to }, buckets, groups: [group], filter: {}, byCost, limit: 10 });
      const summary = await read();
      expect(summary.rows.map((row) => row.requests)).toEqual(Array.from({ length: 11 }, () => 1n));
      const ids = Array.from({ length: accounts }, (_, n) => `${group === "key" ? n + 1 : 2 * (n + 1)}`).toSorted();
      expect(summary.rows.map((row) => row.names[0])).toEqual(ids.slice(0, 11));
      const readsSums = (await explainQueries(db, read)).filter(({ text }) => text.includes("from usage_rollup r"));
      expect(readsSums).toHaveLength(2);
      for (const { text, walked } of readsSums) expect(walked, text).not.toContain("usage_rollup");
      const [found, added] = readsSums;
      expect(found!.alone, found!.text).toContain("usage_rollup_charges");
      expect(added!.text).toContain("sum(latency)");
    }

  // Of one key, by its account.
  const keyId = await newKey(db, await newAccount(db));
  await db.pool.query("update usage_rollup r set account_id = k.account_id from api_key k where k.id = $1 and r.key_id = k.id", [keyId]);
  const ofKey = () => readSummary(db, { accountId: null, span: { from, to }, buckets, groups: [], filter: { keyIds: [keyId] }, limit: 10 });
  expect((await ofKey()).total.requests).toBe(1n);
  for (const { text, buffers } of await explainQueries(db, ofKey)) expect(buffers, text).toBeLessThan(100);
});
