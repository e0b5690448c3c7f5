// The rows of top-ups. Every change of a status names the previous status.
import { lockAccountRow } from "../accounts/users.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";
import type { Payer } from "./types.ts";

export type TopupStatus = "pending" | "succeeded" | "failed" | "expired";

export interface Topup {
  /** UUID. */
  id: string;
  accountId: bigint;
  amount: Amount;
  status: TopupStatus;
  checkoutUrl: string | null;
  /** What the payer paid, tax included; null: not paid, or exactly the amount. */
  paid: Amount | null;
  /** Within what was paid; null: nothing is known of it. */
  tax: Amount | null;
  taxCountry: string | null;
  taxId: string | null;
  /** Made by the gateway, which charges a saved card. */
  automatic: boolean;
  createdAt: Date;
  completedAt: Date | null;
}

const columns = `id, account_id as "accountId", amount, status, checkout_url as "checkoutUrl", paid, tax, tax_country as "taxCountry", tax_id as "taxId",
  automatic, created_at as "createdAt", completed_at as "completedAt"`;

/** A process that died before the provider answered leaves a row that can't be paid; it makes room after this. */
const abandonedAfter = "1 hour";
/** No checkout stays open this long. A top-up whose event never came makes room as well; a late payment is credited all the same. */
const overAfter = "2 days";

/** Undefined: the account has `pendingMax` of them that wait for payment. */
export async function insertTopup(
  db: Db,
  { id, accountId, amount, at, pendingMax }: { id: string; accountId: bigint; amount: Amount; at: Date; pendingMax: number },
): Promise<Topup | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, accountId); // one at a time, so that the count is exact
    const { pool } = transaction;
    await pool.query(
      `update topup set status = 'expired', completed_at = $2
       where account_id = $1 and status = 'pending' and not automatic
         and created_at < $2::timestamptz - case when checkout_id is null then $3 else $4 end::interval`,
      [accountId, at, abandonedAfter, overAfter],
    );
    const { rows } = await pool.query<Topup>(
      `insert into topup (id, account_id, amount, status, created_at) select $1, $2, $3, 'pending', $4
       where (select count(*) from topup where account_id = $2 and status = 'pending') < $5 returning ${columns}`,
      [id, accountId, amount, at, pendingMax],
    );
    return rows[0];
  });
}

/** Whatever the status: the payment may have come before the answer that opened its checkout. */
export async function setCheckout(db: Queries, id: string, checkout: { id: string; url: string }): Promise<Topup> {
  const { rows } = await db.pool.query<Topup>(`update topup set checkout_id = $2, checkout_url = $3 where id = $1 returning ${columns}`, [
    id,
    checkout.id,
    checkout.url,
  ]);
  return rows[0] as Topup;
}

export async function findTopup(db: Queries, accountId: bigint, id: string): Promise<Topup | undefined> {
  const { rows } = await db.pool.query<Topup>(`select ${columns} from topup where account_id = $1 and id = $2`, [accountId, id]);
  return rows[0];
}

/** By its id, else by the provider's id of its payment. Until the transaction ends no other event can move it. */
export async function lockTopup(transaction: Queries, id: string | undefined, paymentId: string | null): Promise<Topup | undefined> {
  const { rows } = await transaction.pool.query<Topup>(
    `select ${columns} from topup where ${id === undefined ? "payment_id" : "id"} = $1 for update`,
    [id ?? paymentId],
  );
  return rows[0];
}

/** Without a payer nothing is known of tax. */
export async function setPayment(
  { pool }: Queries,
  id: string,
  { paymentId, paid, payer }: { paymentId: string | null; paid: { total: Amount; credit: Amount }; payer?: Payer | undefined },
): Promise<void> {
  const tax = payer === undefined && paid.total === paid.credit ? null : paid.total - paid.credit;
  await pool.query("update topup set payment_id = $2, paid = $3, tax = $4, tax_country = $5, tax_id = $6 where id = $1", [
    ...[id, paymentId, paid.total, tax],
    ...[payer?.country ?? null, payer?.taxId ?? null],
  ]);
}

export async function setStatus(
  db: Queries,
  { id, from, to, at }: { id: string; from: TopupStatus; to: TopupStatus; at: Date },
): Promise<void> {
  await db.pool.query("update topup set status = $3, completed_at = $4 where id = $1 and status = $2", [id, from, to, at]);
}
