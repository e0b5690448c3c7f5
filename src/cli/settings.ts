// `svc settings …`: the settings that change while the gateway runs. Values are written as in the environment, and checked as there.
import { type Config, readConfig } from "../config.ts";
import type { Db } from "../db/connect.ts";
import { shellActor } from "../operators/action-log.ts";
import { changeable, changeSettings, type Field, fields, readChanged, type Values, valuesOf } from "../operators/changed-settings.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { readReason } from "./money.ts";
import { withDatabase } from "./with-database.ts";

export async function list({ config }: Input): Promise<Outcome> {
  return withDatabase(config, (db) => shown(db, config));
}

export async function set(input: Input): Promise<Outcome> {
  const field = readField(input.words[0]!);
  return change(input, field, readValue(field, input.words[1]!));
}

export async function reset(input: Input): Promise<Outcome> {
  return change(input, readField(input.words[0]!), null);
}

async function change({ config, options }: Input, field: Field, value: Values[Field] | null): Promise<Outcome> {
  const reason = options.reason === undefined ? null : readReason(options.reason);
  return withDatabase(config, async (db) => {
    await changeSettings({ db, clock: db.checks.now, environment: config }, shellActor(), { [field]: value, reason });
    return shown(db, config);
  });
}

function readField(name: string): Field {
  const field = fields.find((one) => one === name || changeable[one].variable === name);
  if (field !== undefined) return field;
  throw new UsageError(`NAME must be one of ${fields.map((one) => changeable[one].variable).join(", ")}; other settings need a restart`);
}

const domainsMax = 1_000;

/** An empty text clears the notice and the lists of domains. For other settings it is a mistake: `reset` takes them back. */
function readValue(field: Field, text: string): Values[Field] {
  if (text.trim() === "" && field.endsWith("_domains")) return [];
  if (text.trim() === "" && field === "notice") return "";
  if (text.trim() === "") throw new UsageError(`VALUE is empty: svc settings reset ${changeable[field].variable} takes a value back`);
  const config = parsed({ [changeable[field].variable]: text });
  const value = field === "disposable_domains" ? [...config.signUp.disposable] : changeable[field].of(config);
  if (Array.isArray(value) && value.length > domainsMax) throw new UsageError(`VALUE may have ${domainsMax} domains at most`);
  return value;
}

function parsed(environment: Record<string, string>): Config {
  try {
    return readConfig(environment);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function shown(db: Db, config: Config): Promise<Outcome> {
  const changed = await readChanged(db);
  const values = valuesOf(config, changed);
  const settings = fields.map((field) => {
    const by = changed.find((one) => one.field === field);
    const said = { changed_at: by?.changedAt.toISOString() ?? null, changed_by: by?.changedBy ?? null };
    return { name: changeable[field].variable, field, value: values[field], ...said };
  });
  const lines = settings.map(({ name, value, changed_at, changed_by }) => {
    const text = Array.isArray(value) ? value.join(",") || "none" : String(value) || "none";
    return `${name} ${text}${changed_by === null ? "" : `, set by ${changed_by} at ${changed_at}`}`;
  });
  return { json: { settings }, text: lines.join("\n") };
}
