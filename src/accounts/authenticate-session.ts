// Turns a session's token into a Caller, in the workspace that the request names. Never cached: a dashboard calls rarely, and an ended session, a removed
// member or a lowered role then counts everywhere at once.
import type { Clock } from "../clock.ts";
import type { Db } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { noUuid, parseWorkspaceId } from "../ids.ts";
import type { Amount } from "../money.ts";
import type { Caller, Role } from "./caller.ts";
import { digestOf } from "./keys.ts";
import { csrfTokenOf, isTokenShaped } from "./tokens.ts";
import { sessionLifeMs } from "./sessions.ts";

/** The least time between two updates of a session's last use. */
const notedEveryMs = 60 * 60 * 1000;

interface SessionRow {
  personId: bigint;
  /** Null, as what follows: there is no such workspace. */
  accountId: bigint | null;
  /** Null: the person is no member. */
  role: Role | null;
  purchased: Amount;
  assignedTier: number | null;
  suspended: boolean;
  storesResponses: boolean;
  lastUsedAt: Date;
  expiresAt: Date;
}

export async function authenticateSession(db: Db, clock: Clock, token: string, workspace?: string): Promise<Caller | undefined> {
  if (!isTokenShaped("session", token)) return undefined;
  const hash = digestOf(token);
  const at = clock();
  const { rows } = await db.pool.query<SessionRow>(
    `select p.id as "personId", a.id as "accountId", case when a.id = p.id then 'owner' else m.role end as role, b.purchased,
       a.assigned_tier as "assignedTier", a.response_retention_days is not null as "storesResponses",
       p.suspended_at is not null or a.suspended_at is not null as suspended, s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt"
     from session s join account p on p.id = s.account_id
       left join account a on a.id = case when $3::uuid is null then p.id else (select id from account where user_id = $3) end
       left join member m on m.account_id = a.id and m.person_id = p.id
       left join balance b on b.account_id = a.id
     where s.hash = $1 and s.expires_at > $2 and p.email_norm is not null`,
    [hash, at, workspace === undefined ? null : (parseWorkspaceId(workspace) ?? noUuid)],
  );
  if (!rows[0]) return undefined;
  const { accountId, personId, role, purchased, assignedTier, suspended, storesResponses, lastUsedAt } = rows[0];
  // An unknown workspace looks like one of others.
  if (accountId === null || role === null) fail("permission_denied", { text: { reason: "you are not a member of this workspace" } });
  let { expiresAt } = rows[0];
  if (lastUsedAt.getTime() + notedEveryMs <= at.getTime()) {
    expiresAt = new Date(at.getTime() + sessionLifeMs);
    await db.pool.query("update session set last_used_at = $2, expires_at = $3 where hash = $1", [hash, at, expiresAt]);
  }
  const session = { hash, personId, role, expiresAt, csrfToken: csrfTokenOf(token) };
  return { accountId, keyId: null, purchased, assignedTier, suspended, storesResponses, policy: null, session };
}
