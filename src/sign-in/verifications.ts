// Mails that wait for an answer: stored, found by their token or code, and used up. Each flow decides what an answer does. All but
// `readByToken` expect the account to be locked.
import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { digestOf } from "../accounts/keys.ts";
import { isTokenShaped, makeToken } from "../accounts/tokens.ts";
import type { Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";

type Purpose = "verify_email" | "reset_password";

const lifeMs: Record<Purpose, number> = { verify_email: 24 * 60 * 60 * 1000, reset_password: 60 * 60 * 1000 };

/** After so many wrong attempts a code is void; the link still works. */
const wrongCodesMax = 10;
/** Wrong attempts at all unexpired codes of an account, so that new codes don't buy new guesses. */
const wrongCodesOfAccountMax = 100;
/** The codes of so many last mails count. */
const codesMax = 20;

/**
 * How many mails of a kind may wait for one account's answer, and how many notices it gets in a day, so that an address can't be flooded
 * in its name. After so many mails there is a link that works.
 */
const waitingMax = 20;
const noticeLifeMs = 24 * 60 * 60 * 1000;

interface NewVerification {
  /** Null: there is no mail to send, but the same work is done. */
  accountId: bigint | null;
  purpose: Purpose;
  at: Date;
  passwordHash: string | null;
  name: string | null;
  /** Of a mail that asks for no answer. */
  usedAt?: Date;
}

/** What the mail contains; neither is stored. */
export interface MailSecrets {
  token: string;
  code: string;
}

export interface Verification {
  hash: Buffer;
  accountId: bigint;
  passwordHash: string | null;
  name: string | null;
  usedAt: Date | null;
  expiresAt: Date;
}

const columns = `hash, account_id as "accountId", password_hash as "passwordHash", name, used_at as "usedAt", expires_at as "expiresAt"`;

/** Undefined: there is no mail to send, also where too many wait for an answer. */
export async function writeVerification(
  { pool }: Queries,
  { accountId, purpose, at, passwordHash, name, usedAt }: NewVerification,
): Promise<MailSecrets | undefined> {
  const lastsMs = usedAt === undefined ? lifeMs[purpose] : noticeLifeMs;
  const { secret, hash } = makeToken("mail");
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const { rows } = await pool.query<{ isMail: boolean }>(
    `insert into verification (hash, account_id, purpose, code_hash, password_hash, name, created_at, expires_at, used_at)
     select $1, case when count(*) < ${waitingMax} then $2::bigint end, $3, $4, $5, $6, $7, $8, $9
     from verification where account_id = $2 and purpose = $3 and expires_at > $7 and (used_at is null) = ($9::timestamptz is null)
     returning account_id is not null as "isMail"`,
    [hash, accountId, purpose, codeHash(hash, code), passwordHash, name, at, new Date(at.getTime() + lastsMs), usedAt ?? null],
  );
  return rows[0]!.isMail ? { token: secret, code } : undefined;
}

/** The same work where there is no mail to send. */
export async function writeNobodys(transaction: Queries, at: Date): Promise<void> {
  await writeVerification(transaction, { accountId: null, purpose: "verify_email", at, passwordHash: null, name: null });
}

/** Counts a mail that needs no answer. False: it is one too many. */
export async function writeNotice(transaction: Queries, accountId: bigint, at: Date): Promise<boolean> {
  const notice = { accountId, purpose: "reset_password", at, passwordHash: null, name: null, usedAt: at } as const;
  return (await writeVerification(transaction, notice)) !== undefined;
}

/** The last mail that still waits for an answer. */
export async function findPending(transaction: Queries, accountId: bigint, at: Date): Promise<Verification | undefined> {
  const { rows } = await transaction.pool.query<Verification>(
    `select ${columns} from verification
     where account_id = $1 and purpose = 'verify_email' and used_at is null and expires_at > $2 order by created_at desc limit 1`,
    [accountId, at],
  );
  return rows[0];
}

/**
 * Removes password and name from the sign-ups that wait for the account's verification, expired ones too. True: there were some. It is
 * unknown who chose them, and an answered mail doesn't tell.
 */
export async function dropWaitingPasswords({ pool }: Queries, accountId: bigint): Promise<boolean> {
  const { rowCount } = await pool.query(
    "update verification set password_hash = null, name = null where account_id = $1 and purpose = 'verify_email' and used_at is null",
    [accountId],
  );
  return rowCount !== 0;
}

/** Fails with 400 invalid_token, used_token or expired_token. */
export async function readByToken(db: Queries, purpose: Purpose, token: string, at: Date): Promise<Verification> {
  if (!isTokenShaped("mail", token)) fail("invalid_token", { param: "token" });
  const { rows } = await db.pool.query<Verification>(
    `select ${columns} from verification where hash = $1 and purpose = $2 and account_id is not null`,
    [digestOf(token), purpose],
  );
  if (!rows[0]) fail("invalid_token", { param: "token" });
  assertUsable(rows[0], "token", at);
  return rows[0];
}

/** Undefined: no such code, which is counted. A caller who knows the code may learn that it is used or expired. */
export async function tryCode(
  transaction: Queries,
  { accountId, code, at }: { accountId: bigint; code: string; at: Date },
): Promise<Verification | undefined> {
  const { rows } = await transaction.pool.query<Verification & { codeHash: Buffer; attempts: number; guesses: number | null }>(
    `select ${columns}, code_hash as "codeHash", code_attempts as attempts,
       (select sum(code_attempts)::int from verification where account_id = $1 and expires_at > $2) as guesses
     from verification where account_id = $1 and purpose = 'verify_email' order by created_at desc limit ${codesMax}`,
    [accountId, at],
  );
  const guessable = rows[0] !== undefined && (rows[0].guesses ?? 0) < wrongCodesOfAccountMax;
  const countable = guessable ? rows.filter(({ attempts }) => attempts < wrongCodesMax) : [];
  const given = code.replace(/\s/g, "");
  const matching = countable.filter((row) => timingSafeEqual(row.codeHash, codeHash(row.hash, given)));
  if (matching.length === 0)
    await transaction.pool.query("update verification set code_attempts = code_attempts + 1 where hash = any($1)", [
      countable.map(({ hash }) => hash),
    ]);
  return matching.find(({ usedAt, expiresAt }) => usedAt === null && expiresAt > at) ?? matching[0];
}

/** Exactly one of several concurrent answers goes on, whatever was read before. Returns the mail as it is now. */
export async function useUp(transaction: Queries, { hash }: Pick<Verification, "hash">, param: string, at: Date): Promise<Verification> {
  const { rows } = await transaction.pool.query<Verification>(
    `update verification set used_at = $2 where hash = $1 and used_at is null returning ${columns}`,
    [hash, at],
  );
  return rows[0] ?? fail("used_token", { param });
}

export function assertUsable({ usedAt, expiresAt }: Pick<Verification, "usedAt" | "expiresAt">, param: string, at: Date): void {
  if (usedAt !== null) fail("used_token", { param });
  if (expiresAt <= at) fail("expired_token", { param });
}

/** Bound to its mail: the same code of another account is another digest. */
function codeHash(hash: Buffer, code: string): Buffer {
  return createHash("sha256").update(hash).update(code).digest();
}
