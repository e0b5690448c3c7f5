// Which keys of a workspace a caller may see and change. Who asks by a key has the rights of the person who made it, as they are now.
import type { Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { type Caller, ownKeysOnly, type Role } from "./caller.ts";
import { lockAs } from "./members.ts";
import { lockAccountRow, lockForCaller } from "./users.ts";

/** Those of the operations that change keys, as the contract names them (x-roles). */
const managing: readonly Role[] = ["owner", "admin", "developer"];
/** Those of the operations that show keys. */
const reading: readonly Role[] = [...managing, "viewer"];

interface Key {
  accountId: bigint;
  createdBy: bigint | null;
}

/** The person whose keys alone the caller sees; null: everyone's. Throws permission_denied for a key whose maker may see none. */
export async function keysSeenBy(db: Queries, caller: Pick<Caller, "accountId" | "keyId" | "session">): Promise<bigint | null> {
  if (caller.session !== null || caller.keyId === null) return ownKeysOnly(caller.session);
  const { rows } = await db.pool.query<{ createdBy: bigint | null; role: Role | null }>(
    `select k.created_by as "createdBy", m.role from api_key k
     left join member m on m.account_id = k.account_id and m.person_id = k.created_by where k.id = $1`,
    [caller.keyId],
  );
  const { createdBy, role } = rows[0]!;
  // It came with the account or from the operator, or it is the person's own workspace, which has no row of its owner.
  if (createdBy === null || createdBy === caller.accountId) return null;
  if (role === null) refuse("the person who created this key is not a member of this workspace any more");
  if (!reading.includes(role)) refuse(`the person who created this key is ${role} now, and this needs ${reading.join(" or ")}`);
  return ownKeysOnly({ role, personId: createdBy });
}

/** Locks the account of a key that is about to be made, and asks what the person may now: a role may have changed since the request came. */
export async function lockForNewKey(transaction: Queries, accountId: bigint, personId: bigint | null): Promise<void> {
  if (personId === null) await lockForCaller(transaction, accountId);
  else await lockAs(transaction, { accountId, personId }, managing);
}

/** As `lockForNewKey`, for a key that is there. `personId` null: the operator. Throws not_found for what the person doesn't see. */
export async function lockForChange(transaction: Queries, { accountId, createdBy }: Key, personId: bigint | null): Promise<void> {
  if (personId === null) return void (await lockAccountRow(transaction, accountId));
  const { role } = await lockAs(transaction, { accountId, personId }, managing);
  const own = ownKeysOnly({ role, personId });
  if (own !== null && own !== createdBy) fail("not_found");
}

function refuse(reason: string): never {
  return fail("permission_denied", { text: { reason } });
}
