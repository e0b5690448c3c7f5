// The mails that a caller may request with an address alone: the verification again, and a new password. They do the same work whether
// or not there is such an account (see sign-up.ts).
import type { SignUpConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import type { Mail } from "../mail/mailer.ts";
import { type LockedAccount, lockAccountOf } from "./lock-account.ts";
import { passwordResetMail, verificationMail } from "./mails.ts";
import { dropWaitingPasswords, findPending, writeNobodys, writeVerification } from "./verifications.ts";
import { maySignUp } from "./sign-up.ts";

type Needs = Pick<Context, "config" | "db" | "mailer" | "publicUrl">;

interface Asked {
  email: string;
  at: Date;
}

/** For an account that waits to be verified; password and name stay those of its last sign-up. */
export async function resendVerification({ config, db, mailer, publicUrl }: Needs, { email, at }: Asked): Promise<void> {
  const mail = await inTransaction(db, async (transaction) => {
    const account = await lockAccountOf(transaction, email);
    return verificationAgain(transaction, account, { at, publicUrl, signUp: config.signUp, keepsPassword: true });
  });
  if (mail) mailer.send(mail);
}

/**
 * An unverified address gets its verification again, without the password of the sign-up, which its owner did not know.
 */
export async function forgotPassword({ config, db, mailer, publicUrl }: Needs, { email, at }: Asked): Promise<void> {
  const mail = await inTransaction(db, async (transaction) => {
    const account = await lockAccountOf(transaction, email);
    if (!account?.verified) return verificationAgain(transaction, account, { at, publicUrl, signUp: config.signUp, keepsPassword: false });
    const secrets = await writeVerification(transaction, {
      accountId: account.id,
      purpose: "reset_password",
      at,
      passwordHash: null,
      name: null,
    });
    return secrets ? passwordResetMail({ to: account.email, publicUrl }, secrets) : null;
  });
  if (mail) mailer.send(mail);
}

async function verificationAgain(
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
