// A database as it looks after months of use, at the size of a test: the tables of the real migrations, filled past their triggers. Half of
// the rows are one account's, the rest lie over many.
import type pg from "pg";
import type { Db } from "../../src/db/connect.ts";
import { ensurePartitions } from "../../src/db/partitions.ts";

export const months = 5;
export const accountsCount = 20_000;
export const rowsCount = 80_000;
const jobsCount = 20_000;

/** The account of the n-th row, and the row's place in it. */
const account = `case when n % 2 = 0 then 1 else 2 + (n / 2) % ${accountsCount - 1} end`;
const place = `case when n % 2 = 0 then n / 2 + 1 else (n / 2) / ${accountsCount - 1} + 1 end`;
/** In the log the second account has one row of 40, all of one key: shares of account and key that a planner multiplies. */
const logAccount = `case when n % 40 = 1 then 2 else ${account} end`;
/** From the first month to now. */
const moment = (count: number) =>
  `date_trunc('milliseconds', now() - interval '1 minute' - interval '${(months - 1) * 28} days' * (1 - n / ${count}::float8))`;

export async function fillDatabase(db: Db): Promise<void> {
  const client = await db.pool.connect();
  try {
    await client.query("set session_replication_role = replica"); // no trigger, no foreign key
    for (let ago = 2; ago < months; ago += 1) await addMonth(client, ago);
    await ensurePartitions(db); // the statistics of the months that were added
    for (const statement of statements) await client.query(statement);
    await client.query("analyze");
  } finally {
    client.release(true);
  }
}

async function addMonth(client: pg.PoolClient, ago: number): Promise<void> {
  const now = new Date();
  const start = (back: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString();
  const name = `usage_log_${start(ago).slice(0, 7).replace("-", "_")}`;
  await client.query(`create table ${name} partition of usage_log for values from ('${start(ago)}') to ('${start(ago - 1)}')`);
}

const statements = [
  `insert into account (email, email_norm, email_verified_at) select n || '@example.com', n || '@example.com', now() from generate_series(1, ${accountsCount}) n`,
  `insert into balance (account_id, available) select id, 1e12::bigint from account`,
  `insert into api_key (account_id, hash, prefix, last4, name, is_default)
   select id, sha256(id::text::bytea), 'svc_AbCd', right('000' || id, 4), 'key', true from account`,
  `insert into key_budget (account_id, key_id) select account_id, id from api_key`,
  `insert into session (hash, account_id, created_at, last_used_at, expires_at)
   select sha256(('svcs' || id)::bytea), id, now(), now(), now() + interval '1 day' from account`,
  `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
   select a, ${moment(rowsCount)}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, case when s = 1 then 'deposit' else 'usage' end,
     case when s = 1 then 1e10 else -5000 end, 'req_' || n, a, s, 1e10 - s * 5000, sha256(n::text::bytea)
   from (select n, ${account} as a, ${place} as s from generate_series(0, ${rowsCount - 1}) n) r`,
  `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, status, http_status, cost, reserved,
     prices, attempts, stream, latency_ms)
   select ${logAccount}, ${moment(rowsCount)}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'req_' || n, ${logAccount},
     'createChatCompletion', case when n % 5000 < 2 then 'test/rare' else 'test/usual' end, case when n % 3000 < 2 then 'image' else 'language' end,
     case when n % 4000 < 2 then 'failed' else 'success' end, 200, case when n % 4000 < 2 then 0 else 5000 end, 5000, '{}', '[]', false, 1
   from generate_series(0, ${rowsCount - 1}) n`,
  `insert into media_job (id, account_id, key_id, api, kind, shown_id, status, request_id, operation, http_status, model, prices, secret,
     estimated, charged, output, created_at, started_at, completed_at)
   select ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, ${account}, ${account}, 'image', 'image',
     'job_00000000000070009000' || lpad(to_hex(n), 12, '0'), 'succeeded', 'req_job' || n, 'createImage', 202,
     case when n % 2000 < 2 then 'test/rare' else 'test/picture' end, '{}', 'secret', 1, 1, '{"files": []}', now(), now(), now()
   from generate_series(0, ${jobsCount - 1}) n`,
  `insert into media_job (id, account_id, key_id, api, kind, shown_id, status, request_id, operation, http_status, model, request, prices,
     secret, estimated, started_at, run_at)
   select gen_random_uuid(), 2 + n, 2 + n, 'image', 'image', 'job_open' || n, 'pending', 'req_open' || n, 'createImage', 202, 'test/picture',
     '{}', '{}', 'secret', 0, now(), now() + interval '1 hour' from generate_series(1, 500) n`,
  `insert into replica (id, seen_at) values ('00000000-0000-4000-8000-000000000001', now() + interval '1 hour')`,
  `insert into hold (account_id, id, amount, owner, expires_at, key_id)
   select 2 + n % 3000, gen_random_uuid(), 0, '00000000-0000-4000-8000-000000000001', now() + interval '1 hour', 2 + n % 3000
   from generate_series(1, 5000) n`,
  `insert into rate_window (account_id, bucket, starts_at, seconds, n)
   select id, bucket, date_trunc('minute', now()) - back * interval '1 minute', 60, 1
   from account, unnest(array['rpm', 'rpm:test/usual', 'tpm']) bucket, generate_series(0, 1) back`,
];
