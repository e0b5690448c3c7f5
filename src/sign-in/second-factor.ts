// Turning the second factor on and off, and confirming a session: its person gives again what signing in takes, the password and a code of
// the second factor, as far as the account has them. What changes the factor needs a session that was confirmed lately: who steals one
// can't lock its owner out. Wrong secrets count against the same limits as signing in.
import { assertConfirmed, confirmSession } from "../accounts/operators.ts";
import { verifyPassword } from "../accounts/passwords.ts";
import { lockForCaller } from "../accounts/users.ts";
import { base32, beginTotp, dropTotp, enableTotp, hasTotp, newRecoveryCodes, otpauthUri, readTotp, takeCode } from "../accounts/totp.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { writeNotice } from "../notices/notices.ts";
import { foldEmail } from "../text/email-address.ts";
import { throttle } from "./throttle.ts";

interface Person {
  accountId: bigint;
  /** Of the session. */
  hash: Buffer;
  at: Date;
}

export async function beginSecondFactor({ db, publicUrl }: Pick<Context, "db" | "publicUrl">, { accountId, hash, at }: Person) {
  await assertConfirmed(db, hash, at);
  const secret = await inTransaction(db, async (transaction) => {
    await lockForCaller(transaction, accountId); // a deleted account keeps no secret
    return beginTotp(transaction, accountId, at);
  });
  if (secret === undefined) failNotPossible("the second factor is on: turn it off first");
  const email = await emailOf({ db }, accountId);
  return {
    object: "totp.begun" as const,
    secret: base32(secret),
    otpauth_uri: otpauthUri(secret, { issuer: new URL(publicUrl).host, email }),
  };
}

/** Returns the recovery codes, which are shown this once. */
export async function confirmSecondFactor(
  context: Pick<Context, "db" | "clock" | "limits">,
  { accountId, hash, at, code, client }: Person & { code: string; client: string },
): Promise<string[]> {
  const { db } = context;
  const { rowCount } = await db.pool.query("select 1 from totp where account_id = $1 and confirmed_at is null", [accountId]);
  if (rowCount === 0) failNotPossible("begin with POST /v1/auth/totp");
  await throttle(context, "sign-in", { client, email: await emailOf(context, accountId) });
  const secret = await takeCode(db, { accountId, code, at });
  const codes = newRecoveryCodes();
  const isOn = await inTransaction(db, (transaction) => enableTotp(transaction, { accountId, sessionHash: hash, secret, codes, at }));
  if (!isOn) failNotPossible("another request has begun it anew, or turned it on or off");
  return codes;
}

export async function endSecondFactor({ db }: Pick<Context, "db">, { accountId, hash, at }: Person): Promise<void> {
  await assertConfirmed(db, hash, at);
  await inTransaction(db, (transaction) => turnOffTotp(transaction, accountId, at));
}

/** Within a transaction: the person is told, who may not have done it. False: it is off already. */
export async function turnOffTotp(transaction: Queries, accountId: bigint, at: Date): Promise<boolean> {
  if (!(await dropTotp(transaction, accountId))) return false;
  const ended_at = at.toISOString();
  await writeNotice(transaction, { accountId, event: "totp.ended", cause: ended_at, data: { ended_at }, personId: accountId, at });
  return true;
}

export async function secondFactorRecord({ db }: Pick<Context, "db">, accountId: bigint) {
  const { enabledAt, recoveryCodesLeft } = await readTotp(db, accountId);
  return {
    object: "totp" as const,
    enabled: enabledAt !== null,
    enabled_at: enabledAt?.toISOString() ?? null,
    recovery_codes_left: recoveryCodesLeft,
  };
}

/** After the password: an account with a second factor needs a code, too. Says whether one was given. */
export async function takeSecondFactor(
  { db }: Pick<Context, "db">,
  { accountId, code, at }: { accountId: bigint; code: string | undefined; at: Date },
): Promise<boolean> {
  if (!(await hasTotp(db, accountId))) return false;
  if (code === undefined) fail("totp_required");
  await takeCode(db, { accountId, code, at }, (transaction) => tellOfRecoveryCode(transaction, accountId, at));
  return true;
}

/** The person is told, who may not have used it. */
async function tellOfRecoveryCode(transaction: Queries, accountId: bigint, at: Date): Promise<void> {
  const { recoveryCodesLeft: left } = await readTotp(transaction, accountId);
  const data = { used_at: at.toISOString(), left };
  await writeNotice(transaction, {
    accountId,
    event: "recovery_code.used",
    cause: `${data.used_at}:${left}`,
    data,
    personId: accountId,
    at,
  });
}

async function emailOf({ db }: Pick<Context, "db">, accountId: bigint): Promise<string> {
  return (await db.pool.query<{ email: string }>("select email from account where id = $1", [accountId])).rows[0]!.email;
}

interface Confirmation {
  /** Of the session. */
  hash: Buffer;
  password: string | undefined;
  /** Of the second factor. */
  code: string | undefined;
  client: string;
  at: Date;
}

export async function confirmAgain(
  context: Pick<Context, "clock" | "db" | "limits">,
  { hash, password, code, client, at }: Confirmation,
): Promise<Date> {
  const { pool } = context.db;
  const { rows } = await pool.query<{ accountId: bigint; email: string; passwordHash: string | null }>(
    `select a.id as "accountId", a.email, a.password_hash as "passwordHash" from session s join account a on a.id = s.account_id where s.hash = $1`,
    [hash],
  );
  const account = rows[0] ?? fail("invalid_api_key"); // it ended meanwhile
  await throttle(context, "sign-in", { client, email: account.email });
  const { accountId, email, passwordHash } = account;
  const needsCode = await hasTotp(context.db, accountId);
  // Without either there is nothing to confirm with: the work of a wrong password, and its refusal.
  if (passwordHash !== null || !needsCode) {
    if (password === undefined) fail("missing_parameter", { param: "password", text: { param: "password" } });
    const right = await verifyPassword(password, passwordHash, { about: foldEmail(email), known: true });
    if (!right) fail("invalid_credentials");
  }
  const gaveCode = await takeSecondFactor(context, { accountId, code, at });
  return confirmSession(context.db, { hash, at, gaveCode });
}
