// `svc operator …`: who is an operator of the gateway. The shell may do what an admin may, and is bound by no role of its own.
import { isOperatorRole, operatorRoles } from "../accounts/operators.ts";
import type { Db } from "../db/connect.ts";
import { shellActor } from "../operators/action-log.ts";
import { listRoles, setRole } from "../operators/roles.ts";
import { readAccount } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { readReason } from "./money.ts";
import { withDatabase } from "./with-database.ts";

export async function list({ config }: Input): Promise<Outcome> {
  return withDatabase(config, (db) => shown(db, config));
}

export async function add(input: Input): Promise<Outcome> {
  const role = input.words[1]!;
  if (!isOperatorRole(role)) throw new UsageError(`ROLE must be one of ${operatorRoles.join(", ")}`);
  return change(input, role);
}

export async function remove(input: Input): Promise<Outcome> {
  return change(input, null);
}

async function change({ config, words, options }: Input, role: Parameters<typeof setRole>[2]["role"]): Promise<Outcome> {
  const reason = options.reason === undefined ? null : readReason(options.reason);
  return withDatabase(config, async (db) => {
    await readAccount(db, words[0]!);
    await setRole({ db, config, clock: db.checks.now }, shellActor(), { account: words[0]!, role, reason });
    return shown(db, config);
  });
}

async function shown(db: Db, { operators }: Input["config"]): Promise<Outcome> {
  const { data } = await listRoles(db, operators);
  const lines = data.map(({ account_id, email, role, from_settings, added_by }) => {
    const by = from_settings ? "by SVC_OPERATORS" : `added by ${added_by}`;
    return `${account_id ?? "no account"} ${email} ${role}, ${by}`;
  });
  return { json: { data }, text: lines.length === 0 ? "no operators" : lines.join("\n") };
}
