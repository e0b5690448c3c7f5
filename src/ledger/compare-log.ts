// Compares the log of charges (charge-log.ts) with the ledger: what the ledger lost, what it has otherwise, and what the log has not.
import type { Db, Queries } from "../db/connect.ts";
import { inTransaction } from "../db/connect.ts";
import { type Amount, usdText } from "../money.ts";
import type { Charge } from "./charge-log.ts";
import { correct, type CorrectionRefusal } from "./post.ts";

export interface Difference {
  accountId: bigint;
  id: string;
  requestId: string;
  at: Date;
  /** As the log has it; where the log has not, as the ledger has it. */
  amount: Amount;
}

interface LogComparison {
  /** Lines, each charge once. */
  logged: number;
  /** Settled lines whose charge the ledger has. */
  matched: number;
  /** In the log and in no entry. */
  lost: Difference[];
  /** The same of charges that were never settled, as far as their process knew. */
  unsettled: Difference[];
  /** Of media jobs that are open in this ledger: they are followed to their end, which charges them. */
  goingOn: Difference[];
  /** Of accounts that the database does not know. */
  unknown: Difference[];
  /** With another amount in the ledger. */
  different: (Difference & { posted: Amount })[];
  /** In the ledger between the first and the last settled line of the log, and not in the log. At most listMax. */
  unlogged: Difference[];
}

const listMax = 1_000;
const pageSize = 2_000;

/** A charge that was lost is found as what posted it: an entry with its id, of one of these kinds. */
const kinds = ["usage", "adjustment", "earned_adjustment"];

export function compareLog(db: Db, charges: AsyncIterable<Charge>): Promise<LogComparison> {
  return inTransaction(db, async ({ pool }) => {
    await pool.query("create temporary table logged (account_id bigint, id uuid, request_id text, at timestamptz, amount bigint, unsettled boolean, primary key (account_id, id)) on commit drop"); // prettier-ignore
    for await (const page of pagesOf(charges)) await pool.query(insertSql, columnsOf(page));
    const read = async (sql: string, values: unknown[] = []) => (await pool.query<Row>(sql, values)).rows.map(differenceOf);
    const { rows } = await pool.query<{ logged: number; matched: number }>(countSql);
    return {
      ...rows[0]!,
      lost: await read(`${missingSql} and ${isKnown} and not ${goesOn} and not unsettled order by at, id`, [kinds]),
      unsettled: await read(`${missingSql} and ${isKnown} and not ${goesOn} and unsettled order by at, id`, [kinds]),
      goingOn: await read(`${missingSql} and ${goesOn} order by at, id`, [kinds]),
      unknown: await read(`${missingSql} and not ${isKnown} order by at, id`, [kinds]),
      different: (await pool.query<Row & { posted: Amount }>(differentSql)).rows.map((row) => ({
        ...differenceOf(row),
        posted: row.posted,
      })),
      unlogged: await read(unloggedSql, [listMax]),
    };
  });
}

interface Row {
  account_id: bigint;
  id: string;
  request_id: string;
  at: Date;
  amount: Amount;
}

const insertSql = `insert into logged select * from unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::bigint[], $6::boolean[])
  on conflict do nothing`;
const countSql = `select count(*)::float8 as logged, count(*) filter (where not unsettled and exists (
    select from ledger_entry e where e.account_id = l.account_id and e.id = l.id and e.kind = 'usage'))::float8 as matched from logged l`;
const isKnown = "exists (select from account a where a.id = l.account_id)";
const goesOn = "exists (select from media_job j where j.id = l.id and j.account_id = l.account_id and j.completed_at is null)";
const missingSql = `select l.account_id, l.id, l.request_id, l.at, l.amount from logged l
  where not exists (select from ledger_entry e where e.account_id = l.account_id and e.id = l.id and e.kind = any($1))`;
const differentSql = `select l.account_id, l.id, l.request_id, l.at, l.amount, -e.amount as posted from logged l
  join ledger_entry e on e.account_id = l.account_id and e.id = l.id and e.kind = 'usage' where -e.amount <> l.amount order by l.at, l.id`;
const unloggedSql = `select u.account_id, u.id, u.request_id, u.created_at as at, u.cost as amount from usage_log u
  where u.created_at between (select min(at) from logged where not unsettled) and (select max(at) from logged where not unsettled) and u.cost > 0
    and not exists (select from logged l where l.account_id = u.account_id and l.id = u.id) order by at, id limit $1`;

async function* pagesOf(charges: AsyncIterable<Charge>): AsyncGenerator<Charge[]> {
  let page: Charge[] = [];
  for await (const charge of charges) {
    page.push(charge);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function columnsOf(page: readonly Charge[]): unknown[] {
  return [
    page.map(({ accountId }) => accountId),
    page.map(({ id }) => id),
    page.map(({ requestId }) => requestId),
    page.map(({ at }) => at),
    page.map(({ amount }) => amount),
    page.map(({ unsettled = false }) => unsettled),
  ];
}

function differenceOf({ account_id, id, request_id, at, amount }: Row): Difference {
  return { accountId: account_id, id, requestId: request_id, at, amount };
}

/**
 * Posts a lost charge as a correction with the charge's own id, so once however often it is sent. Of purchased money; where that was never so
 * much, of earned money. Returns why it was refused, `charged`: its settlement came through after all; null: it is posted. Within a transaction.
 */
export async function postLost(db: Queries, lost: Difference, at: Date): Promise<CorrectionRefusal | "charged" | null> {
  const { accountId, id, amount } = lost;
  // A settlement that hung in its commit has the lock until it can be seen.
  await db.pool.query("select from balance where account_id = $1 for no key update", [accountId]);
  const { rowCount } = await db.pool.query("select from ledger_entry where account_id = $1 and id = $2 and kind = 'usage'", [
    accountId,
    id,
  ]);
  if (rowCount !== 0) return "charged";
  const reason = `a call of ${lost.at.toISOString()} for ${usdText(amount)} USD, posted from the log of charges`;
  const correction = { accountId, amount: -amount, ref: "charge-log", reason, corrects: null, at };
  const posted = await correct(db, { ...correction, kind: "adjustment" }, id);
  if (posted.refused !== "total") return posted.refused;
  return (await correct(db, { ...correction, kind: "earned_adjustment" }, id)).refused;
}
