// Signing up. Whoever asks about an address gets one reply after one amount of work, whether it has an account or not: only the mail
// tells, and that goes to the address.
import { randomUUID } from "node:crypto";
import { hashPassword } from "../accounts/passwords.ts";
import { type User, userIdText } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import type { Mail } from "../mail/mailer.ts";
import { lockAccountOf } from "./lock-account.ts";
import { accountExistsMail, verificationMail } from "./mails.ts";
import { writeNobodys, writeVerification } from "./verifications.ts";

export interface SignUp {
  email: string;
  password: string;
  name: string | null;
  at: Date;
}

type Needs = Pick<Context, "db" | "mailer" | "publicUrl">;

/** The user as a new account's would be; of an account that exists nothing is shown, its id neither. */
export async function signUp(context: Needs, { email, password, name, at }: SignUp): Promise<Omit<User, "accountId">> {
  const { db, mailer, publicUrl } = context;
  const passwordHash = await hashPassword(password);
  const userId = randomUUID();
  const mail = await inTransaction(db, async (transaction) => {
    await insertAccount(transaction, { email, name, at, passwordHash, userId });
    return writeMail(transaction, { email, name, at, passwordHash, publicUrl });
  });
  mailer.send(mail);
  return { id: userIdText(userId), email, verified: false, suspended: false, name, createdAt: at, purchased: 0n };
}

type HashedSignUp = Omit<SignUp, "password"> & { passwordHash: string };

/** Does nothing where the address has an account; of several at once one makes it and the others wait for that. */
async function insertAccount(transaction: Queries, { email, name, at, passwordHash, userId }: HashedSignUp & { userId: string }) {
  await transaction.pool.query(
    `insert into account (email, email_norm, user_id, name, password_hash, created_at) values ($1, lower($1), $2, $3, $4, $5)
     on conflict (email_norm) do nothing`,
    [email, userId, name, passwordHash, at],
  );
}

/** The password of a second sign-up waits with its mail: until that is answered, nobody knows who of the two owns the address. */
async function writeMail(
  transaction: Queries,
  { email, name, at, passwordHash, publicUrl }: HashedSignUp & { publicUrl: string },
): Promise<Mail> {
  const account = await lockAccountOf(transaction, email);
  if (account === undefined) throw new Error("an account that was just there is gone");
  const place = { to: account.email, publicUrl };
  if (!account.verified)
    return verificationMail(
      place,
      await writeVerification(transaction, { accountId: account.id, purpose: "verify_email", at, passwordHash, name }),
    );
  await writeNobodys(transaction, "verify_email", at);
  return accountExistsMail(place);
}
