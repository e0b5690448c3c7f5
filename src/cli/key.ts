// `svc key …`: makes, lists and deletes API keys.
import { findKey, refuseKey, setKeyEnabled } from "../accounts/admin.ts";
import { type KeyRecord, listKeys } from "../accounts/key-records.ts";
import { type LimitResets, limitResets } from "../accounts/key-budgets.ts";
import { createKey, deleteKey } from "../accounts/manage-keys.ts";
import { systemClock } from "../clock.ts";
import { readAccount, readBudget } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export async function create({ config, words, options }: Input): Promise<Outcome> {
  const name = String(options.name ?? "").trim();
  if (name.length < 1 || name.length > 100) throw new UsageError("--name must have 1 to 100 characters");
  const limit = typeof options.limit === "string" ? readBudget(options.limit, "--limit") : null;
  const resets = readResets(options.resets);
  return withDatabase(config, async (db) => {
    const { accountId } = await readAccount(db, words[0]!);
    const { secret } = await createKey(db, { accountId, name, budget: { limit, resets }, at: systemClock() });
    return { json: { api_key: secret, name }, text: `${name}: ${secret}\nThe key is shown only once.` };
  });
}

function readResets(text: unknown): LimitResets {
  const resets = limitResets.find((known) => known === (text ?? "never"));
  if (resets === undefined) throw new UsageError(`--resets must be one of ${limitResets.join(", ")}`);
  return resets;
}

export async function list({ config, words }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const keys = await listKeys(db, (await readAccount(db, words[0]!)).accountId);
    return { json: { object: "list", data: keys, has_more: false }, text: keys.map(keyLine).join("\n") };
  });
}

export async function disable(input: Input): Promise<Outcome> {
  return setEnabled(input, false);
}

export async function enable(input: Input): Promise<Outcome> {
  return setEnabled(input, true);
}

export async function remove({ config, words }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const { id, newDefault, secret } = (await deleteKey(db, await findKey(db, words[0]!), systemClock())) ?? refuseKey();
    const json = {
      deleted: true,
      id,
      new_default: newDefault?.masked ?? null,
      ...(secret === null ? {} : { new_default_key: secret }),
    };
    const lines = [
      `${id} is deleted`,
      ...(newDefault === null ? [] : [`the default key is now ${newDefault.name} (${newDefault.masked})`]),
    ];
    return { json, text: [...lines, ...(secret === null ? [] : [secret, "The key is shown only once."])].join("\n") };
  });
}

export function keyLine({ id, masked, name, is_default, enabled, usage_usd, limit_usd, limit_resets }: KeyRecord): string {
  const spent = `${usage_usd} USD spent${limit_usd === null ? "" : ` of ${limit_usd}${limit_resets === "never" ? "" : ` ${limit_resets}`}`}`;
  return `${id} ${masked} ${name}${is_default ? " (default)" : ""}${enabled ? "" : " (disabled)"}, ${spent}`;
}

async function setEnabled({ config, words }: Input, wanted: boolean): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const { name, enabled, masked } = await setKeyEnabled(db, words[0]!, wanted);
    return { json: { name, enabled }, text: `${name} (${masked}) is ${enabled ? "enabled" : "disabled"}` };
  });
}
