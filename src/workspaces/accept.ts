// Accepting an invitation: exactly once, by the person whose address was invited.
import { digestOf, isTokenShaped } from "../accounts/keys.ts";
import { findMember, membersMax } from "../accounts/members.ts";
import type { Role } from "../accounts/roles.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { gives } from "./invitations.ts";
import { refuse } from "./members.ts";
import { assertMayJoin, readWorkspace, type WorkspaceRecord } from "./workspaces.ts";

interface Acceptance {
  personId: bigint;
  token: string;
  at: Date;
}

interface Invited {
  id: string;
  accountId: bigint;
  role: Role;
  invitedBy: bigint;
}

/**
 * Every token that can't be accepted looks unknown. Who is a member already keeps the role, from then on also without the groups that had made
 * the membership.
 */
export async function acceptInvitation(db: Db, { personId, token, at }: Acceptance): Promise<WorkspaceRecord> {
  await assertVerified(db, personId);
  if (!isTokenShaped("mail", token)) failUnknown();
  const hash = digestOf(token);
  const find = async ({ pool }: Queries): Promise<Invited> => {
    const { rows } = await pool.query<Invited>(
      `select i.id, i.account_id as "accountId", i.role, i.invited_by as "invitedBy"
       from invitation i join account p on p.id = $2 and p.email_norm = i.email_norm
       where i.hash = $1 and i.ended_at is null and i.expires_at > $3`,
      [hash, personId, at],
    );
    return rows[0] ?? failUnknown();
  };
  const { accountId } = await find(db);
  return inTransaction(db, async (transaction) => {
    await lockBoth(transaction, accountId, personId);
    const { id, role, invitedBy } = await find(transaction); // as it is now: it may have been accepted or revoked meanwhile
    const inviter = await findMember(transaction, accountId, invitedBy);
    if (inviter === undefined || !gives(inviter.role, role)) failUnknown();
    if ((await findMember(transaction, accountId, personId)) === undefined) await join(transaction, { accountId, personId, role, at });
    else await transaction.pool.query("update member set groups_of = null where account_id = $1 and person_id = $2", [accountId, personId]);
    await transaction.pool.query("update invitation set ended_at = $2, outcome = 'accepted' where id = $1", [id, at]);
    return readWorkspace(transaction, personId, accountId);
  });
}

/** In the order of their ids, so that two people who accept each other's invitations can't deadlock. */
async function lockBoth({ pool }: Queries, ...ids: bigint[]): Promise<void> {
  await pool.query("select 1 from account where id = any($1) order by id for no key update", [ids]);
}

async function join(
  transaction: Queries,
  { accountId, personId, role, at }: Omit<Acceptance, "token"> & { accountId: bigint; role: Role },
) {
  await assertMayJoin(transaction, personId);
  const { rows } = await transaction.pool.query<{ members: number }>("select count(*)::int as members from member where account_id = $1", [
    accountId,
  ]);
  if (rows[0]!.members >= membersMax) refuse(`a workspace has ${membersMax} members at most`);
  await transaction.pool.query("insert into member (account_id, person_id, role, created_at) values ($1, $2, $3, $4)", [
    accountId,
    personId,
    role,
    at,
  ]);
}

/** Comes first: else an account that took another person's address could try tokens. */
async function assertVerified({ pool }: Queries, personId: bigint): Promise<void> {
  const { rowCount } = await pool.query("select 1 from account where id = $1 and email_verified_at is not null", [personId]);
  if (rowCount === 0) fail("email_unverified");
}

function failUnknown(): never {
  return fail("invalid_token", { param: "token" });
}
