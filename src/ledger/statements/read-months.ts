// The months of an account's ledger and what each kind of entry adds up to in them. An entry is of the month of its time or of a later one: its
// month is the latest of all entries up to it, in the order of the ledger, and never one that is closed. So each month follows the one before it,
// opens with what that one closed with, and is final once it is closed.
import { type Db, inTransaction, type Queries } from "../../db/connect.ts";
import type { Amount } from "../../money.ts";

/** Of the ledger's entries by kind; signed, so that opening and all of them make closing. */
interface MonthSums {
  topups: Amount;
  grants: Amount;
  charges: Amount;
  /** Of media jobs: what was held less what was given back. */
  holds: Amount;
  refunds: Amount;
  adjustments: Amount;
  /** Given back to payers, and taken back by their banks. */
  paymentRefunds: Amount;
}

export interface Month extends MonthSums {
  /** `2026-11`. */
  month: string;
  /** Closed: it changes no more. */
  final: boolean;
  /** Of the last entry before it, and of its last. */
  afterSeq: bigint;
  lastSeq: bigint;
  entries: bigint;
  opening: Amount;
  closing: Amount;
}

/** A month is closed so long after its end: by then whatever was under way has been posted. */
const closedAfterMs = 24 * 60 * 60 * 1000;

const sumOf = (...kinds: string[]) =>
  `coalesce(sum(amount) filter (where kind in (${kinds.map((kind) => `'${kind}'`).join(", ")})), 0)::bigint`;

const sums = `${sumOf("deposit")} as topups, ${sumOf("signup_credit", "bonus")} as grants, ${sumOf("usage")} as charges,
  ${sumOf("hold", "hold_settle", "hold_release")} as holds, ${sumOf("refund")} as refunds,
  ${sumOf("adjustment", "earned_adjustment")} as adjustments, ${sumOf("payment_refund", "dispute")} as "paymentRefunds"`;

type Sums = Omit<Month, "final" | "afterSeq" | "opening" | "closing">;

/** Months are closed by at most so many entries at a time, each time for good: a large account's first statement has all its years to close. */
const closedAtOnce = 50_000;

/** From the first entry's month to the current one, the oldest first; empty without entries. Closes the months that are over. */
export async function readMonths(db: Db, accountId: bigint, at: Date, { atOnce = closedAtOnce } = {}): Promise<Month[]> {
  const due = lastClosed(at);
  for (let most = atOnce; await isOneDue(db, accountId, due);) {
    const entries = most;
    const closed = await inTransaction(db, (transaction) => closeSome(transaction, accountId, { at, due, entries }));
    most = closed === 0 ? most * 2 : atOnce; // a month of more entries
  }
  return readAll(db, accountId, at);
}

async function isOneDue({ pool }: Queries, accountId: bigint, due: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from ledger_entry where account_id = $1 and seq = 1 and date_trunc('month', created_at at time zone 'UTC') <= ($2 || '-01')::date
       and not exists (select from closed_month where account_id = $1 and month >= ($2 || '-01')::date)`,
    [accountId, due],
  );
  return rowCount === 1;
}

/** Of the months that are due, those that end within so many entries after the last closed one. Returns how many. */
async function closeSome(
  transaction: Queries,
  accountId: bigint,
  { at, due, entries }: { at: Date; due: string; entries: number },
): Promise<number> {
  // One at a time: a month that two computed at different moments could differ by an entry.
  await transaction.pool.query("select 1 from account where id = $1 for no key update", [accountId]);
  const open = await readOpen(transaction, accountId, entries);
  const isCut = open.rows.reduce((sum, row) => sum + row.entries, 0n) >= BigInt(entries);
  const whole = open.rows.slice(0, isCut ? -1 : undefined);
  const before = isCut ? open.rows.at(-1)!.month : null;
  const months = (await chainedWith(transaction, accountId, { ...open, rows: whole }, at)).filter(
    ({ final, month }) => !final && month <= due && (before === null || month < before),
  );
  await close(transaction, accountId, months);
  return months.length;
}

async function readAll(db: Queries, accountId: bigint, at: Date): Promise<Month[]> {
  return chainedWith(db, accountId, await readOpen(db, accountId), at);
}

/** The months after the last closed one that have entries. */
interface Open {
  closedUntil: string | null;
  rows: Sums[];
}

async function chainedWith(db: Queries, accountId: bigint, open: Open, at: Date): Promise<Month[]> {
  const { rows } = await db.pool.query<Sums>(
    `select to_char(month, 'YYYY-MM') as month, last_seq as "lastSeq", entries, topups, grants, charges, holds, refunds, adjustments,
       payment_refunds as "paymentRefunds"
     from closed_month where account_id = $1 and month <= ($2 || '-01')::date order by month`,
    [accountId, open.closedUntil ?? "0001-01"],
  );
  return chained([...rows.map((row) => ({ ...row, final: true })), ...open.rows.map((row) => ({ ...row, final: false }))], monthOf(at));
}

/** In one snapshot with the last closed month. `most`: of so many entries, which have their numbers without a gap. */
async function readOpen({ pool }: Queries, accountId: bigint, most: number | null = null): Promise<Open> {
  const { rows } = await pool.query<Sums & { closedUntil: string | null; month: string | null }>(
    `with closed as (select max(month) as month, coalesce(max(last_seq), 0) as last_seq from closed_month where account_id = $1),
     e as (
       select seq, kind, amount, greatest((c.month + interval '1 month')::date,
         max(date_trunc('month', created_at at time zone 'UTC')::date) over (order by seq rows unbounded preceding)) as month
       from ledger_entry, closed c where account_id = $1 and seq > c.last_seq ${most === null ? "" : "and seq <= c.last_seq + $2"}
     ), m as (
       select to_char(month, 'YYYY-MM') as month, max(seq) as "lastSeq", count(*) as entries, ${sums} from e group by e.month
     )
     select to_char(c.month, 'YYYY-MM') as "closedUntil", m.* from closed c left join m on true order by m.month`,
    [accountId, ...(most === null ? [] : [most])],
  );
  return { closedUntil: rows[0]?.closedUntil ?? null, rows: rows.filter(({ month }) => month !== null) };
}

const nothing: MonthSums & { entries: bigint } = {
  entries: 0n,
  topups: 0n,
  grants: 0n,
  charges: 0n,
  holds: 0n,
  refunds: 0n,
  adjustments: 0n,
  paymentRefunds: 0n,
};

/** With the months between that have no entries, and what each opens and closes with. */
function chained(found: (Sums & { final: boolean })[], current: string): Month[] {
  const [first, last] = [found[0]?.month, found.at(-1)?.month];
  if (first === undefined || last === undefined) return [];
  const byMonth = new Map(found.map((row) => [row.month, row]));
  const months: Month[] = [];
  let [opening, afterSeq] = [0n, 0n];
  for (let month = first; month <= (last > current ? last : current); month = nextMonth(month)) {
    const row = byMonth.get(month) ?? { ...nothing, month, lastSeq: afterSeq, final: false };
    const closing = opening + movedIn(row);
    months.push({ ...row, afterSeq, opening, closing });
    [opening, afterSeq] = [closing, row.lastSeq];
  }
  return months;
}

export function movedIn({ topups, grants, charges, holds, refunds, adjustments, paymentRefunds }: MonthSums): Amount {
  return topups + grants + charges + holds + refunds + adjustments + paymentRefunds;
}

async function close({ pool }: Queries, accountId: bigint, months: Month[]): Promise<void> {
  for (const { month, lastSeq, entries, topups, grants, charges, holds, refunds, adjustments, paymentRefunds, closing } of months) {
    await pool.query(
      `insert into closed_month (account_id, month, last_seq, entries, topups, grants, charges, holds, refunds, adjustments, payment_refunds,
         closing)
       values ($1, ($2 || '-01')::date, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [accountId, month, lastSeq, entries, topups, grants, charges, holds, refunds, adjustments, paymentRefunds, closing],
    );
  }
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

function nextMonth(month: string): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return monthOf(new Date(Date.UTC(year, number, 1)));
}

/** The last month that is over for long enough. */
function lastClosed(at: Date): string {
  const by = new Date(at.getTime() - closedAfterMs);
  return monthOf(new Date(Date.UTC(by.getUTCFullYear(), by.getUTCMonth() - 1, 1)));
}

// The payments of a month: its deposits, with the top-up that each came from.

export interface MonthPayment {
  seq: bigint;
  amount: Amount;
  ref: string;
  at: Date;
  /** UUID of the top-up; null: the operator posted it. */
  topupId: string | null;
  /** The payment provider's number of it. */
  paymentId: string | null;
  /** With tax; null: the amount. */
  paid: Amount | null;
  /** Within what was paid; null: nothing is known of it. */
  tax: Amount | null;
  taxCountry: string | null;
  taxId: string | null;
}

export async function readPayments(
  { pool }: Queries,
  accountId: bigint,
  { afterSeq, lastSeq }: Pick<Month, "afterSeq" | "lastSeq">,
  most: number,
): Promise<MonthPayment[]> {
  // `|| ''` and the kinds: by the index of entries of neither calls nor media jobs, as in entries.ts.
  const { rows } = await pool.query<MonthPayment>(
    `select e.seq, e.amount, e.ref, e.created_at as at, t.id as "topupId", t.payment_id as "paymentId", t.paid,
       t.tax, t.tax_country as "taxCountry", t.tax_id as "taxId"
     from ledger_entry e left join topup t on t.account_id = e.account_id and t.id = e.id
     where e.account_id = $1 and e.kind not in ('usage', 'hold', 'hold_settle', 'hold_release') and e.kind || '' = 'deposit' and e.seq > $2 and e.seq <= $3 order by e.seq limit $4`,
    [accountId, afterSeq, lastSeq, most],
  );
  return rows;
}
