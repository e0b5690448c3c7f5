// Memberships that begin with a sign-in. They follow the groups of an identity provider: added, changed and removed at each sign-in; those that an
// invitation made stay as they are, and no group makes or removes an owner. And by a workspace's mail domain a person joins once.
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { parseUserId, parseWorkspaceId, workspaceIdText } from "../ids.ts";
import { domainOf, foldEmail } from "../text/email-address.ts";
import { disableKeysOf } from "./manage-keys.ts";
import { joinedMax, membersMax } from "./members.ts";
import type { Role } from "./caller.ts";

interface SignedIn {
  personId: bigint;
  /** The name of the provider. */
  provider: string;
  /** By `ws_…`. */
  roles: ReadonlyMap<string, Role>;
  at: Date;
}

/** `ws_…`, each with what became of the membership there. */
interface Followed {
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
    await recordFormerMember(transaction, accountId, personId);
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

/** Signing in with an address of the workspace's domain does not bring the person back; an invitation and a group do. */
export async function recordFormerMember({ pool }: Queries, accountId: bigint, personId: bigint): Promise<void> {
  await pool.query("insert into former_member (account_id, person_id) values ($1, $2) on conflict do nothing", [accountId, personId]);
}

/** What became of a person with an address of a workspace's domain; null: nothing. */
type Joined = { workspace: string; as: Role | "full" } | null;

interface ByDomain {
  accountId: bigint;
  personId: bigint;
  workspace: string;
  role: Role;
  isFull: boolean;
}

/** After a person (`usr_…`) has signed in. A domain belongs to one workspace; who is or was a member there does not join by it. */
export async function joinByDomain(db: Db, person: string, at: Date): Promise<Joined> {
  const found = await findByDomain(db, person);
  if (found === undefined) return null;
  return inTransaction(db, async (transaction) => {
    const ids = [found.accountId, found.personId];
    await transaction.pool.query("select 1 from account where id = any($1) order by id for no key update", [ids]);
    // As it is now: another sign-in, a removal or a change of the domain may have come first.
    const now = await findByDomain(transaction, person);
    if (now === undefined || now.accountId !== found.accountId) return null;
    const { workspace, role, isFull } = now;
    if (isFull) return { workspace: workspaceIdText(workspace), as: "full" };
    await transaction.pool.query("insert into member (account_id, person_id, role, created_at) values ($1, $2, $3, $4)", [
      ...ids,
      role,
      at,
    ]);
    return { workspace: workspaceIdText(workspace), as: role };
  });
}

async function findByDomain({ pool }: Queries, person: string): Promise<ByDomain | undefined> {
  const address = await pool.query<{ id: bigint; email: string }>(
    "select id, email from account where user_id = $1 and email_norm is not null and email_verified_at is not null and deleted_at is null",
    [parseUserId(person)],
  );
  if (address.rows[0] === undefined) return undefined;
  const { id: personId, email } = address.rows[0];
  const { rows } = await pool.query<ByDomain>(
    `select a.id as "accountId", $1::bigint as "personId", a.user_id as workspace, d.role,
       (select count(*) from member where account_id = a.id) >= ${membersMax}
         or (select count(*) from member where person_id = $1) >= ${joinedMax} as "isFull"
     from workspace_domain d join account a on a.id = d.account_id
     where d.domain = $2 and d.verified_at is not null and a.id <> $1 and a.deleted_at is null
       and not exists (select from member where account_id = a.id and person_id = $1)
       and not exists (select from former_member where account_id = a.id and person_id = $1)`,
    [personId, domainOf(foldEmail(email))],
  );
  return rows[0];
}
