// Turns a session's token into a Caller. Asked of the database each time: a dashboard calls rarely, and a session that was ended is
// then ended everywhere at once.
import type { Clock } from "../clock.ts";
import type { Caller } from "../context.ts";
import type { Db } from "../db/connect.ts";
import { digestOf } from "./keys.ts";
import { sessionLifeMs } from "./sessions.ts";
import { csrfTokenOf, isTokenShaped } from "./tokens.ts";

/** Use is written down no more often than this. */
const notedEveryMs = 60 * 60 * 1000;

interface SessionRow {
  accountId: bigint;
  purchased: bigint;
  suspended: boolean;
  lastUsedAt: Date;
  expiresAt: Date;
}

export async function authenticateSession(db: Db, clock: Clock, token: string): Promise<Caller | undefined> {
  if (!isTokenShaped("session", token)) return undefined;
  const hash = digestOf(token);
  const at = clock();
  const { rows } = await db.pool.query<SessionRow>(
    `select s.account_id as "accountId", b.purchased, a.suspended_at is not null as suspended,
       s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt"
     from session s join account a on a.id = s.account_id join balance b on b.account_id = s.account_id
     where s.hash = $1 and s.expires_at > $2`,
    [hash, at],
  );
  if (!rows[0]) return undefined;
  const { accountId, purchased, suspended, lastUsedAt } = rows[0];
  let { expiresAt } = rows[0];
  if (lastUsedAt.getTime() + notedEveryMs <= at.getTime()) {
    expiresAt = new Date(at.getTime() + sessionLifeMs);
    await db.pool.query("update session set last_used_at = $2, expires_at = $3 where hash = $1", [hash, at, expiresAt]);
  }
  return { accountId, keyId: null, purchased, suspended, session: { hash, expiresAt, csrfToken: csrfTokenOf(token) } };
}
