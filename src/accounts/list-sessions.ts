// The sessions of a person, as the person sees and ends them. Ended ones are deleted, so that they count nowhere from then on.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { parseSessionId, sessionIdText } from "../ids.ts";

export interface OpenSession {
  id: string;
  /** Identifies the session in the database. */
  hash: Buffer;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  address: string | null;
  userAgent: string | null;
}

export type OpenSessionRecord = components["schemas"]["OpenSession"];

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
