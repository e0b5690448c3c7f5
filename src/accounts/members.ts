// Who is a member of which workspace, as stored, and what all keys that a member created there may spend together, and have spent: a row of
// member_budget where the workspace set it. A person owns the own workspace without a row. src/workspaces says who may change it; the
// ledger's functions keep to the budget as to that of a key (src/ledger/README.md#budgets-and-slots).
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { parseUserId, userIdText } from "../ids.ts";
import { type Amount, toUsd } from "../money.ts";
import { assertRoleAmong, type Role } from "./caller.ts";
import { type BudgetChange, changedBudget, type LimitResets, noBudget, shownBudget, type StoredBudget } from "./key-budgets.ts";
import { failSuspended, lockForCaller } from "./users.ts";

export interface Member {
  /** The person's own account. */
  personId: bigint;
  /** `usr_…` */
  id: string;
  email: string;
  name: string | null;
  role: Role;
  joinedAt: Date;
  /** The person's own account is. */
  isSuspended: boolean;
}

/** Members are paged; this bounds what the workspace's lock waits for. */
export const membersMax = 1_000;
/** The list of a person's workspaces has no pages. */
export const joinedMax = 100;

export type MemberRecord = components["schemas"]["Member"];

/** The members of account $1. A deleted person owns nothing, and has no address. */
const membersOf = `(select person_id, role, created_at from member where account_id = $1
  union all select id, 'owner', created_at from account where id = $1 and email_norm is not null and deleted_at is null)`;

const found = `select m.person_id as "personId", p.user_id as id, p.email, p.name, m.role, m.created_at as "joinedAt", p.suspended_at is not null as "isSuspended"
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

interface Asked {
  /** Of members with one of these roles. */
  roles?: readonly Role[];
  /** And of this one, `usr_…`, who is the first of all. */
  besides?: string | undefined;
  /** Of this person alone, who is a member. */
  personId?: bigint;
  /** This one, if it is among them. */
  address?: string | undefined;
  most: number;
}

/** The verified addresses of members, the longest-standing first. */
export async function readAddresses(
  { pool }: Queries,
  accountId: bigint,
  { roles, besides, personId, address, most }: Asked,
): Promise<string[]> {
  const { rows } = await pool.query<{ email: string }>(
    `select p.email from ${membersOf} m join account p on p.id = m.person_id
     where p.email_verified_at is not null and ($2::text[] is null or m.role = any($2) or p.user_id = $6) and ($3::bigint is null or m.person_id = $3)
       and ($4::text is null or p.email = $4)
     order by p.user_id is distinct from $6::uuid, m.created_at, m.person_id limit $5`,
    [accountId, roles ?? null, personId ?? null, address ?? null, most, besides === undefined ? null : parseUserId(besides)],
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

/** Who changes something in which workspace. */
export interface Actor {
  accountId: bigint;
  personId: bigint;
}

/** Holds until the transaction ends. 403 where the member was removed, or the workspace or the member suspended, since the request came. */
export async function lockWorkspace(transaction: Queries, { accountId, personId }: Actor): Promise<Member> {
  await lockForCaller(transaction, accountId);
  const member = (await findMember(transaction, accountId, personId)) ?? refuse("you are not a member of this workspace");
  return member.isSuspended ? failSuspended() : member;
}

/** The same for what members with these roles alone change: the role may have been lowered since the request came, too. */
export async function lockAs(transaction: Queries, actor: Actor, allowed: readonly Role[]): Promise<Member> {
  const member = await lockWorkspace(transaction, actor);
  assertRoleAmong(member.role, allowed);
  return member;
}

export function lockAsManager(transaction: Queries, actor: Actor): Promise<Member> {
  return lockAs(transaction, actor, ["owner", "admin"]);
}

/** Of top-ups, cards and vouchers. */
export function lockAsPayer(transaction: Queries, actor: Actor): Promise<Member> {
  return lockAs(transaction, actor, ["owner", "admin", "billing"]);
}

function refuse(reason: string): never {
  return fail("permission_denied", { text: { reason } });
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

interface MemberSpending {
  limit: Amount | null;
  resets: LimitResets;
  /** In the running period, or in all. */
  spent: Amount;
  /** Held by calls in flight. */
  reserved: Amount;
  resetsAt: Date | null;
}

interface Row extends StoredBudget {
  personId: bigint;
  spent: Amount;
  reserved: Amount;
  resetsAt: Date | null;
}

/** Of each of these persons, in an account. */
async function readMemberSpending(
  { pool }: Queries,
  accountId: bigint,
  personIds: readonly bigint[],
): Promise<Map<bigint, MemberSpending>> {
  const { rows } = await pool.query<Row>(
    `select p.id as "personId", m.limit_amount, m.period, m.period_limit, coalesce(k.reserved, 0)::bigint as reserved,
       case when m.period is null then coalesce(k.spent, 0)::bigint when at < m.period_ends then m.period_spent else 0 end as spent,
       case when m.period is not null then budget_period_ends(m.period, m.period_ends, at) end as "resetsAt"
     from (select clock_timestamp() as at) now, unnest($2::bigint[]) p(id)
     left join member_budget m on m.account_id = $1 and m.person_id = p.id
     left join (select a.created_by, sum(b.spent) as spent, sum(b.reserved) as reserved from api_key a join key_budget b on b.key_id = a.id
       where a.account_id = $1 and a.created_by = any($2) group by a.created_by) k on k.created_by = p.id`,
    [accountId, personIds],
  );
  return new Map(
    rows.map(({ personId, spent, reserved, resetsAt, ...stored }) => {
      const { limit, resets } = shownBudget(stored);
      return [personId, { limit, resets, spent, reserved, resetsAt }];
    }),
  );
}

/**
 * In a transaction that has locked the account's row, so that no key is made meanwhile. It locks the balance too: what the keys spent and hold
 * stands still until the row has it. A new kind of period has nothing spent; without a limit there is no row.
 */
export async function setMemberBudget(
  { pool }: Queries,
  member: { accountId: bigint; personId: bigint },
  change: BudgetChange,
): Promise<void> {
  if (change.limit === undefined && change.resets === undefined) return;
  const ids = [member.accountId, member.personId];
  await pool.query("select 1 from balance where account_id = $1 for no key update", [member.accountId]);
  const { rows } = await pool.query<StoredBudget>(
    "select limit_amount, period, period_limit from member_budget where account_id = $1 and person_id = $2",
    ids,
  );
  const { limit, resets } = shownBudget(rows[0] ?? noBudget);
  const wanted = { limit: change.limit === undefined ? limit : change.limit, resets: change.resets ?? resets };
  const keys = "(select id from api_key where account_id = $1 and created_by = $2)";
  if (wanted.limit === null) {
    await pool.query(`update key_budget set member_id = null where key_id in ${keys} and $2::bigint = member_id`, ids);
    await pool.query("delete from member_budget where account_id = $1 and person_id = $2", ids);
    return;
  }
  const { limit_amount, period, period_limit } = changedBudget(noBudget, wanted);
  await pool.query(
    `insert into member_budget as m (account_id, person_id, limit_amount, period, period_limit, spent, reserved)
       select $1, $2, $3, $4, $5, coalesce(sum(spent), 0), coalesce(sum(reserved), 0) from key_budget where key_id in ${keys}
     on conflict (account_id, person_id) do update set limit_amount = excluded.limit_amount, period = excluded.period,
       period_limit = excluded.period_limit, period_spent = case when m.period is distinct from excluded.period then 0 else m.period_spent end,
       period_ends = case when m.period is distinct from excluded.period then null else m.period_ends end`,
    [...ids, limit_amount, period, period_limit],
  );
  await pool.query(`update key_budget set member_id = $2 where key_id in ${keys} and member_id is null`, ids);
}
