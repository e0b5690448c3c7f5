// Changes of who is in a workspace, with which role, and what the keys of a member may spend. Each locks the workspace's row first and reads the
// roles again, so that concurrent changes see each other's result and an owner remains.
import type { CallerSession, Role } from "../accounts/caller.ts";
import type { BudgetChange } from "../accounts/key-budgets.ts";
import { disableKeysOf } from "../accounts/manage-keys.ts";
import {
  type Actor,
  countOwners,
  findMember,
  lockAsManager,
  lockWorkspace,
  type Member,
  type MemberRecord,
  memberRecords,
  setMemberBudget,
} from "../accounts/members.ts";
import { recordFormerMember } from "../accounts/group-members.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";

export function actorOf({ accountId, session }: { accountId: bigint; session: CallerSession | null }): Actor {
  if (session === null) throw new Error("a key changes no workspace: the contract accepts only sessions here");
  return { accountId, personId: session.personId };
}

/** Absent fields stay as they are. */
interface MemberChange {
  /** `usr_…` */
  member: string;
  role: Role | undefined;
  budget: BudgetChange;
}

interface Removal {
  /** `usr_…` */
  member: string;
  keys: "disable" | "keep";
}

interface Removed {
  member: Member;
  keysDisabled: number;
}

/** Returns the member as it is then. */
export async function changeMember(db: Db, actor: Actor, { member: id, role, budget }: MemberChange): Promise<MemberRecord> {
  return inTransaction(db, async (transaction) => {
    const { accountId } = actor;
    const acting = await lockAsManager(transaction, actor);
    const member = (await findMember(transaction, accountId, id)) ?? fail("member_not_found");
    const isChanged = (role !== undefined && role !== member.role) || Object.values(budget).some((field) => field !== undefined);
    if (isChanged && acting.role !== "owner" && (role === "owner" || member.role === "owner"))
      refuse("only an owner makes or changes owners");
    if (role !== undefined && role !== member.role) await setRole(transaction, accountId, member, role);
    await setMemberBudget(transaction, { accountId, personId: member.personId }, budget);
    return (await memberRecords(transaction, accountId, [{ ...member, role: role ?? member.role }]))[0]!;
  });
}

async function setRole({ pool }: Queries, accountId: bigint, member: Member, role: Role): Promise<void> {
  if (member.role === "owner") await assertDispensable({ pool }, accountId, member);
  await pool.query("update member set role = $3 where account_id = $1 and person_id = $2", [accountId, member.personId, role]);
}

export async function removeMember(db: Db, actor: Actor, { member: id, keys }: Removal): Promise<Removed> {
  return inTransaction(db, async (transaction) => {
    const acting = await lockAsManager(transaction, actor);
    const member = (await findMember(transaction, actor.accountId, id)) ?? fail("member_not_found");
    if (acting.role !== "owner" && member.role === "owner") refuse("only an owner removes owners");
    return take(transaction, actor.accountId, member, keys);
  });
}

export async function leave(db: Db, actor: Actor, keys: Removal["keys"]): Promise<Removed> {
  return inTransaction(db, async (transaction) => take(transaction, actor.accountId, await lockWorkspace(transaction, actor), keys));
}

async function take(transaction: Queries, accountId: bigint, member: Member, keys: Removal["keys"]): Promise<Removed> {
  const { personId } = member;
  if (personId === accountId || member.role === "owner") await assertDispensable(transaction, accountId, member);
  await transaction.pool.query("delete from member where account_id = $1 and person_id = $2", [accountId, personId]);
  await recordFormerMember(transaction, accountId, personId);
  return { member, keysDisabled: keys === "keep" ? 0 : await disableKeysOf(transaction, accountId, personId) };
}

async function assertDispensable(transaction: Queries, accountId: bigint, { personId }: Member): Promise<void> {
  if (personId === accountId) refuse("it is the person's own workspace, which that person owns");
  if ((await countOwners(transaction, accountId)) < 2) refuse("a workspace has an owner: make another member owner first");
}

export function refuse(reason: string): never {
  return fail("permission_denied", { text: { reason } });
}
