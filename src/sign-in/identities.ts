// Which account an identity at an external provider belongs to; an identity that is new gets one (Authentication section, 5).
import { randomUUID } from "node:crypto";
import type { SignUpConfig } from "../config.ts";
import type { Queries } from "../db/connect.ts";
import type { Identity } from "../identity/types.ts";
import { lockAccountOf, lockOrMakeAccount, waitForOthers } from "./lock-account.ts";
import { markVerified, reclaim } from "./verified.ts";
import { assertMaySignUp, byInvitation, failClosed } from "./who-may.ts";

/** The same identity is the same account for good, whatever becomes of its address. */
export async function accountOf(transaction: Queries, identity: Identity, signUp: SignUpConfig, at: Date): Promise<bigint> {
  // Two first sign-ins of one identity at once would both find it unknown.
  await waitForOthers(transaction, `identity ${identity.issuer} ${identity.subject}`);
  return (await findLinked(transaction, identity)) ?? (await link(transaction, identity, signUp, at));
}

async function findLinked({ pool }: Queries, { issuer, subject }: Identity): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ accountId: bigint }>(
    `select account_id as "accountId" from identity where issuer = $1 and subject = $2`,
    [issuer, subject],
  );
  return rows[0]?.accountId;
}

async function link(transaction: Queries, { issuer, subject, email }: Identity, signUp: SignUpConfig, at: Date): Promise<bigint> {
  const known = await lockAccountOf(transaction, email);
  if (!known?.verified) assertMaySignUp(signUp, email);
  if (known === undefined && signUp.mode === "invite") failClosed(byInvitation);
  const { id: accountId } = await lockOrMakeAccount(transaction, { email, at, userId: randomUUID(), name: null });
  // Neither does anything to an account that is verified already.
  await reclaim(transaction, { accountId, at });
  await markVerified(transaction, { accountId, at, credit: signUp.credit });
  await transaction.pool.query("insert into identity (issuer, subject, account_id, created_at) values ($1, $2, $3, $4)", [
    issuer,
    subject,
    accountId,
    at,
  ]);
  return accountId;
}
