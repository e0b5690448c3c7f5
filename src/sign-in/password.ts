// Signs in by password, and replaces a forgotten one: a mail is sent, and its answer sets the new one.
import { hashPassword, verifyPassword } from "../accounts/passwords.ts";
import { closeSessions } from "../accounts/sessions.ts";
import { failSuspended, findUser, type User } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { inTransaction } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { foldEmail } from "../text/email-address.ts";
import { findAccountOf, lockAccount, lockAccountOf } from "./lock-account.ts";
import { passwordResetMail } from "./mails.ts";
import { takeSecondFactor } from "./second-factor.ts";
import { forgetNetworks, isKnownNetwork } from "./throttle.ts";
import { readByToken, useUp, writeVerification } from "./verifications.ts";
import { endVerifications, finishSignIn, joinOwnDomain } from "./verified.ts";
import { type Asked, type Sending, verificationAgain } from "./verify-email.ts";

type Needs = Pick<Context, "db" | "catalog" | "log">;

interface PasswordSignIn {
  email: string;
  password: string;
  /** Of the second factor; absent: none was sent. */
  code?: string | undefined;
  /** The network that it comes from. */
  client: string;
  userAgent?: string | undefined;
  at: Date;
}

/**
 * A wrong password, an unknown address and an unverified one get the same reply after the same work: else signing up and in would tell
 * which addresses have an account. Only a caller who knows the password learns that the account is suspended.
 */
export async function signInByPassword({ db, catalog, log }: Needs, { email, password, code, client, userAgent, at }: PasswordSignIn) {
  const [account, known] = await Promise.all([findAccountOf(db, email), isKnownNetwork(db, { email, client, at })]);
  const stored = account?.passwordHash ?? null; // null before the address is verified
  const right = await verifyPassword(password, stored, { about: foldEmail(email), known });
  if (account === undefined || !right) fail("invalid_credentials");
  if (account.suspended) failSuspended();
  const gaveCode = await takeSecondFactor({ db }, { accountId: account.id, code, at });
  const session = await inTransaction(db, async (transaction) => {
    // A password that was changed meanwhile has ended every session; none may begin with the old one after that.
    const now = await lockAccount(transaction, account.id);
    if (now.passwordHash !== account.passwordHash) fail("invalid_credentials");
    return finishSignIn(transaction, { accountId: account.id, client, userAgent, at, catalog, gaveCode });
  });
  return joinOwnDomain({ db, log }, session, at);
}

/**
 * The same work whether or not there is such an account (see sign-up.ts). An unverified address gets its verification again, without the
 * password of the sign-up, which its owner did not know.
 */
export async function forgotPassword({ config, db, mailer, publicUrl }: Sending, { email, at }: Asked): Promise<void> {
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

export async function resetPassword(
  { db }: Pick<Context, "db">,
  { token, password, at }: { token: string; password: string; at: Date },
): Promise<User> {
  const verification = await readByToken(db, "reset_password", token, at);
  const { accountId } = verification;
  const passwordHash = await hashPassword(password, { about: `reset ${accountId}` });
  return inTransaction(db, async (transaction) => {
    const { suspended } = await lockAccount(transaction, accountId);
    if (suspended) failSuspended();
    await useUp(transaction, verification, "token", at);
    await transaction.pool.query("update account set password_hash = $2 where id = $1", [accountId, passwordHash]);
    await closeSessions(transaction, accountId);
    await forgetNetworks(transaction, accountId);
    await endVerifications(transaction, { accountId, at });
    return (await findUser(transaction, accountId)) as User;
  });
}
