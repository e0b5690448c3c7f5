// Dashboard sessions: signing in opens one, use extends it, signing out or a new password ends it, and their person sees
// and ends them. Ended ones are deleted, so that they count nowhere from then on.
import type { components } from "../../generated/api.d.ts";
import type { Clock } from "../clock.ts";
import type { Db, Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { noUuid, parseSessionId, parseWorkspaceId, sessionIdText } from "../ids.ts";
import type { Amount } from "../money.ts";
import type { Caller, CallerSession, Role } from "./caller.ts";
import { digestOf } from "./keys.ts";
import { csrfTokenOf, isTokenShaped, makeToken } from "./tokens.ts";

export interface OpenedSession extends Pick<CallerSession, "hash" | "expiresAt" | "csrfToken"> {
  /** Shown once. */
  token: string;
}

/** An unused session ends after this. */
export const sessionLifeMs = 30 * 24 * 60 * 60 * 1000;

const userAgentLength = 300;

interface Opening {
  accountId: bigint;
  at: Date;
  /** The network and the program that it is opened from; absent: the command line. */
  client?: string;
  userAgent?: string | undefined;
  /** Of the second factor. */
  gaveCode?: boolean;
}

export async function openSession(db: Queries, { accountId, at, client, userAgent, gaveCode = false }: Opening): Promise<OpenedSession> {
  const { secret, hash } = makeToken("session");
  const expiresAt = new Date(at.getTime() + sessionLifeMs);
  await db.pool.query(
    `insert into session (hash, account_id, created_at, last_used_at, expires_at, address, user_agent, factor_at)
     values ($1, $2, $3, $3, $4, $5, $6, $7)`,
    [hash, accountId, at, expiresAt, client ?? null, userAgent?.slice(0, userAgentLength) ?? null, gaveCode ? at : null],
  );
  return { token: secret, hash, expiresAt, csrfToken: csrfTokenOf(secret) };
}

export async function closeSession(db: Queries, hash: Buffer): Promise<void> {
  await db.pool.query("delete from session where hash = $1", [hash]);
}

export async function closeSessions(db: Queries, accountId: bigint): Promise<void> {
  await db.pool.query("delete from session where account_id = $1", [accountId]);
}

interface OpenSession {
  id: string;
  /** Identifies the session in the database. */
  hash: Buffer;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  address: string | null;
  userAgent: string | null;
}

type OpenSessionRecord = components["schemas"]["OpenSession"];

interface SessionsRead {
  personId: bigint;
  /** `ses_…` of the session after which the page begins. */
  after: string | undefined;
  at: Date;
}

/** The newest first. Undefined: `after` is not an open session of the person. */
export async function readSessions(
  { pool }: Queries,
  { personId, after, at }: SessionsRead,
  most: number,
): Promise<OpenSession[] | undefined> {
  const place = after === undefined ? null : parseSessionId(after);
  if (place === undefined) return undefined;
  if (place !== null) {
    const { rowCount } = await pool.query("select 1 from session where id = $1 and account_id = $2", [place, personId]);
    if (rowCount === 0) return undefined;
  }
  const { rows } = await pool.query<OpenSession>(
    `select id, hash, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt", address, user_agent as "userAgent"
     from session where account_id = $1 and expires_at > $2
       and ($3::uuid is null or (created_at, id) < (select created_at, id from session where id = $3))
     order by created_at desc, id desc limit $4`,
    [personId, at, place, most],
  );
  return rows;
}

export function sessionRecord(
  { id, hash, createdAt, lastUsedAt, expiresAt, address, userAgent }: OpenSession,
  own: Buffer,
): OpenSessionRecord {
  return {
    id: sessionIdText(id),
    object: "session",
    current: hash.equals(own),
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    address,
    user_agent: userAgent,
  };
}

/** False: it is not a session of this person, or it has ended. */
export async function endSession({ pool }: Queries, personId: bigint, id: string): Promise<boolean> {
  const uuid = parseSessionId(id);
  if (uuid === undefined) return false;
  const { rowCount } = await pool.query("delete from session where id = $1 and account_id = $2", [uuid, personId]);
  return rowCount === 1;
}

/** How many ended. */
export async function endOtherSessions({ pool }: Queries, personId: bigint, own: Buffer): Promise<number> {
  const { rowCount } = await pool.query("delete from session where account_id = $1 and hash <> $2", [personId, own]);
  return rowCount ?? 0;
}

// Turns a session's token into a Caller, in the workspace that the request names. Never cached: a dashboard calls rarely, and an ended session, a removed
// member or a lowered role then counts everywhere at once.

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
