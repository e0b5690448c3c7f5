// Entries that are no charge: deposits and credits. One insert; the triggers move the balance (migration 0002).
import { isDatabaseAway, isSurelyUndone } from "../away.ts";
import type { Queries } from "../db/connect.ts";
import { uuidv7 } from "../ids.ts";
import { type Amount, parseUsd } from "../money.ts";
import { persist } from "./persist.ts";

export type PostedKind = "deposit" | "signup_credit" | "bonus" | "refund";

export interface Posting {
  /** Where the same entry may be asked for twice: the second is refused. Absent: a new one. */
  id?: string;
  accountId: bigint;
  kind: PostedKind;
  /** Above 0. */
  amount: Amount;
  /** Where the money came from, e.g. `cli`, a payment's id. */
  ref: string;
  at: Date;
}

/** Signup credit (cross-cutting rule 3); the database refuses a second one for the same account. */
export const signupCredit: Amount = parseUsd("0.5") as Amount;

const insertion = "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, $2, $3, $4, $5, $6)";

/** Returns the balance after it. Throws where the account does not exist. */
export async function postEntry(db: Queries, { id, accountId, kind, amount, ref, at }: Posting): Promise<Amount> {
  await db.pool.query(insertion, [accountId, at, id ?? uuidv7(at), kind, amount, ref]);
  return readTotal(db, accountId);
}

/** Nobody heard whether it was posted. The cause is the last that was heard. */
export class MaybePosted extends Error {}

/** For whoever would post anew where this fails: tries the same entry again while the database is away, which posts it once. */
export async function postEntryPatiently(
  db: Queries,
  { accountId, kind, amount, ref, at }: Omit<Posting, "id">,
  patienceMs: number,
): Promise<Amount> {
  const values = [accountId, at, uuidv7(at), kind, amount, ref];
  let maybePosted = false;
  try {
    return await persist(patienceMs, new AbortController().signal, async () => {
      await db.pool.query(`${insertion} on conflict (account_id, id, kind) do nothing`, values).catch((error: unknown) => {
        maybePosted ||= isDatabaseAway(error) && !isSurelyUndone(error);
        throw error;
      });
      maybePosted = true;
      return readTotal(db, accountId);
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

/** Once an account: returns what was given now, 0 where it was given before. */
export async function postSignupCredit(db: Queries, { accountId, at }: { accountId: bigint; at: Date }): Promise<Amount> {
  const { rowCount } = await db.pool.query(
    `insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, $2, $3, 'signup_credit', $4, 'verified')
     on conflict (account_id) where kind = 'signup_credit' do nothing`,
    [accountId, at, uuidv7(at), signupCredit],
  );
  return rowCount === 1 ? signupCredit : 0n;
}
