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

/** From the first entry's month to the current one, the oldest first; empty without entries. Closes the months that are over. */
export async function readMonths(db: Db, accountId: bigint, at: Date): Promise<Month[]> {
  const months = await readAll(db, accountId, at);
  const due = lastClosed(at);
  if (!months.some(({ final, month }) => !final && month <= due)) return months;
  return inTransaction(db, async (transaction) => {
    // One at a time: a month that two computed at different moments could differ by an entry.
    await transaction.pool.query("select 1 from account where id = $1 for no key update", [accountId]);
    const found = await readAll(transaction, accountId, at);
    await close(transaction, accountId, found.filter(({ final, month }) => !final && month <= due)); // prettier-ignore
    return found.map((month) => ({ ...month, final: month.final || month.month <= due }));
  });
}

async function readAll(db: Queries, accountId: bigint, at: Date): Promise<Month[]> {
  const open = await readOpen(db, accountId);
  const { rows } = await db.pool.query<Sums>(
    `select to_char(month, 'YYYY-MM') as month, last_seq as "lastSeq", entries, topups, grants, charges, holds, refunds, adjustments,
       payment_refunds as "paymentRefunds"
     from closed_month where account_id = $1 and month <= ($2 || '-01')::date order by month`,
    [accountId, open.closedUntil ?? "0001-01"],
  );
  return chained([...rows.map((row) => ({ ...row, final: true })), ...open.rows.map((row) => ({ ...row, final: false }))], monthOf(at));
}

/** The months after the last closed one that have entries, in one snapshot with it. */
async function readOpen({ pool }: Queries, accountId: bigint): Promise<{ closedUntil: string | null; rows: Sums[] }> {
  const { rows } = await pool.query<Sums & { closedUntil: string | null; month: string | null }>(
    `with closed as (select max(month) as month, coalesce(max(last_seq), 0) as last_seq from closed_month where account_id = $1),
     e as (
       select seq, kind, amount, greatest((c.month + interval '1 month')::date,
         max(date_trunc('month', created_at at time zone 'UTC')::date) over (order by seq rows unbounded preceding)) as month
       from ledger_entry, closed c where account_id = $1 and seq > c.last_seq
     ), m as (
       select to_char(month, 'YYYY-MM') as month, max(seq) as "lastSeq", count(*) as entries, ${sums} from e group by e.month
     )
     select to_char(c.month, 'YYYY-MM') as "closedUntil", m.* from closed c left join m on true order by m.month`,
    [accountId],
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

export function monthOf(at: Date): string {
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
  { afterSeq, lastSeq }: Month,
  most: number,
): Promise<MonthPayment[]> {
  // `|| ''`: by the index of entries other than usage, as in entries.ts.
  const { rows } = await pool.query<MonthPayment>(
    `select e.seq, e.amount, e.ref, e.created_at as at, t.id as "topupId", t.payment_id as "paymentId", t.paid,
       t.tax, t.tax_country as "taxCountry", t.tax_id as "taxId"
     from ledger_entry e left join topup t on t.account_id = e.account_id and t.id = e.id
     where e.account_id = $1 and e.kind <> 'usage' and e.kind || '' = 'deposit' and e.seq > $2 and e.seq <= $3 order by e.seq limit $4`,
    [accountId, afterSeq, lastSeq, most],
  );
  return rows;
}
