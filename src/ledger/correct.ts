// Takes money back and gives it back: signed corrections of what was added, and refunds of charges. Each is one statement that decides and posts
// under the lock of the balance (src/db/functions/ledger_correct.sql, ledger_refund.sql), and posts once however often it is sent.
import type { Queries } from "../db/connect.ts";
import { uuidv7 } from "../ids.ts";
import type { Amount } from "../money.ts";
import { postPatiently } from "./post.ts";

/** The last two take back and return the credit of a payment. */
export type CorrectionKind = "adjustment" | "earned_adjustment" | "payment_refund" | "dispute";

interface Correction {
  accountId: bigint;
  kind: CorrectionKind;
  /** Not 0. */
  amount: Amount;
  ref: string;
  /** One line. */
  reason: string;
  /** The seq of the entry that it corrects; null: none. */
  corrects: bigint | null;
  at: Date;
}

/** Nothing was posted: there is no such entry; it can't be corrected; it would change its sign; the money of its kind would fall below 0. */
export type CorrectionRefusal = "entry" | "kind" | "more" | "total";

export type Corrected = { refused: CorrectionRefusal } | { refused: null; seq: bigint; balance: Amount };

export async function correct({ pool }: Queries, correction: Correction, id = uuidv7(correction.at)): Promise<Corrected> {
  const { accountId, at, kind, amount, ref, reason, corrects } = correction;
  const { rows } = await pool.query<Corrected>("select refused, seq, balance from ledger_correct($1, $2, $3, $4, $5, $6, $7, $8)", [
    accountId,
    id,
    at,
    kind,
    amount,
    ref,
    reason,
    corrects,
  ]);
  return rows[0]!;
}

/** Retries while the database is unavailable; throws MaybePosted if that lasts. */
export function correctPatiently(db: Queries, correction: Correction, timeoutMs: number): Promise<Corrected> {
  const id = uuidv7(correction.at);
  return postPatiently(timeoutMs, () => correct(db, correction, id), (corrected) => corrected); // prettier-ignore
}

interface Refund {
  accountId: bigint;
  /** Of the call or the job, as its charge has it. */
  id: string;
  /** Null: the whole charge. */
  amount: Amount | null;
  /** One line. */
  reason: string;
  at: Date;
}

/** `free`: nothing was charged; `above`: more than the charge, which `refunded` says; `refunded`: before, and how much. */
export type Refunded =
  | { refused: null; seq: bigint; refunded: Amount; balance: Amount }
  | { refused: "above"; refunded: Amount }
  | { refused: "refunded"; refunded: Amount }
  | { refused: "free" };

/** Retries while the database is unavailable; throws MaybePosted if that lasts. */
export function refundPatiently(db: Queries, { accountId, id, at, amount, reason }: Refund, timeoutMs: number): Promise<Refunded> {
  const sql = "select refused, seq, refunded, balance from ledger_refund($1, $2, $3, $4, $5)";
  return postPatiently(
    timeoutMs,
    () => db.pool.query<Refunded>(sql, [accountId, id, at, amount, reason]),
    ({ rows }) => rows[0]!,
  );
}
