// Signing in by password, and setting a new one by the mail that forgotPassword sent (resend.ts).
import { hashPassword, verifyPassword } from "../accounts/passwords.ts";
import { closeSessions } from "../accounts/sessions.ts";
import { failSuspended } from "../accounts/suspended.ts";
import { findUser, type User } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { inTransaction } from "../db/connect.ts";
import { fail } from "../fail.ts";
import { findAccountOf, lockAccount } from "./lock-account.ts";
import { readByToken, useUp } from "./verifications.ts";
import { endVerifications, finishSignIn } from "./verified.ts";

type Needs = Pick<Context, "db" | "catalog">;

/**
 * A wrong password, an unknown address and one that was never verified: the same reply after the same work, or signing up and in would
 * tell which addresses have an account. Suspended: told to who knows the password alone.
 */
export async function signInByPassword({ db, catalog }: Needs, { email, password, at }: { email: string; password: string; at: Date }) {
  const account = await findAccountOf(db, email);
  const right = await verifyPassword(password, account?.passwordHash ?? null); // null before the address is verified
  if (account === undefined || !right) fail("invalid_credentials");
  return inTransaction(db, async (transaction) => {
    // A password that was changed meanwhile has ended every session; none may begin with the old one after that.
    const now = await lockAccount(transaction, account.id);
    if (now.passwordHash !== account.passwordHash) fail("invalid_credentials");
    return finishSignIn(transaction, { accountId: account.id, at, catalog });
  });
}

export async function resetPassword({ db }: Needs, { token, password, at }: { token: string; password: string; at: Date }): Promise<User> {
  const verification = await readByToken(db, "reset_password", token, at);
  const passwordHash = await hashPassword(password);
  const { accountId } = verification;
  return inTransaction(db, async (transaction) => {
    const { suspended } = await lockAccount(transaction, accountId);
    if (suspended) failSuspended();
    await useUp(transaction, verification, "token", at);
    await transaction.pool.query("update account set password_hash = $2 where id = $1", [accountId, passwordHash]);
    await closeSessions(transaction, accountId);
    await endVerifications(transaction, { accountId, at });
    return (await findUser(transaction, accountId)) as User;
  });
}
