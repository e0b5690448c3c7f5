// Who is a member of which workspace, as stored. A person owns the own workspace without a row. src/workspaces says who may change it.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { parseUserId, userIdText } from "../ids.ts";
import { toUsd } from "../money.ts";
import { readMemberSpending } from "./member-budgets.ts";
import type { Role } from "./roles.ts";

export interface Member {
  /** The person's own account. */
  personId: bigint;
  /** `usr_…` */
  id: string;
  email: string;
  name: string | null;
  role: Role;
  joinedAt: Date;
}

/** Members are paged; this bounds what the workspace's lock waits for. */
export const membersMax = 1_000;
/** The list of a person's workspaces has no pages. */
export const joinedMax = 100;

export type MemberRecord = components["schemas"]["Member"];

/** The members of account $1. */
const membersOf = `(select person_id, role, created_at from member where account_id = $1
  union all select id, 'owner', created_at from account where id = $1 and email_norm is not null)`;

const found = `select m.person_id as "personId", p.user_id as id, p.email, p.name, m.role, m.created_at as "joinedAt"
  from ${membersOf} m join account p on p.id = m.person_id`;

/** In the order of joining; `after`: a member's person. */
export async function readMembers({ pool }: Queries, accountId: bigint, after: bigint | null, most: number): Promise<Member[]> {
  const { rows } = await pool.query<Member>(
    `${found} where $2::bigint is null
       or (m.created_at, m.person_id) > (select c.created_at, c.person_id from ${membersOf} c where c.person_id = $2)
     order by m.created_at, m.person_id limit $3`,
    [accountId, after, most],
  );
  return rows.map(shown);
}

/** `person`: the own account, or `usr_…`. Undefined: no member, or no person at all. */
export async function findMember({ pool }: Queries, accountId: bigint, person: bigint | string): Promise<Member | undefined> {
  const id = typeof person === "string" ? parseUserId(person) : person;
  if (id === undefined) return undefined;
  const { rows } = await pool.query<Member>(`${found} where p.${typeof id === "string" ? "user_id" : "id"} = $2`, [accountId, id]);
  return rows[0] && shown(rows[0]);
}

/** The verified addresses of the members with one of these roles, or of one person who is a member; the longest-standing first. */
export async function readAddresses(
  { pool }: Queries,
  accountId: bigint,
  { roles = null, personId = null, most }: { roles?: readonly Role[] | null; personId?: bigint | null; most: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ email: string }>(
    `select p.email from ${membersOf} m join account p on p.id = m.person_id
     where p.email_verified_at is not null and ($2::text[] is null or m.role = any($2)) and ($3::bigint is null or m.person_id = $3)
     order by m.created_at, m.person_id limit $4`,
    [accountId, roles, personId, most],
  );
  return rows.map(({ email }) => email);
}

function shown(row: Member): Member {
  return { ...row, id: userIdText(row.id) };
}

/** Of a workspace whose row is locked. */
export async function countOwners({ pool }: Queries, accountId: bigint): Promise<number> {
  const { rows } = await pool.query<{ owners: number }>(`select count(*)::int as owners from ${membersOf} m where m.role = 'owner'`, [
    accountId,
  ]);
  return rows[0]!.owners;
}

/** As the contract shows them, each with what the own keys spent and may spend. */
export async function memberRecords(db: Queries, accountId: bigint, members: readonly Member[]): Promise<MemberRecord[]> {
  const persons = members.map(({ personId }) => personId);
  const spending = await readMemberSpending(db, accountId, persons);
  return members.map(({ personId, id, email, name, role, joinedAt }) => {
    const { limit, resets, spent, reserved, resetsAt } = spending.get(personId)!;
    const left = limit === null ? null : limit - spent - reserved;
    return {
      ...{ id, object: "workspace.member", email, name, role, created_at: joinedAt.toISOString() },
      limit_usd: limit === null ? null : toUsd(limit),
      limit_resets: resets,
      spent_usd: toUsd(spent),
      remaining_usd: left === null ? null : toUsd(left > 0n ? left : 0n), // a budget may be set below what is spent
      resets_at: resetsAt?.toISOString() ?? null,
    };
  });
}
