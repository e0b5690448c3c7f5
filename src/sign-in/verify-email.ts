// The verification mail: sent again, and answered, by the token of its link or by its code, which verifies the address and completes the
// sign-up that the mail belongs to. An answer is one transaction, so that only one of several concurrent ones counts. Sending does the same
// work whether or not there is such an account (see sign-up.ts).
import { issueDefaultKey } from "../accounts/manage-keys.ts";
import { failSuspended } from "../accounts/users.ts";
import type { SignUpConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import type { Mail } from "../mail/mailer.ts";
import { type LockedAccount, lockAccount, lockAccountOf } from "./lock-account.ts";
import { verificationMail } from "./mails.ts";
import {
  assertUsable,
  dropWaitingPasswords,
  findPending,
  readByToken,
  tryCode,
  useUp,
  type Verification,
  writeNobodys,
  writeVerification,
} from "./verifications.ts";
import { finishSignIn, joinOwnDomain, markVerified } from "./verified.ts";
import { assertMaySignUp, maySignUp } from "./sign-up.ts";

type Needs = Pick<Context, "config" | "db" | "catalog" | "log">;

export type Sending = Pick<Context, "config" | "db" | "mailer" | "publicUrl">;

export interface Asked {
  email: string;
  at: Date;
}

interface From {
  client: string;
  userAgent?: string | undefined;
  at: Date;
}

export async function verifyByToken(context: Needs, { token, client, userAgent, at }: From & { token: string }) {
  const verification = await readByToken(context.db, "verify_email", token, at);
  const verified = await inTransaction(context.db, async (transaction) => {
    const account = await lockAccount(transaction, verification.accountId);
    return verify(context, transaction, { account, verification, param: "token", client, userAgent, at });
  });
  await joinOwnDomain(context, verified.session, at);
  return verified;
}

/** No account, a wrong code and the code of another account look the same from outside; wrong ones are counted. */
export async function verifyByCode(context: Needs, { email, code, client, userAgent, at }: From & { email: string; code: string }) {
  const verified = await inTransaction(context.db, async (transaction) => {
    const account = await lockAccountOf(transaction, email);
    const verification = account && (await tryCode(transaction, { accountId: account.id, code, at }));
    if (account === undefined) await writeNobodys(transaction, at);
    if (account === undefined || verification === undefined) return undefined; // a refusal by throwing would take the count back
    assertUsable(verification, "code", at);
    return verify(context, transaction, { account, verification, param: "code", client, userAgent, at });
  });
  if (verified === undefined) return fail("invalid_token", { param: "code" });
  await joinOwnDomain(context, verified.session, at);
  return verified;
}

async function verify(
  { catalog, config: { signUp } }: Needs,
  transaction: Queries,
  { account, verification, param, client, userAgent, at }: { account: LockedAccount; verification: Verification; param: string } & From,
) {
  const accountId = account.id;
  if (account.suspended) failSuspended();
  if (!account.verified) assertMaySignUp(signUp, account.email);
  const { passwordHash, name } = await useUp(transaction, verification, param, at);
  // There was no way to sign in before this, so any keys come from the operator, and stay.
  await transaction.pool.query("update account set password_hash = $2, name = $3 where id = $1", [accountId, passwordHash, name]);
  const { creditGranted } = await markVerified(transaction, { accountId, at, credit: signUp.credit });
  const apiKey = await issueDefaultKey(transaction, { accountId, at });
  return { session: await finishSignIn(transaction, { accountId, client, userAgent, at, catalog }), creditGranted, apiKey };
}

/** For an account that waits to be verified; password and name stay those of its last sign-up. */
export async function resendVerification({ config, db, mailer, publicUrl }: Sending, { email, at }: Asked): Promise<void> {
  const mail = await inTransaction(db, async (transaction) => {
    const account = await lockAccountOf(transaction, email);
    return verificationAgain(transaction, account, { at, publicUrl, signUp: config.signUp, keepsPassword: true });
  });
  if (mail) mailer.send(mail);
}

/** Null, after the same work: no account waits to be verified. */
export async function verificationAgain(
  transaction: Queries,
  account: LockedAccount | undefined,
  { at, publicUrl, signUp, keepsPassword }: { at: Date; publicUrl: string; signUp: SignUpConfig; keepsPassword: boolean },
): Promise<Mail | null> {
  const waits = account && !account.verified && maySignUp(signUp, account.email);
  const pending = waits ? await findPending(transaction, account.id, at) : undefined;
  if (account === undefined || pending === undefined) {
    await writeNobodys(transaction, at);
    return null;
  }
  if (!keepsPassword) await dropWaitingPasswords(transaction, account.id);
  const { passwordHash, name } = keepsPassword ? pending : { passwordHash: null, name: null };
  const secrets = await writeVerification(transaction, { accountId: account.id, purpose: "verify_email", at, passwordHash, name });
  return secrets ? verificationMail({ to: account.email, publicUrl }, secrets) : null;
}
