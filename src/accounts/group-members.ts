// Memberships that follow the groups of an identity provider: added, changed and removed at each sign-in. Those that an invitation made stay as
// they are, and no group makes or removes an owner.
import type { Queries } from "../db/connect.ts";
import { parseWorkspaceId, workspaceIdText } from "../ids.ts";
import { disableKeysOf } from "./manage-keys.ts";
import { joinedMax, membersMax } from "./members.ts";
import type { Role } from "./roles.ts";

interface SignedIn {
  personId: bigint;
  /** The name of the provider. */
  provider: string;
  /** By `ws_…`. */
  roles: ReadonlyMap<string, Role>;
  at: Date;
}

/** `ws_…`, each with what became of the membership there. */
export interface Followed {
  added: string[];
  changed: string[];
  removed: string[];
  /** The workspace, or the person, has no room for more. */
  full: string[];
}

interface Row {
  accountId: bigint;
  userId: string;
  /** Null: no member. */
  role: Role | null;
  groupsOf: string | null;
  members: number;
}

/** Within a transaction that holds no lock of an account yet. A workspace that does not exist is passed over. */
export async function followGroups(transaction: Queries, { personId, provider, roles, at }: SignedIn): Promise<Followed> {
  const followed: Followed = { added: [], changed: [], removed: [], full: [] };
  const wanted = new Map([...roles].flatMap(([id, role]) => asUuid(id).map((uuid) => [uuid, role] as const)));
  const rows = await lockConcerned(transaction, personId, provider, [...wanted.keys()]);
  const { rows: all } = await transaction.pool.query<{ joined: number }>(
    "select count(*)::int as joined from member where person_id = $1",
    [personId],
  );
  let { joined } = all[0]!;
  const values = (accountId: bigint) => [accountId, personId];
  for (const { accountId, userId, role, groupsOf } of rows) {
    const wants = wanted.get(userId);
    if (groupsOf !== provider || role === "owner" || role === wants) continue;
    if (wants !== undefined) {
      await transaction.pool.query("update member set role = $3 where account_id = $1 and person_id = $2", [...values(accountId), wants]);
      followed.changed.push(workspaceIdText(userId));
      continue;
    }
    await transaction.pool.query("delete from member where account_id = $1 and person_id = $2", values(accountId));
    await disableKeysOf(transaction, accountId, personId);
    joined -= 1;
    followed.removed.push(workspaceIdText(userId));
  }
  for (const { accountId, userId, role, members } of rows) {
    const wants = wanted.get(userId);
    if (role !== null || wants === undefined) continue;
    const isFull = joined >= joinedMax || members >= membersMax;
    followed[isFull ? "full" : "added"].push(workspaceIdText(userId));
    if (isFull) continue;
    joined += 1;
    await transaction.pool.query("insert into member (account_id, person_id, role, groups_of, created_at) values ($1, $2, $3, $4, $5)", [
      ...values(accountId),
      ...[wants, provider, at],
    ]);
  }
  return followed;
}

/** The workspaces that the groups name, and those that they made the person a member of before: locked, with the person, in the order of their ids. */
async function lockConcerned({ pool }: Queries, personId: bigint, provider: string, wanted: readonly string[]): Promise<Row[]> {
  await pool.query(
    `select 1 from account where id = $1 or user_id = any($3)
       or id in (select account_id from member where person_id = $1 and groups_of = $2) order by id for no key update`,
    [personId, provider, wanted],
  );
  // A statement of its own: what is read after it is what the last holders of the locks left.
  const { rows } = await pool.query<Row>(
    `select a.id as "accountId", a.user_id as "userId", m.role, m.groups_of as "groupsOf",
       (select count(*)::int from member o where o.account_id = a.id) as members
     from account a left join member m on m.account_id = a.id and m.person_id = $1
     where a.id <> $1 and a.deleted_at is null and (a.user_id = any($3) or m.groups_of = $2)
       and exists (select from account p where p.id = $1 and p.deleted_at is null)
     order by a.id`,
    [personId, provider, wanted],
  );
  return rows;
}

function asUuid(id: string): string[] {
  const uuid = parseWorkspaceId(id);
  return uuid === undefined ? [] : [uuid];
}

/** Of these ids (`ws_…`), those of no workspace. */
export async function unknownWorkspaces({ pool }: Queries, ids: readonly string[]): Promise<string[]> {
  const uuids = ids.flatMap(asUuid);
  const sql = "select user_id as id from account where user_id = any($1) and deleted_at is null";
  const { rows } = await pool.query<{ id: string }>(sql, [uuids]);
  const known = new Set(rows.map(({ id }) => workspaceIdText(id)));
  return [...new Set(ids)].filter((id) => !known.has(id));
}
