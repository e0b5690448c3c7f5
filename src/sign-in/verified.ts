// What follows once a user has proved to own an address, by a mail, a password or an external provider: the address counts as verified,
// the signup credit is given, anyone who had signed up in the user's name loses access, and a session begins.
import { joinByDomain } from "../accounts/group-members.ts";
import { deleteKeys } from "../accounts/manage-keys.ts";
import { closeSessions, openSession } from "../accounts/sessions.ts";
import { dropTotp } from "../accounts/totp.ts";
import { failSuspended, findUser, type User } from "../accounts/users.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Catalog } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { postSignupCredit } from "../ledger/post.ts";
import type { Amount } from "../money.ts";
import { writeNotice } from "../notices/notices.ts";
import { newPlace, rememberNetwork } from "./throttle.ts";

interface Moment {
  accountId: bigint;
  at: Date;
}

/** Does nothing to a verified account. The credit is given once for each account and mailbox, however often this is called. */
export async function markVerified(
  transaction: Queries,
  { accountId, at, credit }: Moment & { credit: Amount },
): Promise<{ creditGranted: Amount }> {
  const { rows } = await transaction.pool.query<{ email: string }>(
    "update account set email_verified_at = $2 where id = $1 and email_verified_at is null returning email",
    [accountId, at],
  );
  if (rows[0] === undefined) return { creditGranted: 0n };
  await endVerifications(transaction, { accountId, at });
  const { email } = rows[0];
  return { creditGranted: await postSignupCredit(transaction, { accountId, email, amount: credit, ref: "verified", at }) };
}

/**
 * An unverified account passes to the owner of its address: its password, sessions, keys and mails, which others may know, become void.
 * Its money stays. A verified account is left as it is.
 */
export async function reclaim(transaction: Queries, { accountId, at }: Moment): Promise<void> {
  const { rowCount } = await transaction.pool.query(
    "update account set password_hash = null, name = null where id = $1 and email_verified_at is null",
    [accountId],
  );
  if (rowCount === 0) return;
  await dropTotp(transaction, accountId);
  await closeSessions(transaction, accountId);
  await deleteKeys(transaction, accountId, at);
  await endVerifications(transaction, { accountId, at });
}

/** Voids the links and codes of the mails that were not answered yet. */
export async function endVerifications(transaction: Queries, { accountId, at }: Moment): Promise<void> {
  await transaction.pool.query("update verification set used_at = $2 where account_id = $1 and used_at is null", [accountId, at]);
}

interface SignedIn extends Moment {
  /** The network that it came from. */
  client: string;
  /** Of the second factor. */
  gaveCode?: boolean;
  userAgent?: string | undefined;
  catalog: Pick<Catalog, "tiers">;
}

/** Opens a session and returns it as the contract shows it. 403 for a suspended account: the caller has proved to be its owner. */
export async function finishSignIn(db: Queries, { accountId, client, userAgent, at, catalog, gaveCode = false }: SignedIn) {
  const user = await findUser(db, accountId);
  if (user === undefined) throw new Error(`account ${accountId} is gone`);
  if (user.suspended) failSuspended();
  const session = await openSession(db, { accountId, at, client, userAgent, gaveCode });
  const place = { accountId, email: user.email, client, at };
  const seen = await newPlace(db, place);
  if (seen !== null) {
    const [data, day] = [{ network: client, signed_in_at: at.toISOString() }, at.toISOString().slice(0, 10)];
    await writeNotice(db, { accountId, event: "sign_in.new_place", cause: `${day}:${seen}`, data, personId: accountId, at });
  }
  await rememberNetwork(db, place);
  return {
    session_token: session.token,
    expires_at: session.expiresAt.toISOString(),
    csrf_token: session.csrfToken,
    user: userRecord(catalog, user),
  };
}

/**
 * Once the person is signed in: a workspace that can't be joined now is joined by the next sign-in, and keeps nobody out. Returns the session as it
 * is.
 */
export async function joinOwnDomain<Session extends { user: { id: string } }>(
  { db, log }: Pick<Context, "db" | "log">,
  session: Session,
  at: Date,
): Promise<Session> {
  const person = session.user.id;
  try {
    const joined = await joinByDomain(db, person, at);
    if (joined !== null) log.info({ person, ...joined }, "a person joins the workspace of the address's domain");
  } catch (error) {
    log.error({ err: error, person }, "a person could not join the workspace of the address's domain");
  }
  return session;
}

// A user as the contract shows it, with the tier that its money reaches.

export function userRecord(catalog: Pick<Catalog, "tiers">, user: Omit<User, "accountId">) {
  return {
    id: user.id,
    email: user.email,
    email_verified: user.verified,
    name: user.name,
    created_at: user.createdAt.toISOString(),
    tier: tierOf(catalog, user).tier,
  };
}
