// Fills a temporary database for pages.ts as it looks after 13 months, set by set past the triggers, and indexes what is large afterwards. Accounts
// are busy by Zipf's law: the n-th busiest of a million makes 1/n of the first's sessions, so that the first has a twentieth of all, some thousands
// half, and nine of ten none. A session is 20 calls in ten minutes; twice as many a day are made at the end as at the beginning.
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Db } from "../../src/db/connect.ts";
import { ensurePartitions } from "../../src/db/partitions.ts";
import { makeMonths } from "../support/log-months.ts";

export interface Size {
  accounts: number;
  /** Of the log. */
  rows: number;
}

/** Makes the most calls, is an operator, and asks. */
export const busy = 1n;
export const operator = "operator@example.com";
const months = 13;
const days = 395;
const callsOfSession = 20;
const sessionMs = 10 * 60_000;
/** Of the busiest accounts, this many have five keys and not one. */
const manyKeys = 1_000;

/** Without triggers and foreign keys, and with memory for sorting and indexes. */
const settings = [
  "session_replication_role = replica",
  "synchronous_commit = off",
  "work_mem = '512MB'",
  "maintenance_work_mem = '1GB'",
  "max_parallel_maintenance_workers = 1",
];

/** Two connections take one statement after the other. */
export async function inLanes(db: Db, statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  const lane = async () => {
    const client = await db.pool.connect();
    try {
      for (const setting of settings) await client.query(`set ${setting}`);
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await client.query(next);
    } finally {
      client.release(true);
    }
  };
  await Promise.all([lane(), lane()]);
}

export async function fill(db: Db, size: Size, timed: (what: string, work: () => Promise<unknown>) => Promise<void>): Promise<void> {
  await makeMonths(db, months);
  await ensurePartitions(db);
  await timed(`${size.accounts} accounts with a key each`, () => inLanes(db, accountStatements(size)));
  await timed(`${size.rows} rows of the log`, () => indexedAfter(db, "usage_log", () => inLanes(db, logStatements(size))));
  await timed("their entries in the ledger", () => indexedAfter(db, "ledger_entry", () => inLanes(db, [entriesOf(size)])));
  await timed("balances, budgets and the rest", () => inLanes(db, otherStatements(size)));
  await timed("statistics", () => inLanes(db, ["vacuum analyze usage_log", "vacuum analyze ledger_entry"]));
}

/** Its indexes are made when it is full, and nothing of it is written ahead. */
async function indexedAfter({ pool, ...db }: Db, table: string, work: () => Promise<void>): Promise<void> {
  const { rows: parts } = await pool.query<{ name: string }>(
    "select relid::text as name from pg_partition_tree($1::regclass) where isleaf",
    [table],
  );
  const { rows: indexes } = await pool.query<{ drop: string; make: string }>(
    `select case when c.oid is null then 'drop index ' || indexrelid::regclass else format('alter table %s drop constraint %I', indrelid::regclass, conname) end as drop,
       case when c.oid is null then replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
         else format('alter table %s add constraint %I %s', indrelid::regclass, conname, pg_get_constraintdef(c.oid)) end as make
     from pg_index left join pg_constraint c on c.conindid = indexrelid and c.contype in ('p', 'u')
     where indrelid = $1::regclass order by c.oid is null`,
    [table],
  );
  for (const { drop } of indexes) await pool.query(drop);
  for (const { name } of parts) await pool.query(`alter table ${name} set unlogged`);
  await work();
  const makes = indexes.map(({ make }) => make);
  // A constraint wants the table for itself; two indexes may be made at once.
  for (const make of makes.filter((text) => text.startsWith("alter"))) await inLanes({ pool, ...db }, [make]);
  await inLanes(
    { pool, ...db },
    makes.filter((text) => !text.startsWith("alter")),
  );
}

/** From 0 to 1, the same for the same session. */
const chance = (seed: number, of = "s") => `((hashint8extended(${of}, ${seed}) & 9223372036854775807) / 9223372036854775807.0::float8)`;

/** Scatters the busiest accounts over all; the first stays. In SQL and here. */
export const accountAt = (place: number, accounts: number): bigint => BigInt(1 + (((place - 1) * 617309) % accounts));
const accountOf = (place: string, accounts: number) => `1 + ((${place} - 1) * 617309) % ${accounts}`;

/** A part of all the time. */
const ago = (part: string) => `now() - (1 - ${part}) * interval '${days} days'`;

/** Of what is not a call, every twentieth is of the account that asks. */
const someones = (n: string, accounts: number) => `case when ${n} % 20 = 0 then ${busy} else 1 + ${n} * 7919 % ${accounts} end`;

function accountStatements({ accounts, rows }: Size): string[] {
  const jobs = Math.ceil(rows / 50);
  const more = Math.min(manyKeys, accounts);
  return [
    `insert into account (id, email, email_norm, email_verified_at, suspended_at, created_at) overriding system value
     select n, mail, mail, at, case when n % 50000 = 7 then now() end, at from generate_series(1, ${accounts}) n,
       lateral (select now() - (1 - n::float8 / ${accounts}) * interval '${days} days' as at,
         case when n = 1 then '${operator}' else 'person-' || n || '@' || (array['example.com', 'mail.example.org', 'firm-' || n % 5000 || '.example'])[1 + n % 3] end as mail) m`,
    `insert into api_key (id, account_id, hash, prefix, last4, name, is_default, created_by, created_at) overriding system value
     select id, account, sha256(id::text::bytea), 'svc_' || right('000' || to_hex(id), 4), right('000' || id, 4), 'Key', id = account, account, now() - interval '${days} days'
     from (select n as id, n as account from generate_series(1, ${accounts}) n
       union all select ${accounts} + (place - 1) * 4 + k, ${accountOf("place", accounts)} from generate_series(1, ${more}) place, generate_series(1, 4) k) keys`,
    `insert into media_job (id, account_id, key_id, api, kind, shown_id, status, request_id, operation, http_status, model, prices, secret, estimated, charged,
       refunded, output, error_code, error_message, route, created_at, started_at, completed_at)
     select id, account, account, case when n % 100 = 20 then 'genmedia' else 'image' end, 'image', case when n % 100 = 20 then 'gm_' else 'job_' end || translate(id::text, '-', ''), case when failed then 'failed' else 'succeeded' end, 'req_job' || n, 'createImage', 202,
       'maker/picture-' || n % 7, '{}', 'secret', 4000, case when not failed then 4000 end, case when failed then 4000 else 0 end,
       case when not failed then '{"files": []}'::jsonb end, case when failed then 'provider_error' end, case when failed then 'It failed.' end, 'pictures/one', at, at, at
     from (select n, ${someones("n", accounts)} as account, n % 40 = 3 as failed, ${ago(`n / ${jobs}.0`)} as at, uuidv7(${ago(`n / ${jobs}.0`)} - now()) as id from generate_series(1, ${jobs}) n) j`,
    `select setval(pg_get_serial_sequence('account', 'id'), ${accounts})`,
    `select setval(pg_get_serial_sequence('api_key', 'id'), ${accounts + more * 4})`,
  ];
}

/** Each month by itself, so that two connections fill different ones in the order of time. */
function logStatements(size: Size): string[] {
  const sessions = Math.ceil(size.rows / callsOfSession);
  const end = Date.now() - sessionMs;
  const sessionAt = (time: number) => {
    const part = Math.min(1, Math.max(0, 1 - (end - time) / (days * 86_400_000)));
    return Math.round((sessions * (part + part ** 2 / 2)) / 1.5);
  };
  const starts = Array.from({ length: months + 2 }, (_, back) =>
    Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - back + 1),
  );
  return starts.slice(1).map((start, back) => rowsOf(size, { from: sessionAt(start), to: sessionAt(starts[back]!), sessions, end }));
}

interface Sessions {
  from: number;
  to: number;
  /** Of all months. */
  sessions: number;
  /** When the last one starts. */
  end: number;
}

function rowsOf(size: Size, { from, to, sessions, end }: Sessions): string {
  const { models, routes } = sold();
  const listed = (texts: readonly string[]) => `array[${texts.map((text) => `'${text}'`).join(", ")}]`;
  const attempt = (route: string, outcome: string, cost: string) =>
    `format('{"route":"%s","model":"%s","outcome":"${outcome}","status":%s,"latency_ms":%s,"cost":"%s","cost_basis":{"input":0.15,"output":0.6,"cached":null,"per_request":0}}', ${route}, model, case when '${outcome}' = 'ok' then 200 else 503 end, ms, ${cost})`;
  return `
    insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, status, http_status, error_code, input_tokens,
      cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices, attempts, stream, fallback_layer, latency_ms,
      first_byte_ms, expense, tags)
    select account, at, uuidv7(at - clock_timestamp()), 'req_' || n, case when place <= ${manyKeys} and which > 0 then ${size.accounts} + (place - 1) * 4 + which else account end,
      operation, model, case when operation = 'createEmbeddings' then 'embedding' else 'language' end,
      case when failed then 'failed' else 'success' end, case when failed then 503 else 200 end, case when failed then 'upstream_unavailable' end,
      (200 * exp(3 * chance))::int, (n % 4) * 100, 0, (20 * exp(3 * chance))::int, 0, false, cost, 90000, prices,
      ('[' || case when failed then ${attempt("route", "upstream_error", "0")}
        when n % 33 = 0 then ${attempt("other", "upstream_error", "0")} || ',' || ${attempt("route", "ok", "cost * 7 / 10")}
        else ${attempt("route", "ok", "cost * 7 / 10")} end || ']')::jsonb,
      n % 3 > 0, case when n % 33 = 0 then 1 end, ms, ms / 4, case when failed then 0 else cost * 7 / 10 end, tags
    from (
      select *, place_account as account, date_trunc('milliseconds', started + k * interval '29 seconds' + chance * interval '20 seconds') as at,
        n % 50 = 0 as failed, case when n % 50 = 0 then 0 else (100 * exp(6 * chance))::int end as cost, (200 * exp(3 * chance))::int as ms
      from (
        select s * ${callsOfSession} + k as n, k, random() as chance, session.* from generate_series(${from}::bigint, ${to - 1}::bigint) s
        cross join lateral (
          select started, place, ${accountOf("place", size.accounts)} as place_account, which, tags,
            case when ${chance(3)} < 0.03 then 'createEmbeddings' when ${chance(3)} < 0.3 then 'createMessage' else 'createChatCompletion' end as operation,
            (${listed(models)})[m] as model, (${listed(routes)})[m] as route, (${listed(routes)})[1 + m % ${models.length}] as other,
            format('{"model":"%s","input":"200","output":"800","cached":null,"per_request":"0"}', (${listed(models)})[m])::jsonb as prices
          from (
            select to_timestamp(${end} / 1000.0) - (2 - sqrt(1 + 3 * s::float8 / ${sessions})) * interval '${days} days' as started,
              least(${size.accounts}, exp(ln(${size.accounts + 1}) * ${chance(1)})::bigint) as place, (${chance(2)} * 5)::int % 5 as which,
              case when ${chance(4)} < 0.1 then jsonb_build_object('project', 'p-' || (${chance(5)} * 50)::int) end as tags
          ) drawn
          cross join lateral (select 1 + (place + (${chance(6)} ^ 2 * 4)::int)::int % ${models.length} as m) model
        ) session
        cross join generate_series(0, ${callsOfSession - 1}) k
      ) call
    ) shown order by at`;
}

/** The shipped catalog's models that answer in text, and the first route of each. */
function sold() {
  const path = new URL("../../src/catalog/default.yaml", import.meta.url).pathname;
  const { catalog } = loadCatalog({ path, environment: {}, simulatorUrl: "http://127.0.0.1:1" });
  const language = [...catalog.models.values()].filter(({ type, routes }) => type === "language" && routes.length > 0).slice(0, 12);
  return { models: language.map(({ id }) => id), routes: language.map(({ routes: [first] }) => `${first!.provider.id}/${first!.model}`) };
}

/** A deposit, a charge for each call, and a refund of one in 5,000, a hold of each job; the chain's hashes are no hashes of anything. In the order of time, as in life. */
const entriesOf = ({ accounts }: Size) => `
  insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
  select account_id, at, id, kind, amount, ref, key_id, row_number() over w, sum(amount) over w, sha256(uuid_send(id)) from (
    select account_id, created_at as at, id, 'usage' as kind, -cost as amount, request_id as ref, key_id from usage_log where cost > 0
    union all
    select account_id, created_at + interval '5 minutes', id, 'refund', cost, request_id, key_id from usage_log where cost > 0 and substr(request_id, 5)::bigint % 5000 = 7
    union all
    select account_id, created_at, id, moved, case moved when 'hold' then -estimated else estimated end, shown_id, key_id from media_job, unnest(array['hold', 'hold_settle']) moved
    union all
    select n, now() - interval '${days + 5} days', gen_random_uuid(), 'deposit', 1000000000, 'bench', null from generate_series(1, ${accounts}) n
  ) entry window w as (partition by account_id order by at, id, kind) order by at`;

/** What is neither a call nor its money: some of each kind, many for the account that asks. */
function otherStatements({ accounts }: Size): string[] {
  const [actions, some] = [accounts / 5, accounts / 10].map(Math.ceil) as [number, number];
  const ours = (n: string) => someones(n, accounts);
  return [
    `insert into balance (account_id, available, purchased, spent) select account_id, sum(amount), 1000000000, 1000000000 - sum(amount) from ledger_entry group by 1`,
    `insert into key_budget (account_id, key_id, spent) select k.account_id, k.id, coalesce(u.spent, 0) from api_key k
     left join (select key_id, sum(cost) as spent from usage_log group by 1) u on u.key_id = k.id`,
    `insert into operator_action (at, who, account_id, role, address, session, action, target, reason, before, after, request_id)
     select ${ago(`n / ${actions}.0`)}, 'operator-' || n % 20 || '@example.com', 2 + n % 20, 'admin', '203.0.113.7', 'ses_1', action, 'acc_' || 1 + n * 7919 % ${accounts}, 'asked for', '{"a": 1}', '{"a": 2}', 'req_op' || n
     from generate_series(1, ${actions}) n, lateral (select case when n % 20000 = 11 then 'operator.remove' else (array['account.credit', 'account.tier', 'call.refund'])[1 + n % 3] end as action) a`,
    `insert into session (hash, account_id, created_at, last_used_at, expires_at) select sha256(('s' || n)::bytea), ${ours("n")}, now(), now(), now() + interval '20 days' from generate_series(1, ${some}) n`,
    `insert into notice (account_id, id, event, cause, data, created_at, planned_at) select ${ours("n")}, md5('n' || n)::uuid, 'low_balance', 'bench ' || n, '{"balance_usd": 1, "threshold_usd": 2}', ${ago(`n / ${some}.0`)}, now() from generate_series(1, ${some}) n`,
    `insert into webhook_endpoint (account_id, id, url, secret, created_at) values (${busy}, md5('hook')::uuid, 'https://example.com/hook', 'sealed', now())`,
    `insert into notice_delivery (account_id, id, notice_id, endpoint_id, state, created_at) select account_id, id, id, md5('hook')::uuid, 'delivered', created_at from notice where account_id = ${busy}`,
    `insert into voucher_batch (amount, count, created_at, created_by, once_per_account) select 100000000, 1000, now(), '${operator}', false from generate_series(1, ${Math.ceil(some / 1000)})`,
    `insert into voucher (id, batch_id, hash, account_id, redeemed_at) select gen_random_uuid(), 1 + n / 1000, sha256(('v' || n)::bytea), case when n % 3 = 0 then ${ours("n")} end, case when n % 3 = 0 then now() end from generate_series(0, ${some - 1}) n`,
    `insert into topup (id, account_id, amount, status, created_at, completed_at) select md5('t' || n)::uuid, ${ours("n")}, 1000000000, 'succeeded', ${ago(`n / ${some}.0`)}, now() from generate_series(1, ${some}) n`,
    `insert into credit_grant (account_id, id, seq, amount, expires_at, created_at, counted_seq) select ${busy}, gen_random_uuid(), n, 1, now() + interval '1 day', now(), n from generate_series(1, 200) n`,
    `insert into member (account_id, person_id, role, created_at) select ${busy}, n, 'viewer', now() from generate_series(2, ${Math.min(1000, accounts)}) n
     union all select n, ${busy}, 'admin', now() from generate_series(2, 100) n`,
    `insert into invitation (id, account_id, email, email_norm, role, hash, invited_by, created_at, sent_at, expires_at) select gen_random_uuid(), ${busy}, 'guest-' || n || '@example.com', 'guest-' || n || '@example.com', 'viewer', sha256(('i' || n)::bytea), ${busy}, now(), now(), now() + interval '7 days' from generate_series(1, 100) n`,
    `insert into workspace_domain (id, account_id, domain, role, token, created_at) select gen_random_uuid(), ${busy}, 'firm-' || n || '.example', 'viewer', 'token', now() from generate_series(1, 10) n`,
    `insert into stored_file (id, account_id, purpose, filename, bytes, created_at, expires_at, is_stored) select md5('f' || n)::uuid, ${busy}, 'batch', 'in.jsonl', 100, ${ago(`n / ${some}.0`)}, now() + interval '30 days', true from generate_series(1, ${some}) n`,
    `insert into batch (id, account_id, key_id, endpoint, input_file_id, status, created_at, expires_at, ended_at, total, completed) select md5('b' || n)::uuid, ${busy}, ${busy}, '/v1/chat/completions', md5('f' || n)::uuid, 'completed', ${ago(`n / ${some}.0`)}, now(), now(), 100, 100 from generate_series(1, ${some}) n`,
    `insert into voice (voice_id, account_id, provider, model, name, call_id, cost, created_at) select 'voice-' || n, ${ours("n")}, 'sim', 'sim/voice', 'Voice', gen_random_uuid(), 1, now() from generate_series(1, ${some}) n`,
    `insert into price_change (model, at, price_before, price_after) select 'maker/model-' || n % 50, ${ago("n / 2000.0")}, '{"a": 1}', '{"a": 2}' from generate_series(1, 2000) n`,
  ];
}

/** The sums up to yesterday, a month at a time; those since then are left to the minute's task. */
export async function addSums(db: Db): Promise<void> {
  const { rows } = await db.pool.query<{ days: string[] }>(
    `select array(select d::text from generate_series(date_trunc('month', now()) - interval '${months} months', date_trunc('day', now()) - interval '1 day', interval '1 month') d)
       || (date_trunc('day', now()) - interval '1 day')::text as days`,
  );
  const [first, ...rest] = rows[0]!.days as [string, ...string[]];
  for (const table of ["usage_rollup", "usage_tagged"]) await db.pool.query(`alter table ${table} set unlogged`);
  await inLanes(db, rest.map((until, index) => `select usage_add('${[first, ...rest][index]}', '${until}')`)); // prettier-ignore
  await db.pool.query(
    "update usage_rollup_state set closed_until = $1, safe_until = $1, whole_since = '-infinity', routes_since = '-infinity'",
    [rest.at(-1)],
  );
}
