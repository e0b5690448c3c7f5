// Deletes a person's account: access ends at once, what says who the person is is removed or replaced, and the books stay. One transaction under the
// lock of the person's row, so that nothing is half deleted. What is kept and for how long: docs/behaviour/endpoints.md#deleting-an-account.
import { disableKeysOf, deleteKeys } from "../accounts/manage-keys.ts";
import { countOwners } from "../accounts/members.ts";
import { confirmedAtSql, confirmedMs, isOperator } from "../accounts/operators.ts";
import { closeSessions } from "../accounts/sessions.ts";
import { dropTotp } from "../accounts/totp.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { userIdText, uuidHex, workspaceIdText } from "../ids.ts";
import { readBalance } from "../ledger/balance.ts";
import { purgeKept } from "../ledger/kept-answers.ts";
import { type Amount, usdText } from "../money.ts";
import { forgetAddress, forgetNotices } from "../notices/notices.ts";

interface Deleting {
  personId: bigint;
  /** Of the session. */
  hash: Buffer;
  /** The person knows that the balance is lost. */
  forfeits: boolean;
  at: Date;
}

interface Deleted {
  id: string;
  /** Where to tell the person. */
  email: string;
  forfeited: Amount;
}

export async function deleteAccount(
  { db, config }: Pick<Context, "db" | "config">,
  { personId, hash, forfeits, at }: Deleting,
): Promise<Deleted> {
  return inTransaction(db, async (transaction) => {
    const joined = await lockAll(transaction, personId);
    const person = await readPerson(transaction, personId, hash);
    if (person.confirmedAt.getTime() + confirmedMs <= at.getTime()) fail("confirmation_required");
    if (await isOperator(transaction, personId, config.operators)) refuse("operators are removed as operators first");
    await assertNobodyInside(transaction, personId);
    const alone = await workspacesAlone(transaction, personId, joined);
    await assertPaid(transaction, [personId, ...alone]);
    const forfeited = await moneyOf(transaction, [personId, ...alone]);
    if (forfeited > 0n && !forfeits) refuse(`${usdText(forfeited)} USD would be lost: repeat it with forfeit_balance=true`);
    await forgetAddress(transaction, await leaveWorkspaces(transaction, personId), person.email);
    for (const accountId of alone) await close(transaction, accountId, at);
    await forget(transaction, personId, person, joined);
    await close(transaction, personId, at);
    return { id: userIdText(person.userId), email: person.email, forfeited };
  });
}

interface Person {
  userId: string;
  email: string;
  confirmedAt: Date;
}

/** Fails where the session has ended meanwhile, as by another request that deleted the account. */
async function readPerson({ pool }: Queries, personId: bigint, hash: Buffer): Promise<Person> {
  const { rows } = await pool.query<Person>(
    `select a.user_id as "userId", a.email, ${confirmedAtSql} as "confirmedAt"
     from session s join account a on a.id = s.account_id where s.hash = $1 and a.id = $2 and a.deleted_at is null`,
    [hash, personId],
  );
  return rows[0] ?? fail("invalid_api_key");
}

/**
 * The person's row and those of the workspaces that the person is a member of, in the order of their ids, as everything that changes members locks
 * them: what is read from now on stays as it is. Returns the workspaces.
 */
async function lockAll({ pool }: Queries, personId: bigint): Promise<bigint[]> {
  const { rows } = await pool.query<{ id: bigint }>(
    `select id from account where id = $1 or id in (select account_id from member where person_id = $1) order by id for no key update`,
    [personId],
  );
  return rows.map(({ id }) => id).filter((id) => id !== personId);
}

/** A person's own workspace ends with the account, and others may have put money into it. */
async function assertNobodyInside({ pool }: Queries, personId: bigint): Promise<void> {
  const { rowCount } = await pool.query("select 1 from member where account_id = $1 limit 1", [personId]);
  if (rowCount !== 0) refuse("others are members of your own workspace: remove them first");
}

/** A payment that succeeds later would be lost without a word. */
async function assertPaid({ pool }: Queries, accounts: bigint[]): Promise<void> {
  await pool.query("select 1 from balance where account_id = any($1) order by account_id for no key update", [accounts]);
  const { rowCount } = await pool.query("select 1 from topup where account_id = any($1) and status = 'pending' limit 1", [accounts]);
  if (rowCount !== 0) refuse("a payment is under way: finish it, or wait until it has expired");
}

/** The shared workspaces that the person is the only member of. Fails where others would be left without an owner. */
async function workspacesAlone(transaction: Queries, personId: bigint, joined: bigint[]): Promise<bigint[]> {
  const { rows } = await transaction.pool.query<{ id: bigint; userId: string; role: string; members: number }>(
    `select a.id, a.user_id as "userId", m.role,
       (select count(*)::int from member o where o.account_id = a.id) + (a.email_norm is not null)::int as members
     from member m join account a on a.id = m.account_id where m.person_id = $1 order by a.id`,
    [personId],
  );
  // Joined between the reading of the members and the lock: such a request is as good as later.
  if (rows.some(({ id }) => !joined.includes(id))) refuse("you have just joined a workspace: try again");
  for (const { id, userId, role, members } of rows) {
    if (role === "owner" && members > 1 && (await countOwners(transaction, id)) < 2)
      refuse(`others are members of the workspace ${workspaceIdText(userId)}: make one of them owner first`);
  }
  return rows.filter(({ members }) => members === 1).map(({ id }) => id);
}

async function moneyOf(transaction: Queries, accounts: bigint[]): Promise<Amount> {
  let sum = 0n;
  for (const accountId of accounts) {
    const balance = await readBalance(transaction, accountId);
    const total = (balance?.available ?? 0n) + (balance?.reserved ?? 0n);
    if (total > 0n) sum += total;
  }
  return sum;
}

/** The keys that the person made there no longer work. Returns which they were. */
async function leaveWorkspaces(transaction: Queries, personId: bigint): Promise<bigint[]> {
  const { rows } = await transaction.pool.query<{ accountId: bigint }>(
    `delete from member where person_id = $1 returning account_id as "accountId"`,
    [personId],
  );
  for (const { accountId } of rows.sort((a, b) => (a.accountId < b.accountId ? -1 : 1)))
    await disableKeysOf(transaction, accountId, personId);
  return rows.map(({ accountId }) => accountId);
}

/** Nothing works there any more; the ledger, the log and what is owed stay. */
async function close(transaction: Queries, accountId: bigint, at: Date): Promise<void> {
  const { pool } = transaction;
  await deleteKeys(transaction, accountId, at);
  await forgetNotices(transaction, accountId);
  // The worker of automatic top-ups has the payment provider forget the card.
  await pool.query(
    `update auto_topup set enabled = false, forget_cards = array_remove(array_append(forget_cards, card_id), null), card_id = null, card = null
     where account_id = $1`,
    [accountId],
  );
  await pool.query("delete from member where account_id = $1", [accountId]);
  await pool.query("update invitation set ended_at = $2, outcome = 'revoked' where account_id = $1 and ended_at is null", [accountId, at]);
  await pool.query("update api_key set name = 'deleted' where account_id = $1", [accountId]);
  await pool.query("update voice set name = 'deleted' where account_id = $1", [accountId]);
  await pool.query(
    `update batch set status = 'cancelled', cancelled_at = $2, ended_at = $2, metadata = null where account_id = $1 and ended_at is null`,
    [accountId, at],
  );
  await purgeKept(transaction, accountId);
  await pool.query("delete from batch_line l using batch b where b.id = l.batch_id and b.account_id = $1", [accountId]);
  await pool.query("update stored_file set deleted_at = $2 where account_id = $1 and deleted_at is null", [accountId, at]);
  for (const table of ["stored_response", "conversation", "workspace_domain", "former_member"])
    await pool.query(`delete from ${table} where account_id = $1`, [accountId]);
  await pool.query(
    "update account set suspended_at = coalesce(suspended_at, $2), deleted_at = $2, response_retention_days = null where id = $1",
    [accountId, at],
  );
}

/** The address is free again; only who has it already can tell that its signup credit was given. */
async function forget(transaction: Queries, personId: bigint, { userId, email }: Person, joined: bigint[]): Promise<void> {
  const { pool } = transaction;
  await dropTotp(transaction, personId);
  await closeSessions(transaction, personId);
  for (const table of ["verification", "identity", "known_network"])
    await pool.query(`delete from ${table} where account_id = $1`, [personId]);
  await pool.query("delete from former_member where person_id = $1", [personId]);
  await pool.query("delete from invitation where email_norm = lower($1)", [email]);
  await pool.query("update signup_mailbox set mailbox = forgotten_mailbox(mailbox) where account_id = $1", [personId]);
  // A shared workspace has the address of the person who created it; from now on an owner's, if there is one.
  await pool.query(
    `update account a set email = coalesce((select p.email from member m join account p on p.id = m.person_id
         where m.account_id = a.id and m.role = 'owner' order by m.created_at, p.id limit 1), $3),
       workspace_name = case when a.deleted_at is null then a.workspace_name else 'deleted' end
     where a.id = any($1) and a.email_norm is null and (lower(a.email) = lower($2) or a.deleted_at is not null)`,
    [joined, email, `${uuidHex(userId)}@deleted.invalid`],
  );
  await pool.query(
    "update account set email = $2, email_norm = $2, name = null, workspace_name = null, password_hash = null where id = $1",
    [personId, `${uuidHex(userId)}@deleted.invalid`],
  );
}

function refuse(reason: string): never {
  return fail("account_not_deletable", { text: { reason } });
}
