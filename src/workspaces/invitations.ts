// Invitations: making, listing, sending again and revoking them; each change locks the workspace's row and reads the actor's role again. And
// accepting one: exactly once, by the person whose address was invited.
import { randomUUID } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import { digestOf } from "../accounts/keys.ts";
import { isTokenShaped, makeToken } from "../accounts/tokens.ts";
import { type Actor, findMember, lockAsManager, membersMax } from "../accounts/members.ts";
import type { Role } from "../accounts/caller.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { invitationIdText, parseInvitationId, userIdText } from "../ids.ts";
import type { Mail } from "../mail/mailer.ts";
import { foldEmail } from "../text/email-address.ts";
import { invitationMail } from "./mails.ts";
import { refuse } from "./members.ts";
import { assertMayJoin, readWorkspace, type WorkspaceRecord } from "./workspaces.ts";

type InvitationRecord = components["schemas"]["Invitation"];

/** The list of invitations has no pages. */
const waitingMax = 100;
const lifeMs = 7 * 24 * 60 * 60 * 1000;
/** How many mails an address gets in a day, of all workspaces together, so that it can't be flooded. */
const mailsMax = 10;
/** How many a workspace sends in a day, so that revoking and inviting again is no way to mail the world. */
const workspaceMailsMax = 200;
const dayMs = 24 * 60 * 60 * 1000;

interface InvitationRow {
  id: string;
  email: string;
  role: Role;
  /** UUID of the person. */
  invitedBy: string;
  createdAt: Date;
  sentAt: Date;
  expiresAt: Date;
}

/** What the mail needs beside the invitation. */
interface Moment {
  publicUrl: string;
  at: Date;
}

interface Sent {
  record: InvitationRecord;
  /** To be sent once the transaction is over. */
  mail: Mail;
}

const columns = `i.id, i.email, i.role, p.user_id as "invitedBy", i.created_at as "createdAt", i.sent_at as "sentAt", i.expires_at as "expiresAt"`;
const tables = "invitation i join account p on p.id = i.invited_by";

export async function listInvitations({ pool }: Queries, accountId: bigint, at: Date): Promise<InvitationRecord[]> {
  const { rows } = await pool.query<InvitationRow>(
    `select ${columns} from ${tables} where i.account_id = $1 and i.ended_at is null order by i.created_at desc, i.id desc limit $2`,
    [accountId, waitingMax],
  );
  return rows.map((row) => toRecord(row, at));
}

/** An address that was invited already gets a new link and the new role. */
export async function invite(db: Db, actor: Actor, { email, role }: { email: string; role: Role }, moment: Moment): Promise<Sent> {
  const folded = foldEmail(email);
  return inTransaction(db, async (transaction) => {
    const acting = await lockAsManager(transaction, actor);
    assertGives(acting.role, role);
    await assertNoMember(transaction, actor.accountId, folded);
    const { rows } = await transaction.pool.query<{ id: string; role: Role; isThis: boolean }>(
      `select id, role, email_norm = $2 as "isThis" from invitation where account_id = $1 and ended_at is null`,
      [actor.accountId, folded],
    );
    const waiting = rows.find(({ isThis }) => isThis);
    if (waiting !== undefined) assertGives(acting.role, waiting.role);
    else if (rows.length >= waitingMax) refuse(`a workspace has ${waitingMax} invitations at most: revoke one first`);
    const id = waiting?.id ?? randomUUID();
    return send(transaction, actor, { id, email, folded, role }, moment);
  });
}

export async function resend(db: Db, actor: Actor, text: string, moment: Moment): Promise<Sent> {
  return inTransaction(db, async (transaction) => {
    const { id, email, role } = await lockWaiting(transaction, actor, text);
    return send(transaction, actor, { id, email, folded: foldEmail(email), role }, moment);
  });
}

/** Returns its id as shown. */
export async function revoke(db: Db, actor: Actor, text: string, at: Date): Promise<string> {
  return inTransaction(db, async (transaction) => {
    const { id } = await lockWaiting(transaction, actor, text);
    await transaction.pool.query("update invitation set ended_at = $2, outcome = 'revoked' where id = $1", [id, at]);
    return invitationIdText(id);
  });
}

/** Whether a member with that role may invite as `role`, change and revoke such invitations. */
function gives(giver: Role, role: Role): boolean {
  return giver === "owner" || (giver === "admin" && role !== "owner");
}

function assertGives(giver: Role, role: Role): void {
  if (!gives(giver, role)) refuse("only an owner invites owners");
}

/** Of the actor's workspace, whose row is locked then. */
async function lockWaiting(transaction: Queries, actor: Actor, text: string): Promise<{ id: string; email: string; role: Role }> {
  const acting = await lockAsManager(transaction, actor);
  const id = parseInvitationId(text) ?? fail("invitation_not_found");
  const { rows } = await transaction.pool.query<{ id: string; email: string; role: Role }>(
    "select id, email, role from invitation where id = $1 and account_id = $2 and ended_at is null",
    [id, actor.accountId],
  );
  const waiting = rows[0] ?? fail("invitation_not_found");
  assertGives(acting.role, waiting.role);
  return waiting;
}

async function assertNoMember({ pool }: Queries, accountId: bigint, folded: string): Promise<void> {
  const { rows } = await pool.query<{ id: bigint }>("select id from account where email_norm = $1", [folded]);
  if (rows[0] !== undefined && (await findMember({ pool }, accountId, rows[0].id)) !== undefined) refuse("that address is a member's");
}

interface ToSend {
  id: string;
  email: string;
  folded: string;
  role: Role;
}

async function send(transaction: Queries, actor: Actor, { id, email, folded, role }: ToSend, { publicUrl, at }: Moment): Promise<Sent> {
  await assertFewMails(transaction, actor.accountId, folded, at);
  const { secret, hash } = makeToken("mail");
  await transaction.pool.query(
    `insert into invitation (id, account_id, email, email_norm, role, hash, invited_by, created_at, sent_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
     on conflict (id) do update set email = excluded.email, role = excluded.role, hash = excluded.hash, invited_by = excluded.invited_by,
       sent = case when invitation.sent_at > $8 - interval '1 day' then invitation.sent + 1 else 1 end,
       sent_at = excluded.sent_at, expires_at = excluded.expires_at`,
    [id, actor.accountId, email, folded, role, hash, actor.personId, at, new Date(at.getTime() + lifeMs)],
  );
  const { rows } = await transaction.pool.query<InvitationRow & { by: string }>(
    `select ${columns}, p.email as by from ${tables} where i.id = $1`,
    [id],
  );
  const [row] = rows as [InvitationRow & { by: string }];
  const { name: workspace } = await readWorkspace(transaction, actor.personId, actor.accountId);
  return { record: toRecord(row, at), mail: invitationMail({ to: email, workspace, publicUrl }, { by: row.by, role, token: secret }) };
}

/** `sent` counts the mails of one invitation that followed each other within a day. Concurrent ones are counted one after the other. */
async function assertFewMails({ pool }: Queries, accountId: bigint, folded: string, at: Date): Promise<void> {
  await pool.query("select pg_advisory_xact_lock(hashtextextended('invitation ' || $1, 0))", [folded]);
  const { rows } = await pool.query<{ address: number; workspace: number }>(
    `select coalesce((select sum(sent) from invitation where email_norm = $1 and sent_at > $2), 0)::int as address,
       coalesce((select sum(sent) from invitation where account_id = $3 and sent_at > $2), 0)::int as workspace`,
    [folded, new Date(at.getTime() - dayMs), accountId],
  );
  const [{ address, workspace }] = rows as [{ address: number; workspace: number }];
  if (address >= mailsMax) refuse(`an address gets ${mailsMax} invitations a day at most: try again tomorrow`);
  if (workspace >= workspaceMailsMax) refuse(`a workspace sends ${workspaceMailsMax} invitations a day at most: try again tomorrow`);
}

function toRecord({ id, email, role, invitedBy, createdAt, sentAt, expiresAt }: InvitationRow, at: Date): InvitationRecord {
  return {
    id: invitationIdText(id),
    object: "workspace.invitation",
    email,
    role,
    status: expiresAt > at ? "pending" : "expired",
    invited_by: userIdText(invitedBy),
    created_at: createdAt.toISOString(),
    sent_at: sentAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

// Accepting one.

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
