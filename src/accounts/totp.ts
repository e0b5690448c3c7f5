// The second factor of an account, in the database and as codes: begun, confirmed by a first code, asked for at sign-in, turned off. A code works once, and
// wrong ones are bounded.
import { createHash, createHmac, randomBytes } from "node:crypto";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";

interface TotpState {
  /** Null: off. */
  enabledAt: Date | null;
  recoveryCodesLeft: number;
}

export async function readTotp({ pool }: Queries, accountId: bigint): Promise<TotpState> {
  const { rows } = await pool.query<TotpState>(
    `select confirmed_at as "enabledAt",
       (select count(*)::int from recovery_code r where r.account_id = $1 and r.used_at is null) as "recoveryCodesLeft"
     from totp where account_id = $1 and confirmed_at is not null`,
    [accountId],
  );
  return rows[0] ?? { enabledAt: null, recoveryCodesLeft: 0 };
}

export async function hasTotp({ pool }: Queries, accountId: bigint): Promise<boolean> {
  return (await pool.query("select 1 from totp where account_id = $1 and confirmed_at is not null", [accountId])).rowCount === 1;
}

/** A new secret, in the place of one that was begun and never confirmed. Undefined: the second factor is on. */
export async function beginTotp({ pool }: Queries, accountId: bigint, at: Date): Promise<Buffer | undefined> {
  const secret = newTotpSecret();
  const { rowCount } = await pool.query(
    `insert into totp (account_id, secret, created_at) values ($1, $2, $3)
     on conflict (account_id) do update set secret = excluded.secret, created_at = excluded.created_at, last_step = 0
     where totp.confirmed_at is null`,
    [accountId, secret, at],
  );
  return rowCount === 1 ? secret : undefined;
}

const failuresMax = 10;
/** After ten wrong codes in a row; twice as long after each further ten, at most four hours. */
const restMinutes = 15;
const doublingsMax = 4;
const restSql = `make_interval(mins => ${restMinutes} * (1 << greatest(0, least(failures / ${failuresMax} - 1, ${doublingsMax}))))`;
/** Without a code for so long, wrong ones count anew. */
const forgottenAfter = "interval '1 day'";

interface Given {
  accountId: bigint;
  code: string;
  at: Date;
}

/**
 * 400 invalid_token for a wrong or used code, 429 after ten wrong ones in a row until the rest is over. Of a second factor that is on with
 * `onRecovery`, which runs in the transaction that uses a recovery code up; without it of one that was begun. Returns its secret.
 */
export async function takeCode(
  db: Db,
  { accountId, code, at }: Given,
  onRecovery?: (transaction: Queries) => Promise<void>,
): Promise<Buffer> {
  const confirmed = onRecovery !== undefined;
  // Counted as wrong first, so that any number of guesses at once is bounded, too.
  const { rows } = await db.pool.query<{ secret: Buffer; lastStep: string }>(
    `update totp set tried_at = $2::timestamptz, failures = case when tried_at > $2::timestamptz - ${forgottenAfter} then failures + 1 else 1 end
     where account_id = $1 and (confirmed_at is not null) = $3
       and (failures % ${failuresMax} > 0 or failures = 0 or tried_at <= $2::timestamptz - ${restSql})
     returning secret, last_step::text as "lastStep"`,
    [accountId, at, confirmed],
  );
  const [row] = rows;
  if (row === undefined) return refuseCode(db, accountId, at, confirmed);
  const typed = plainCode(code);
  const step = stepOfCode(row.secret, typed, { at, lastStep: Number(row.lastStep) });
  const isRight =
    step === undefined
      ? confirmed && (await useRecoveryCode(db, { accountId, code: typed, at }, onRecovery))
      : await useStep(db, accountId, row.secret, step);
  if (!isRight) fail("invalid_token", { param: "code" });
  await db.pool.query("update totp set failures = 0 where account_id = $1", [accountId]);
  return row.secret;
}

async function refuseCode({ pool }: Queries, accountId: bigint, at: Date, confirmed: boolean): Promise<never> {
  const { rows } = await pool.query<{ leftMs: number }>(
    `select ceil(extract(epoch from tried_at + ${restSql} - $2::timestamptz) * 1000)::float8 as "leftMs" from totp
     where account_id = $1 and (confirmed_at is not null) = $3`,
    [accountId, at, confirmed],
  );
  // Else it was turned on or off just now: the code is of nothing.
  if (rows[0] === undefined) fail("invalid_token", { param: "code" });
  return fail("rate_limit_exceeded", { retryAfterMs: Math.max(1, rows[0].leftMs), text: { limit: `${failuresMax} wrong codes` } });
}

/** Of several requests with the same code one takes it; none where another secret has taken the place of the code's. */
async function useStep({ pool }: Queries, accountId: bigint, secret: Buffer, step: number): Promise<boolean> {
  const { rowCount } = await pool.query("update totp set last_step = $3 where account_id = $1 and secret = $2 and last_step < $3", [
    accountId,
    secret,
    step,
  ]);
  return rowCount === 1;
}

async function useRecoveryCode(db: Db, { accountId, code, at }: Given, onUse: (transaction: Queries) => Promise<void>): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await transaction.pool.query("select 1 from totp where account_id = $1 for no key update", [accountId]); // one at a time: each sees how many are left
    const sql = "update recovery_code set used_at = $3 where account_id = $1 and hash = $2 and used_at is null";
    const { rowCount } = await transaction.pool.query(sql, [accountId, hashOfRecoveryCode(code), at]);
    if (rowCount === 0) return false;
    await onUse(transaction);
    return true;
  });
}

interface Enabling {
  accountId: bigint;
  sessionHash: Buffer;
  /** Whose code was given. */
  secret: Buffer;
  codes: readonly string[];
  at: Date;
}

/** Within a transaction: turns the begun second factor on, with its recovery codes. False: another request came first, with it or with a new secret. */
export async function enableTotp({ pool }: Queries, { accountId, sessionHash, secret, codes, at }: Enabling): Promise<boolean> {
  const { rowCount } = await pool.query(
    "update totp set confirmed_at = $3 where account_id = $1 and secret = $2 and confirmed_at is null",
    [accountId, secret, at],
  );
  if (rowCount === 0) return false;
  await pool.query("delete from recovery_code where account_id = $1", [accountId]);
  await pool.query("insert into recovery_code (account_id, hash) select $1, h from unnest($2::bytea[]) h", [
    accountId,
    codes.map(hashOfRecoveryCode),
  ]);
  await pool.query("update session set factor_at = $2 where hash = $1", [sessionHash, at]);
  return true;
}

/** Within a transaction. Says whether it was on. */
export async function dropTotp({ pool }: Queries, accountId: bigint): Promise<boolean> {
  const { rows } = await pool.query<{ wasOn: boolean }>(
    `delete from totp where account_id = $1 returning confirmed_at is not null as "wasOn"`,
    [accountId],
  );
  await pool.query("delete from recovery_code where account_id = $1", [accountId]);
  await pool.query("update session set factor_at = null where account_id = $1 and factor_at is not null", [accountId]);
  return rows[0]?.wasOn === true;
}

// Codes of authenticator apps (RFC 6238, with SHA-1, 6 digits and half minutes, which all apps know) and recovery codes. Pure but for
// random bytes.

const stepMs = 30_000;
const digits = 6;
/** Codes of this many steps before and after now are right, too: clocks differ, and typing takes time. */
const slack = 1;

function newTotpSecret(): Buffer {
  return randomBytes(20);
}

export function stepAt(at: Date): number {
  return Math.floor(at.getTime() / stepMs);
}

/** RFC 4226 5.3. */
export function codeOfStep(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac[mac.length - 1]! & 15;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

/** The step whose code it is, after `lastStep`; undefined: no step has it. */
export function stepOfCode(secret: Buffer, code: string, { at, lastStep }: { at: Date; lastStep: number }): number | undefined {
  const now = stepAt(at);
  for (let step = Math.max(now - slack, lastStep + 1); step <= now + slack; step += 1) if (codeOfStep(secret, step) === code) return step;
  return undefined;
}

/** What apps read, usually from a QR code. */
export function otpauthUri(secret: Buffer, { issuer, email }: { issuer: string; email: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 6, without padding: 5 bytes are 8 characters. */
export function base32(bytes: Buffer): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  const length = Math.ceil((bytes.length * 8) / 5);
  bits <<= BigInt(length * 5 - bytes.length * 8);
  return Array.from({ length }, (_, n) => alphabet[Number((bits >> BigInt(5 * (length - 1 - n))) & 31n)]).join("");
}

const recoveryCodes = 10;

/** 80 random bits each, which no number of guesses finds. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () =>
    base32(randomBytes(10))
      .toLowerCase()
      .replace(/(.{4})(?=.)/g, "$1-"),
  );
}

/** As people type it: spaces and hyphens do not count, nor does case. */
export function plainCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, "").toLowerCase();
}

function hashOfRecoveryCode(code: string): Buffer {
  return createHash("sha256").update(plainCode(code)).digest();
}
