// Who has an operator's role: the list, and giving and taking roles. One admin stays, and operators can't change their own role.
import type { components } from "../../generated/api.d.ts";
import { findAccount } from "../accounts/admin.ts";
import { isAtLeast, type OperatorRole } from "../accounts/operators.ts";
import { lockReceiver } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import type { Db, Queries } from "../db/connect.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { accountIdText, cutId } from "../ids.ts";
import { type Actor, recorded } from "./action-log.ts";

type Needs = Pick<Context, "db" | "clock"> & { config: Pick<Context["config"], "operators"> };

interface Row {
  accountId: bigint | null;
  email: string;
  role: OperatorRole;
  named: boolean;
  addedBy: string | null;
  addedAt: Date | null;
}

/** Accounts with a role in the database; those of SVC_OPERATORS come beside them. */
const rolesMax = 100;

export async function listRoles({ pool }: Queries, named: readonly string[]): Promise<components["schemas"]["OperatorList"]> {
  const { rows } = await pool.query<Row>(
    `select a.id as "accountId", coalesce(a.email, n.address) as email, 'admin' as role, true as named, null as "addedBy", null::timestamptz as "addedAt"
     from (select * from unnest($1::text[]) address limit 100) n left join account a on a.email_norm = n.address
     union all
     select a.id, a.email, o.role, false, o.added_by, o.added_at from operator o join account a on a.id = o.account_id
     where a.email_norm is null or a.email_norm <> all ($1) order by email`,
    [named],
  );
  return {
    object: "list",
    data: rows.map((row) => ({
      account_id: row.accountId === null ? null : accountIdText(row.accountId),
      email: row.email,
      role: row.role,
      from_settings: row.named,
      added_by: row.addedBy,
      added_at: row.addedAt?.toISOString() ?? null,
    })),
  };
}

/** `role` null takes the role. `actor.accountId` null is the command line, which may do all of it but leave no address unverified. */
export async function setRole(
  { db, clock, config }: Needs,
  actor: Actor,
  { account, role, reason }: { account: string; role: OperatorRole | null; reason: string | null },
): Promise<void> {
  const found = (await findAccount(db, account)) ?? fail("account_not_found", { text: { id: cutId(account) } });
  const { accountId, email, verified } = found;
  if (accountId === actor.accountId) failNotPossible("operators can't change their own role");
  if (config.operators.includes(email.toLowerCase())) failNotPossible("SVC_OPERATORS names the address: change it there");
  if (role !== null && !verified) failNotPossible("the account's email address is not verified");
  const at = clock();
  await recorded(db, actor, at, async (transaction) => {
    // One change of roles at a time: two admins may take each other's role.
    await transaction.pool.query("lock table operator in share row exclusive mode");
    await assertStillAdmin(transaction, actor, config.operators);
    if (role !== null) await lockReceiver(transaction, accountId, { toPerson: true });
    const before = await roleOf(transaction, accountId);
    if (before === role) return { result: undefined, row: null };
    if (before === "admin") await assertOtherAdmin(transaction, accountId, config.operators);
    await writeRole(transaction, { accountId, role, by: actor.who, at });
    const row = { action: role === null ? "operator.remove" : "operator.set", target: accountIdText(accountId), reason };
    return { result: undefined, row: { ...row, before: { role: before, email }, after: { role, email } } };
  });
}

async function roleOf({ pool }: Queries, accountId: bigint): Promise<OperatorRole | null> {
  const { rows } = await pool.query<{ role: OperatorRole }>("select role from operator where account_id = $1", [accountId]);
  return rows[0]?.role ?? null;
}

async function writeRole(
  { pool }: Queries,
  { accountId, role, by, at }: { accountId: bigint; role: OperatorRole | null; by: string; at: Date },
): Promise<void> {
  if (role === null) return void (await pool.query("delete from operator where account_id = $1", [accountId]));
  const { rowCount } = await pool.query(
    `insert into operator (account_id, role, added_by, added_at)
     select $1, $2, $3, $4 where (select count(*) from operator where account_id <> $1) < ${rolesMax}
     on conflict (account_id) do update set role = excluded.role, added_by = excluded.added_by, added_at = excluded.added_at`,
    [accountId, role, by, at],
  );
  if (rowCount === 0) failNotPossible(`at most ${rolesMax} accounts have a role`);
}

/** Another admin may have taken the actor's role while the request waited. */
async function assertStillAdmin(db: Queries, { accountId, who }: Actor, named: readonly string[]): Promise<void> {
  if (accountId === null || named.includes(who.toLowerCase())) return;
  const role = await roleOf(db, accountId);
  if (role === null || !isAtLeast(role, "admin"))
    fail("permission_denied", { text: { reason: "it needs an operator with the role admin" } });
}

async function assertOtherAdmin({ pool }: Pick<Db, "pool"> | Queries, accountId: bigint, named: readonly string[]): Promise<void> {
  const { rowCount } = await pool.query(
    `select 1 from account a left join operator o on o.account_id = a.id
     where a.id <> $1 and a.suspended_at is null and a.email_verified_at is not null and (o.role = 'admin' or a.email_norm = any($2)) limit 1`,
    [accountId, named],
  );
  if (rowCount === 0) failNotPossible("it is the last admin");
}
