// `svc key …`: makes, lists and deletes API keys.
import { findKey, refuseKey, setKeyEnabled } from "../accounts/admin.ts";
import { type KeyRecord, listKeys } from "../accounts/key-records.ts";
import { type LimitResets, limitResets } from "../accounts/key-budgets.ts";
import { keyScopes, responseCacheSecondsMax } from "../accounts/key-policy.ts";
import { createKey, deleteKey, rollKey } from "../accounts/manage-keys.ts";
import { lockReceiver } from "../accounts/users.ts";
import { type PolicyChange, readPolicy, type SentPolicy } from "../accounts/read-policy.ts";
import { ApiError } from "../errors/fail.ts";
import { shownError } from "../errors/text.ts";
import { accountIdText, keyIdText } from "../ids.ts";
import type { Facts } from "../operators/action-log.ts";
import { readAccount, readBudget, readTimeToCome, readWholeNumber } from "./arguments.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { recordedByShell, withDatabase } from "./with-database.ts";

export async function create({ config, words, options }: Input): Promise<Outcome> {
  const name = String(options.name ?? "").trim();
  if (name.length < 1 || name.length > 100) throw new UsageError("--name must have 1 to 100 characters");
  const limit = typeof options.limit === "string" ? readBudget(options.limit, "--limit") : null;
  const resets = readResets(options.resets);
  return withDatabase(config, async (db) => {
    const at = db.checks.now();
    const policy = readRules(options, at);
    const { accountId } = await readAccount(db, words[0]!);
    const key = { accountId, name, budget: { limit, resets }, policy, at };
    const { secret } = await recordedByShell(
      db,
      at,
      async (transaction) => {
        await lockReceiver(transaction, accountId, { toPerson: false, toActive: true });
        return createKey(transaction, key);
      },
      ({ record }) => rowOf("key.create", accountId, record.id, shownOf(record)),
    );
    return { json: { api_key: secret, name }, text: `${name}: ${secret}\nThe key is shown only once.` };
  });
}

function readResets(text: unknown): LimitResets {
  const resets = limitResets.find((known) => known === (text ?? "never"));
  if (resets === undefined) throw new UsageError(`--resets must be one of ${limitResets.join(", ")}`);
  return resets;
}

/** Models are left to the API, which knows the catalog of the running gateway. */
function readRules(options: Input["options"], now: Date): PolicyChange {
  const { expires, networks, scopes, "stream-usage": streamUsage, "response-cache": cache } = options;
  const listOf = (text: string) => text.split(",").map((entry) => entry.trim());
  const sent: SentPolicy = {};
  if (typeof expires === "string") sent.expires_at = readTimeToCome(expires, "--expires", now).toISOString();
  if (typeof networks === "string") sent.allowed_networks = listOf(networks);
  if (typeof scopes === "string") {
    sent.scopes = listOf(scopes).map((text) => {
      const scope = keyScopes.find((known) => known === text);
      return scope ?? failUsage(`--scopes must be of ${keyScopes.join(", ")}`);
    });
  }
  if (streamUsage === true) sent.stream_usage = true;
  if (cache !== undefined) sent.response_cache_seconds = readWholeNumber(String(cache), "--response-cache", 0, responseCacheSecondsMax);
  try {
    return readPolicy(sent, { catalog: { models: new Map(), aliases: new Map() }, now });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // What is left to refuse is a network of the list. The contract names it otherwise than the command does.
    const place = Number(/\[(\d+)\]$/.exec(error.details.param ?? "")?.[1] ?? 0);
    const text = { ...error.details.text, param: `--networks ${sent.allowed_networks?.[place] ?? ""}`.trim() };
    throw new UsageError(shownError({ code: error.code, details: { text } }, "standard").message);
  }
}

function failUsage(text: string): never {
  throw new UsageError(text);
}

const graceMax = 604_800;

export async function roll({ config, words, options }: Input): Promise<Outcome> {
  const grace = readWholeNumber(String(options.grace ?? 86_400), "--grace", 0, graceMax);
  return withDatabase(config, async (db) => {
    const key = await findKey(db, words[0]!);
    const { secret, record } = await recordedByShell(
      db,
      db.checks.now(),
      async (transaction) => (await rollKey(transaction, key, { by: null, graceSeconds: grace })) ?? refuseKey(),
      ({ record: rolled }) => rowOf("key.roll", key.accountId, rolled.id, { previous_secret_until: rolled.previous_secret_until }),
    );
    const { id, name, previous_secret_until } = record;
    const before =
      previous_secret_until === null ? "The previous secret no longer works." : `The previous secret works until ${previous_secret_until}.`;
    return {
      json: { api_key: secret, id, name, previous_secret_until },
      text: `${name}: ${secret}\nThe key is shown only once. ${before}`,
    };
  });
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
    const [key, at] = [await findKey(db, words[0]!), db.checks.now()];
    const { id, newDefault, secret } = await recordedByShell(
      db,
      at,
      async (transaction) => (await deleteKey(transaction, key, null, at)) ?? refuseKey(),
      (deleted) => rowOf("key.delete", key.accountId, deleted.id, { new_default: deleted.newDefault?.id ?? null }),
    );
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

/** Never a secret: the log is read by every operator. */
function shownOf({ name, limit_usd, limit_resets }: KeyRecord): Facts {
  return { name, limit_usd, limit_resets };
}

function rowOf(action: string, accountId: bigint, target: string, after: Facts) {
  return { action, target, after: { account_id: accountIdText(accountId), ...after } };
}

async function setEnabled({ config, words }: Input, wanted: boolean): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const key = await findKey(db, words[0]!);
    const { name, enabled, masked } = await recordedByShell(
      db,
      db.checks.now(),
      (transaction) => setKeyEnabled(transaction, keyIdText(key.id), wanted),
      (record) => rowOf(wanted ? "key.enable" : "key.disable", key.accountId, record.id, { enabled: wanted }),
    );
    return { json: { name, enabled }, text: `${name} (${masked}) is ${enabled ? "enabled" : "disabled"}` };
  });
}
