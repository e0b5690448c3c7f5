// Creates an account for an operator: with its first money and its row of the log, in one transaction. No operator sees the secret of its key.
import { createAccount as insertAccount, Refused } from "../accounts/admin.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { failNotPossible, failParameter } from "../errors/fail.ts";
import { accountIdText } from "../ids.ts";
import { postEntry, postSignupCredit } from "../ledger/post.ts";
import { type Amount, toUsd } from "../money.ts";
import { isEmailAddress } from "../text/email-address.ts";
import { type Actor, recorded } from "./action-log.ts";

interface NewAccount {
  email: string;
  verified: boolean;
  /** Null: none. */
  deposit: Amount | null;
  credit: Amount | null;
  signupCredit: boolean;
  reason: string;
}

export async function createAccount(
  { db, config, clock }: Pick<Context, "db" | "config" | "clock">,
  actor: Actor,
  { email, verified, deposit, credit, signupCredit, reason }: NewAccount,
): Promise<bigint> {
  if (!isEmailAddress(email)) failParameter("email", "it must be an email address");
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const accountId = await inserted(transaction, { email, verified, at });
    const post = (kind: "deposit" | "bonus", amount: Amount) => postEntry(transaction, { accountId, kind, amount, ref: "operator", at });
    if (deposit !== null) await post("deposit", deposit);
    if (credit !== null) await post("bonus", credit);
    const given = signupCredit ? await giveSignupCredit(transaction, { accountId, email, amount: config.signUp.credit, at }) : 0n;
    const target = accountIdText(accountId);
    const money = { deposit_usd: toUsd(deposit ?? 0n), credit_usd: toUsd(credit ?? 0n), signup_credit_usd: toUsd(given) };
    const row = { action: "account.create", target, reason, before: null, after: { email, verified, ...money } };
    return { result: accountId, row };
  });
}

async function inserted(db: Queries, account: { email: string; verified: boolean; at: Date }): Promise<bigint> {
  try {
    return (await insertAccount(db, account)).accountId;
  } catch (error) {
    throw error instanceof Refused ? failNotPossible("the email address has an account already") : error;
  }
}

async function giveSignupCredit(
  db: Queries,
  { accountId, email, amount, at }: { accountId: bigint; email: string; amount: Amount; at: Date },
): Promise<Amount> {
  if (amount === 0n) failNotPossible("there is no signup credit: SVC_SIGNUP_CREDIT is 0");
  const given = await postSignupCredit(db, { accountId, email, amount, ref: "operator", at });
  return given === 0n ? failNotPossible("another address of the same mailbox already got the signup credit") : given;
}
