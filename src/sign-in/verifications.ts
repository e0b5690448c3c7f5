// Mails that wait for an answer: how one is written down, found by its token or its code, and used up. What an answer brings about
// stands with its flow. All but `findByToken` expect the account to be locked.
import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { hashToken, isTokenShaped, makeToken } from "../accounts/tokens.ts";
import type { Queries } from "../db/connect.ts";
import { fail } from "../fail.ts";

export type Purpose = "verify_email" | "reset_password";

const lifeMs: Record<Purpose, number> = { verify_email: 24 * 60 * 60 * 1000, reset_password: 60 * 60 * 1000 };

/** After so many wrong ones a code is worth nothing; the link still is. */
const wrongCodesMax = 10;
/** Of all codes of an account that have not expired, so that asking for ever new codes does not buy ever new guesses. */
const wrongCodesOfAccountMax = 100;

export interface NewVerification {
  accountId: bigint;
  purpose: Purpose;
  at: Date;
  passwordHash: string | null;
  name: string | null;
}

/** What the mail says; neither is kept. */
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

export async function writeVerification(transaction: Queries, verification: NewVerification): Promise<MailSecrets> {
  return write(transaction, verification);
}

/** The same work where there is no mail to send. */
export async function writeNobodys(transaction: Queries, purpose: Purpose, at: Date): Promise<void> {
  await write(transaction, { accountId: null, purpose, at, passwordHash: null, name: null });
}

async function write(
  transaction: Queries,
  { accountId, purpose, at, passwordHash, name }: Omit<NewVerification, "accountId"> & { accountId: bigint | null },
): Promise<MailSecrets> {
  const { secret, hash } = makeToken("mail");
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  await transaction.pool.query(
    `insert into verification (hash, account_id, purpose, code_hash, password_hash, name, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [hash, accountId, purpose, codeHash(hash, code), passwordHash, name, at, new Date(at.getTime() + lifeMs[purpose])],
  );
  return { token: secret, code };
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

/** Fails with 400 invalid_token, used_token or expired_token. */
export async function findByToken(db: Queries, purpose: Purpose, token: string, at: Date): Promise<Verification> {
  if (!isTokenShaped("mail", token)) fail("invalid_token", { param: "token" });
  const { rows } = await db.pool.query<Verification>(
    `select ${columns} from verification where hash = $1 and purpose = $2 and account_id is not null`,
    [hashToken(token), purpose],
  );
  if (!rows[0]) fail("invalid_token", { param: "token" });
  assertUsable(rows[0], "token", at);
  return rows[0];
}

/** Undefined: no such code, which is counted. Whoever knows the code may be told that it is used or too old. */
export async function findByCode(
  transaction: Queries,
  { accountId, code, at }: { accountId: bigint; code: string; at: Date },
): Promise<Verification | undefined> {
  const { rows } = await transaction.pool.query<Verification & { codeHash: Buffer; attempts: number }>(
    `select ${columns}, code_hash as "codeHash", code_attempts as attempts from verification
     where account_id = $1 and purpose = 'verify_email' order by created_at desc`,
    [accountId],
  );
  const guesses = rows.filter(({ expiresAt }) => expiresAt > at).reduce((sum, { attempts }) => sum + attempts, 0);
  const countable = guesses < wrongCodesOfAccountMax ? rows.filter(({ attempts }) => attempts < wrongCodesMax) : [];
  const given = code.replace(/\s/g, "");
  const matching = countable.filter((row) => timingSafeEqual(row.codeHash, codeHash(row.hash, given)));
  if (matching.length === 0)
    await transaction.pool.query("update verification set code_attempts = code_attempts + 1 where hash = any($1)", [
      countable.map(({ hash }) => hash),
    ]);
  return matching.find(({ usedAt, expiresAt }) => usedAt === null && expiresAt > at) ?? matching[0];
}

/** Decided here, whoever looked before: of several at once exactly one goes on. */
export async function useUp(transaction: Queries, { hash }: Pick<Verification, "hash">, param: string, at: Date): Promise<void> {
  const { rowCount } = await transaction.pool.query("update verification set used_at = $2 where hash = $1 and used_at is null", [hash, at]);
  if (rowCount === 0) fail("used_token", { param });
}

export function assertUsable({ usedAt, expiresAt }: Pick<Verification, "usedAt" | "expiresAt">, param: string, at: Date): void {
  if (usedAt !== null) fail("used_token", { param });
  if (expiresAt <= at) fail("expired_token", { param });
}

/** Bound to its mail: the same code of another account is another digest. */
function codeHash(hash: Buffer, code: string): Buffer {
  return createHash("sha256").update(hash).update(code).digest();
}
