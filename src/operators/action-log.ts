// The log of what operators and the command line change: one row for each change, in its transaction. Rows are never changed.
import { userInfo } from "node:os";
import type { components } from "../../generated/api.d.ts";
import type { Operator, OperatorRole } from "../accounts/operators.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { csvText } from "../text/export.ts";

/** Who makes a change. */
export interface Actor {
  who: string;
  accountId: bigint | null;
  role: OperatorRole | null;
  address: string | null;
  session: string | null;
  requestId: string | null;
}

export type Facts = Record<string, unknown>;

export interface Action {
  /** Such as `account.suspend`. */
  action: string;
  target: string | null;
  reason: string | null;
  before: Facts | null;
  after: Facts | null;
  /** A UUID of what may be sent twice and has its effect once: so has its row. */
  effect?: string;
}

export function operatorActor(operator: Operator, from: { address: string; requestId: string }): Actor {
  const { email: who, accountId, role, session } = operator;
  return { who, accountId, role, session, address: from.address, requestId: from.requestId };
}

/** The command line, by the user of the operating system. */
export function shellActor(): Actor {
  return { who: `svc (${userName()})`, accountId: null, role: null, address: null, session: null, requestId: null };
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

/** Makes a change and its row, both or neither. `work` returns what the row says beside its result. */
export async function recorded<T>(
  db: Db,
  actor: Actor,
  at: Date,
  work: (transaction: Queries) => Promise<{ result: T; row: Action | null }>,
): Promise<T> {
  return inTransaction(db, async (transaction) => {
    const { result, row } = await work(transaction);
    if (row !== null) await record(transaction, actor, at, row);
    return result;
  });
}

export async function record({ pool }: Queries, actor: Actor, at: Date, row: Action): Promise<void> {
  const { who, accountId, role, address, session, requestId } = actor;
  const { action, target, reason, before, after, effect = null } = row;
  await pool.query(
    `insert into operator_action (at, who, account_id, role, address, session, action, target, reason, before, after, request_id, effect)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11::jsonb, $12, $13) on conflict (effect) do nothing`,
    [at, who, accountId, role, address, session, action, target, reason, jsonOf(before), jsonOf(after), requestId, effect],
  );
}

function jsonOf(facts: Facts | null): string | null {
  return facts === null ? null : JSON.stringify(facts);
}

// Reading it.

interface ActionRow {
  id: bigint;
  at: Date;
  who: string;
  role: OperatorRole | null;
  address: string | null;
  session: string | null;
  action: string;
  target: string | null;
  reason: string | null;
  before: Facts | null;
  after: Facts | null;
  requestId: string | null;
}

interface ActionFilter {
  before?: bigint | undefined;
  who?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Newest first. The id is the order of writing. */
export async function readActions({ pool }: Queries, filter: ActionFilter, limit: number): Promise<ActionRow[]> {
  const values: unknown[] = [];
  const conditions = ["true"];
  const put = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${condition} $${values.push(value)}`);
  };
  put("id <", filter.before);
  if (filter.who === "svc") conditions.push("account_id is null");
  else put("who =", filter.who);
  put("action =", filter.action);
  put("target =", filter.target);
  put("at >=", filter.from);
  put("at <", filter.to);
  const { rows } = await pool.query<ActionRow>(
    `select id, at, who, role, address, session, action, target, reason, before, after, request_id as "requestId"
     from operator_action where ${conditions.join(" and ")} order by id desc limit $${values.push(limit)}`,
    values,
  );
  return rows;
}

function actionIdText(id: bigint): string {
  return `act_${id}`;
}

export function actionRecord(row: ActionRow): components["schemas"]["OperatorAction"] {
  return {
    id: actionIdText(row.id),
    object: "operator.action",
    created_at: row.at.toISOString(),
    who: row.who,
    role: row.role,
    address: row.address,
    session: row.session,
    action: row.action,
    target: row.target,
    reason: row.reason,
    before: row.before,
    after: row.after,
    request_id: row.requestId,
  };
}

const csvNames = [
  ...["id", "created_at", "who", "role", "address", "session", "action", "target", "reason", "before", "after", "request_id"],
] as const;

/** With a line of names first, also where there are no rows. */
export function actionsCsv(actions: readonly components["schemas"]["OperatorAction"][]): string {
  const lines = actions.map((action) => {
    const { before, after } = action;
    const texts: Record<string, unknown> = { ...action, before: jsonOf(before), after: jsonOf(after) };
    return csvNames.map((name) => texts[name] as string | null);
  });
  return csvText([csvNames, ...lines]);
}
