// Posts entries that are no charges: deposits and credits. One insert; triggers move the balance (src/db/functions/apply_entries.sql).
import { isTransient, isSurelyUndone } from "../db/transient-error.ts";
import type { Queries } from "../db/connect.ts";
import { mailboxOf } from "../text/email-address.ts";
import { uuidv7 } from "../ids.ts";
import type { Amount } from "../money.ts";
import { persist } from "./account-batcher.ts";

export type PostedKind = "deposit" | "signup_credit" | "bonus";

interface Posting {
  /** Given where the same entry may be posted twice: the second is refused. Absent: a new id. */
  id?: string;
  accountId: bigint;
  kind: PostedKind;
  /** Above 0. */
  amount: Amount;
  /** Where the money came from, e.g. `cli`, a payment's id. */
  ref: string;
  at: Date;
}

const insertion = "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, $2, $3, $4, $5, $6)";

/** Returns the balance after it. Throws where the account does not exist. */
export async function postEntry(db: Queries, { id, accountId, kind, amount, ref, at }: Posting): Promise<Amount> {
  await db.pool.query(insertion, [accountId, at, id ?? uuidv7(at), kind, amount, ref]);
  return readTotal(db, accountId);
}

/** It is unknown whether the entry was posted. The cause is the last error. */
export class MaybePosted extends Error {}

/** However often it is sent. Returns the balance after it. */
export async function postEntryOnce(db: Queries, { id, accountId, kind, amount, ref, at }: Posting & { id: string }): Promise<Amount> {
  const values = [accountId, at, id, kind, amount, ref];
  await db.pool.query(`${insertion} on conflict (account_id, id, kind) do nothing`, values);
  return readTotal(db, accountId);
}

/** For callers that would otherwise post anew: `post` runs again while the database is unavailable, and posts the same entry each time. */
export async function postPatiently<Posted, Answer>(
  timeoutMs: number,
  post: () => Promise<Posted>,
  read: (posted: Posted) => Answer | Promise<Answer>,
): Promise<Answer> {
  let maybePosted = false;
  try {
    return await persist(timeoutMs, new AbortController().signal, async () => {
      const posted = await post().catch((error: unknown) => {
        maybePosted ||= isTransient(error) && !isSurelyUndone(error);
        throw error;
      });
      maybePosted = true;
      return read(posted);
    });
  } catch (error) {
    throw maybePosted ? new MaybePosted("it may have been posted", { cause: error }) : error;
  }
}

async function readTotal(db: Queries, accountId: bigint): Promise<Amount> {
  const { rows } = await db.pool.query<{ balance: Amount }>("select available + reserved as balance from balance where account_id = $1", [
    accountId,
  ]);
  return (rows[0] as { balance: Amount }).balance;
}

export interface SignupCredit {
  accountId: bigint;
  /** The account's. */
  email: string;
  /** 0: no credit is given, and the mailbox keeps its claim to one. */
  amount: Amount;
  ref: string;
  at: Date;
}

/** Posts once for each account and once for each mailbox, however many addresses lead there. Returns what was given now. */
export async function postSignupCredit(db: Queries, { accountId, email, amount, ref, at }: SignupCredit): Promise<Amount> {
  if (amount === 0n) return 0n;
  const { rowCount } = await db.pool.query(
    `with given as (
       insert into signup_mailbox (mailbox, account_id, created_at)
         select $6, $1, $2 where not exists (select from signup_mailbox where mailbox = forgotten_mailbox($6))
       on conflict (mailbox) do nothing returning account_id
     )
     insert into ledger_entry (account_id, created_at, id, kind, amount, ref)
       select account_id, $2, $3, 'signup_credit', $4, $5 from given
     on conflict (account_id) where kind = 'signup_credit' do nothing`,
    [accountId, at, uuidv7(at), amount, ref, mailboxOf(email)],
  );
  return rowCount === 1 ? amount : 0n;
}

// Takes money back and gives it back: signed corrections of what was added, and refunds of charges. Each is one statement that decides and posts
// under the lock of the balance (src/db/functions/ledger_correct.sql, ledger_refund.sql), and posts once however often it is sent.

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

export async function refund({ pool }: Queries, { accountId, id, at, amount, reason }: Refund): Promise<Refunded> {
  const sql = "select refused, seq, refunded, balance from ledger_refund($1, $2, $3, $4, $5)";
  const { rows } = await pool.query<Refunded>(sql, [accountId, id, at, amount, reason]);
  return rows[0]!;
}
