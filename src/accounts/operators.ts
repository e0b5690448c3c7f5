// Who is an operator of the gateway: a verified address that SVC_OPERATORS names, as an admin, or an account with a role in the database.
import type { Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";

export type OperatorRole = "support" | "finance" | "admin";

/** The operator of a request. */
export interface Operator {
  accountId: bigint;
  email: string;
  role: OperatorRole;
  /** Until when the session may change something; it may be over. */
  confirmedUntil: Date;
  /** The session, as the log of actions names it. */
  session: string;
  /** Whether its person gave a code of the second factor. */
  gaveCode: boolean;
}

/** After signing in and after giving the password again. */
export const confirmedMs = 15 * 60 * 1000;

export const operatorRoles = ["support", "finance", "admin"] as const;

export function isOperatorRole(text: string): text is OperatorRole {
  return (operatorRoles as readonly string[]).includes(text);
}

const ranks: Readonly<Record<OperatorRole, number>> = { support: 0, finance: 1, admin: 2 };

export function isAtLeast(role: OperatorRole, needed: OperatorRole): boolean {
  return ranks[role] >= ranks[needed];
}

/**
 * When a session (`s`) was opened or last confirmed. With a second factor that is when it gave a code: a sign-in by an external provider asks for
 * none, and must not be enough to turn the factor off.
 */
export const confirmedAtSql = `case when exists (select 1 from totp f where f.account_id = s.account_id and f.confirmed_at is not null)
  then coalesce(s.factor_at, 'epoch') else greatest(s.created_at, s.confirmed_at) end`;

interface Row {
  accountId: bigint;
  email: string;
  emailNorm: string | null;
  role: OperatorRole | null;
  confirmedAt: Date;
  gaveCode: boolean;
}

/** The operator whose session it is; undefined: the person is no operator, is suspended, or has not verified the address. `named`: SVC_OPERATORS. */
export async function findOperator({ pool }: Queries, sessionHash: Buffer, named: readonly string[]): Promise<Operator | undefined> {
  const { rows } = await pool.query<Row>(
    `select a.id as "accountId", a.email, a.email_norm as "emailNorm", o.role, ${confirmedAtSql} as "confirmedAt",
       s.factor_at is not null as "gaveCode"
     from session s join account a on a.id = s.account_id left join operator o on o.account_id = a.id
     where s.hash = $1 and a.suspended_at is null and a.email_verified_at is not null`,
    [sessionHash],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { accountId, email, emailNorm, confirmedAt, gaveCode } = row;
  const role = emailNorm !== null && named.includes(emailNorm) ? "admin" : row.role;
  if (role === null) return undefined;
  const session = sessionName(sessionHash);
  return { accountId, email, role, confirmedUntil: new Date(confirmedAt.getTime() + confirmedMs), session, gaveCode };
}

/** Enough to tell sessions apart, and nothing that opens one. */
function sessionName(hash: Buffer): string {
  return `ses_${hash.toString("hex", 0, 8)}`;
}

/** Whether the account is an operator's, suspended or not. */
export async function isOperator({ pool }: Queries, accountId: bigint, named: readonly string[]): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from account a where a.id = $1 and (a.email_norm = any($2) or exists (select 1 from operator o where o.account_id = a.id))`,
    [accountId, named],
  );
  return rowCount === 1;
}

/** The password was given again, or a code of the second factor, or both. */
export async function confirmSession(
  { pool }: Queries,
  { hash, at, gaveCode }: { hash: Buffer; at: Date; gaveCode: boolean },
): Promise<Date> {
  await pool.query("update session set confirmed_at = $2, factor_at = case when $3 then $2 else factor_at end where hash = $1", [
    hash,
    at,
    gaveCode,
  ]);
  return new Date(at.getTime() + confirmedMs);
}

/** 403 confirmation_required for a session that was neither opened nor confirmed lately. */
export async function assertConfirmed({ pool }: Queries, hash: Buffer, at: Date): Promise<void> {
  const { rows } = await pool.query<{ confirmedAt: Date }>(`select ${confirmedAtSql} as "confirmedAt" from session s where s.hash = $1`, [
    hash,
  ]);
  const confirmedAt = rows[0]?.confirmedAt.getTime() ?? -Infinity;
  if (confirmedAt + confirmedMs <= at.getTime()) fail("confirmation_required");
}
