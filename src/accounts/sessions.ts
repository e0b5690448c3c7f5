// Dashboard sessions: signing in opens one, use extends it, signing out or a new password ends it.
import type { Queries } from "../db/connect.ts";
import type { CallerSession } from "./caller.ts";
import { csrfTokenOf, makeToken } from "./tokens.ts";

export interface OpenedSession extends CallerSession {
  /** Shown once. */
  token: string;
}

/** An unused session ends after this. */
export const sessionLifeMs = 30 * 24 * 60 * 60 * 1000;

export async function openSession(db: Queries, { accountId, at }: { accountId: bigint; at: Date }): Promise<OpenedSession> {
  const { secret, hash } = makeToken("session");
  const expiresAt = new Date(at.getTime() + sessionLifeMs);
  await db.pool.query("insert into session (hash, account_id, created_at, last_used_at, expires_at) values ($1, $2, $3, $3, $4)", [
    hash,
    accountId,
    at,
    expiresAt,
  ]);
  return { token: secret, hash, expiresAt, csrfToken: csrfTokenOf(secret) };
}

export async function closeSession(db: Queries, hash: Buffer): Promise<void> {
  await db.pool.query("delete from session where hash = $1", [hash]);
}

export async function closeSessions(db: Queries, accountId: bigint): Promise<void> {
  await db.pool.query("delete from session where account_id = $1", [accountId]);
}
