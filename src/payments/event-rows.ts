// The rows of the payment provider's events: those that were applied, those that could not be, and what refunds and disputes say of a payment.
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";
import type { Topup } from "./topups.ts";
import type { PaymentEvent } from "./types.ts";

/** False: the event was recorded before, together with its effect. */
export async function recordEvent(transaction: Queries, { id, type }: Named, topupId: string | null, at: Date): Promise<boolean> {
  const { rowCount } = await transaction.pool.query(
    "insert into payment_event (id, type, topup_id, received_at) values ($1, $2, $3, $4) on conflict (id) do nothing",
    [id, type, topupId, at],
  );
  await transaction.pool.query("delete from unapplied_event where id = $1", [id]);
  return rowCount === 1;
}

type Named = Pick<PaymentEvent, "id" | "type">;

export async function recordUnapplied(
  { pool }: Queries,
  { id, type, about, said }: PaymentEvent,
  { topupId, reason, at }: { topupId: string | null; reason: string; at: Date },
): Promise<void> {
  await pool.query(
    `insert into unapplied_event (id, type, about, said, topup_id, reason, first_at, last_at)
       select $1, $2, $3, $4, $5, $6, $7, $7
       where not exists (select 1 from payment_event e where e.id = $1)
     on conflict (id) do update set last_at = excluded.last_at, times = unapplied_event.times + 1, reason = excluded.reason`,
    [id, type, about, said, topupId, reason, at],
  );
}

interface UnappliedEvent {
  id: string;
  type: string;
  about: string;
  said: string;
  topupId: string | null;
  accountId: bigint | null;
  reason: string;
  firstAt: Date;
  lastAt: Date;
  times: number;
}

/** Newest first. */
export async function listUnapplied({ pool }: Queries, limit: number): Promise<UnappliedEvent[]> {
  const { rows } = await pool.query<UnappliedEvent>(
    `select u.id, u.type, about, said, topup_id as "topupId", t.account_id as "accountId", reason, first_at as "firstAt", last_at as "lastAt", times
     from unapplied_event u left join topup t on t.id = u.topup_id order by first_at desc, u.id limit $1`,
    [limit],
  );
  return rows;
}

/** From then on the event counts as seen, and has no effect. False: no such event waits. */
export async function dismissUnapplied({ pool }: Queries, id: string, at: Date): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with gone as (delete from unapplied_event where id = $1 returning id, type, topup_id)
     insert into payment_event (id, type, topup_id, received_at) select id, type, topup_id, $2 from gone on conflict (id) do nothing`,
    [id, at],
  );
  return rowCount === 1;
}

/** What an event adds to what is known of a refund or a dispute. Whatever the order of events, the same comes out. */
interface Reversal {
  /** The provider's id of the charge or the dispute. */
  id: string;
  /** As much of the credit as it concerns. */
  amount: Amount;
  withdrawn: boolean;
  reinstated: boolean;
  closed: boolean;
}

export async function noteReversal({ pool }: Queries, topupId: string, reversal: Reversal): Promise<{ closed: boolean }> {
  const { id, amount, withdrawn, reinstated, closed } = reversal;
  const { rows } = await pool.query<{ closed: boolean }>(
    `insert into payment_reversal as r (id, topup_id, amount, withdrawn, reinstated, closed) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set amount = greatest(r.amount, excluded.amount), withdrawn = r.withdrawn or excluded.withdrawn,
       reinstated = r.reinstated or excluded.reinstated, closed = r.closed or excluded.closed
     returning closed`,
    [id, topupId, amount, withdrawn, reinstated, closed],
  );
  return rows[0]!;
}

/** The deposit of a paid top-up, and what of it is still to be taken back; below 0: to be returned. */
export async function readDue({ pool }: Queries, { id, accountId, amount }: Topup): Promise<{ deposit: bigint; due: Amount }> {
  const { rows } = await pool.query<{ deposit: bigint; due: Amount }>(
    `select d.seq as deposit, least($3::bigint, (
         select coalesce(sum(r.amount), 0) from payment_reversal r where r.topup_id = $2 and r.withdrawn and not r.reinstated
       ))::bigint + (
         select coalesce(sum(e.amount), 0) from ledger_entry e
         where e.account_id = $1 and e.seq > d.seq and e.corrects = d.seq and e.kind in ('payment_refund', 'dispute')
       )::bigint as due
     from ledger_entry d where d.account_id = $1 and d.id = $2 and d.kind = 'deposit'`,
    [accountId, id, amount],
  );
  return rows[0]!;
}
