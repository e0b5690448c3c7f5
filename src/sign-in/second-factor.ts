// Turning the second factor on and off. What changes it needs a session that was confirmed lately: who steals one can't lock its owner out.
import { assertConfirmed } from "../accounts/operators.ts";
import { beginTotp, dropTotp, enableTotp, hasTotp, readTotp, takeCode } from "../accounts/totp.ts";
import { base32, newRecoveryCodes, otpauthUri } from "../accounts/totp-codes.ts";
import type { Context } from "../context.ts";
import { inTransaction } from "../db/connect.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { throttle } from "./throttle.ts";

interface Person {
  accountId: bigint;
  /** Of the session. */
  hash: Buffer;
  at: Date;
}

export async function beginSecondFactor({ db, publicUrl }: Pick<Context, "db" | "publicUrl">, { accountId, hash, at }: Person) {
  await assertConfirmed(db, hash, at);
  const secret = await beginTotp(db, accountId, at);
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
  await takeCode(db, { accountId, code, at }, false);
  const codes = newRecoveryCodes();
  await inTransaction(db, (transaction) => enableTotp(transaction, { accountId, sessionHash: hash, codes, at }));
  return codes;
}

export async function endSecondFactor({ db }: Pick<Context, "db">, { accountId, hash, at }: Person): Promise<void> {
  await assertConfirmed(db, hash, at);
  await inTransaction(db, (transaction) => dropTotp(transaction, accountId));
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
  await takeCode(db, { accountId, code, at });
  return true;
}

async function emailOf({ db }: Pick<Context, "db">, accountId: bigint): Promise<string> {
  return (await db.pool.query<{ email: string }>("select email from account where id = $1", [accountId])).rows[0]!.email;
}
