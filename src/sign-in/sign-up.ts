// Signs users up, and says who may. The reply and the work are the same whether or not the address has an account: only the mail tells, and that goes to
// the address.
import { randomUUID } from "node:crypto";
import { hashPassword } from "../accounts/passwords.ts";
import type { User } from "../accounts/users.ts";
import { nothingPaid } from "../catalog/tiers.ts";
import type { SignUpConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { userIdText } from "../ids.ts";
import type { Mail } from "../mail/mailer.ts";
import { isListed } from "../text/domain-list.ts";
import { domainOf, foldEmail } from "../text/email-address.ts";
import { lockAccountOf, type LockedAccount, lockOrMakeAccount } from "./lock-account.ts";
import { accountExistsMail, verificationMail } from "./mails.ts";
import { dropWaitingPasswords, writeNobodys, writeNotice, writeVerification } from "./verifications.ts";

interface SignUp {
  email: string;
  password: string;
  name: string | null;
  /** The network that it comes from. */
  client: string;
  at: Date;
}

type Needs = Pick<Context, "config" | "db" | "mailer" | "publicUrl">;

/** The user that a new account would have; nothing of an existing account is shown, not even its id. */
export async function signUp(context: Needs, { email, password, name, client, at }: SignUp): Promise<Omit<User, "accountId">> {
  const { config, db, mailer, publicUrl } = context;
  const { signUp } = config;
  assertMaySignUp(signUp, email);
  const passwordHash = await hashPassword(password, { about: client, signsUp: true });
  const userId = randomUUID();
  const mail = await inTransaction(db, async (transaction) => {
    const invited = signUp.mode === "invite";
    const account = invited ? await lockAccountOf(transaction, email) : await lockOrMakeAccount(transaction, { email, name, at, userId });
    if (account === undefined) return nobodysMail(transaction, at);
    return writeMail(transaction, account, { name, at, passwordHash, publicUrl });
  });
  if (mail) mailer.send(mail);
  return { id: userIdText(userId), email, verified: false, suspended: false, name, createdAt: at, ...nothingPaid };
}

/** The same work and the same reply for the uninvited: else the reply would reveal who is invited. */
async function nobodysMail(transaction: Queries, at: Date): Promise<null> {
  await writeNobodys(transaction, at);
  return null;
}

/**
 * The password waits with its mail: until that is answered, the owner of the address is unknown. Where another sign-up waits already,
 * neither password is kept, whichever mail is answered: the owner asks for a new one.
 */
async function writeMail(
  transaction: Queries,
  account: LockedAccount,
  { name, at, passwordHash, publicUrl }: Pick<SignUp, "name" | "at"> & { passwordHash: string; publicUrl: string },
): Promise<Mail | null> {
  const place = { to: account.email, publicUrl };
  if (account.verified) return (await writeNotice(transaction, account.id, at)) ? accountExistsMail(place) : null;
  const contested = await dropWaitingPasswords(transaction, account.id);
  const kept = contested ? { passwordHash: null, name: null } : { passwordHash, name };
  const secrets = await writeVerification(transaction, { accountId: account.id, purpose: "verify_email", at, ...kept });
  return secrets ? verificationMail(place, secrets) : null;
}

// Who may sign up, as the operator configured it. Verified accounts sign in regardless.

export const byInvitation = "accounts are by invitation";

/** Why an address may not sign up; undefined: it may. The same whether or not it has an account. */
function whyNot({ mode, domains, disposable }: SignUpConfig, email: string): string | undefined {
  if (mode === "closed") return "the operator makes accounts";
  const domain = domainOf(foldEmail(email));
  if (isListed(disposable, domain)) return "disposable email addresses may not sign up";
  if (domains !== null && !domains.includes(domain)) return `addresses at ${domains.join(", ")} may sign up`;
  return undefined;
}

export function maySignUp(config: SignUpConfig, email: string): boolean {
  return whyNot(config, email) === undefined;
}

/** 403 signup_closed. */
export function assertMaySignUp(config: SignUpConfig, email: string): void {
  const reason = whyNot(config, email);
  if (reason !== undefined) failClosed(reason);
}

export function failClosed(reason: string): never {
  return fail("signup_closed", { param: "email", text: { reason } });
}

/** Before any work for the sign-up, and in no transaction: another server answers. Fails while that does not. */
export async function assertHuman({ captcha }: Pick<Context, "captcha">, token: string | undefined, client: string): Promise<void> {
  if (captcha === null) return;
  if (token === undefined || token === "") fail("captcha_failed", { param: "captcha_token" });
  const verdict = await captcha.verify(token, client);
  if (verdict === "unavailable") fail("overloaded");
  if (verdict === "wrong") fail("captcha_failed", { param: "captcha_token" });
}
