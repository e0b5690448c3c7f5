// Workspaces as their members see them: listing, making and renaming.
import type { components } from "../../generated/api.d.ts";
import { type Actor, joinedMax, lockAsManager } from "../accounts/members.ts";
import type { Role } from "../accounts/caller.ts";
import { lockForCaller } from "../accounts/users.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { workspaceIdText } from "../ids.ts";

export type WorkspaceRecord = components["schemas"]["Workspace"];

/** Each has the limits of an account of its own: a person gets 21 times those at most. */
const ownedMax = 20;

interface WorkspaceRow {
  userId: string;
  name: string;
  role: Role;
  personal: boolean;
  createdAt: Date;
  retentionDays: number | null;
}

const columns = `a.user_id as "userId", coalesce(a.workspace_name, a.name, a.email) as name, a.id = $1 as personal,
  a.created_at as "createdAt", a.response_retention_days as "retentionDays", case when a.id = $1 then 'owner' else m.role end as role`;
/** Of person $1. */
const tables = "account a left join member m on m.account_id = a.id and m.person_id = $1";

export async function listWorkspaces({ pool }: Queries, personId: bigint): Promise<WorkspaceRecord[]> {
  const { rows } = await pool.query<WorkspaceRow>(
    `select ${columns} from ${tables}
     where a.id = any(array(select account_id from member where person_id = $1) || $1::bigint)
     order by a.id <> $1, m.created_at, a.id limit ${joinedMax + 1}`,
    [personId],
  );
  return rows.map(toRecord);
}

/** Of a member. */
export async function readWorkspace({ pool }: Queries, personId: bigint, accountId: bigint): Promise<WorkspaceRecord> {
  const { rows } = await pool.query<WorkspaceRow>(`select ${columns} from ${tables} where a.id = $2`, [personId, accountId]);
  return toRecord(rows[0]!);
}

export async function createWorkspace(db: Db, personId: bigint, name: string, at: Date): Promise<WorkspaceRecord> {
  return inTransaction(db, async (transaction) => {
    await lockForCaller(transaction, personId);
    await assertMayOwnMore(transaction, personId);
    const { pool } = transaction;
    const { rows } = await pool.query<{ id: bigint }>(
      `insert into account (email, email_verified_at, workspace_name, created_at)
       select email, $3, $2, $3 from account where id = $1 and email_verified_at is not null returning id`,
      [personId, name, at],
    );
    const made = rows[0] ?? fail("email_unverified");
    await pool.query("insert into member (account_id, person_id, role, created_at) values ($1, $2, 'owner', $3)", [made.id, personId, at]);
    return readWorkspace(transaction, personId, made.id);
  });
}

async function assertMayOwnMore(transaction: Queries, personId: bigint): Promise<void> {
  const { pool } = transaction;
  await assertMayJoin(transaction, personId);
  const { rows } = await pool.query<{ owned: number }>(
    "select count(*)::int as owned from member where person_id = $1 and role = 'owner'",
    [personId],
  );
  if (rows[0]!.owned >= ownedMax) fail("permission_denied", { text: { reason: `a person can own at most ${ownedMax} workspaces` } });
}

/** The person's row is locked. */
export async function assertMayJoin({ pool }: Queries, personId: bigint): Promise<void> {
  const { rows } = await pool.query<{ joined: number }>("select count(*)::int as joined from member where person_id = $1", [personId]);
  if (rows[0]!.joined >= joinedMax) fail("permission_denied", { text: { reason: `a person can join at most ${joinedMax} workspaces` } });
}

export async function renameWorkspace(db: Db, actor: Actor, name: string): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockAsManager(transaction, actor);
    await transaction.pool.query("update account set workspace_name = $2 where id = $1", [actor.accountId, name]);
  });
}

function toRecord({ userId, name, role, personal, createdAt, retentionDays }: WorkspaceRow): WorkspaceRecord {
  return {
    ...{ id: workspaceIdText(userId), object: "workspace", name, role, personal },
    ...{ created_at: createdAt.toISOString(), response_retention_days: retentionDays },
  };
}
