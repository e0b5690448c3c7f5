// What operators change of the settings while the gateway runs: a small table, whose values hold before the environment's. Each process holds them
// in memory, so that no call asks the database. It reads them again when it hears of a change, after a reconnect, and every few seconds.
import type { components } from "../../generated/api.d.ts";
import type { Clock } from "../clock.ts";
import { type Following, followChanges } from "../concurrency/keep-doing.ts";
import type { Config, SignUpConfig } from "../config.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { failParameter } from "../errors/fail.ts";
import { cutId } from "../ids.ts";
import { amountFromUsd, toUsd } from "../money.ts";
import { isDomain } from "../text/email-address.ts";
import { isNotice } from "../text/service-name.ts";
import { type Actor, record } from "./action-log.ts";

export type Values = components["schemas"]["ChangeableSettings"];
export type Field = keyof Values;

/** The channel of NOTIFY that says that one was changed. */
const settingChannel = "setting_changed";

interface Changeable<F extends Field> {
  /** Of the environment. */
  variable: string;
  /** What the environment says. */
  of: (environment: Config) => Values[F];
  into: (config: Config, value: Values[F]) => Config;
}

export const changeable: { [F in Field]: Changeable<F> } = {
  sign_up: {
    variable: "SVC_SIGNUP",
    of: ({ signUp }) => signUp.mode,
    into: (config, mode) => withSignUp(config, { mode }),
  },
  sign_up_domains: {
    variable: "SVC_SIGNUP_DOMAINS",
    of: ({ signUp }) => signUp.domains ?? [],
    into: (config, domains) => withSignUp(config, { domains: domains.length === 0 ? null : domains }),
  },
  signup_credit_usd: {
    variable: "SVC_SIGNUP_CREDIT",
    of: ({ signUp }) => toUsd(signUp.credit),
    into: (config, usd) => withSignUp(config, { credit: amountFromUsd(usd) ?? config.signUp.credit }),
  },
  // The environment's may be a file of a hundred thousand: a change adds to it.
  disposable_domains: {
    variable: "SVC_DISPOSABLE_DOMAINS",
    of: () => [],
    into: (config, domains) => withSignUp(config, { disposable: new Set([...config.signUp.disposable, ...domains]) }),
  },
  suspend_on_dispute: {
    variable: "SVC_SUSPEND_ON_DISPUTE",
    of: ({ suspendOnDispute }) => suspendOnDispute,
    into: (config, suspendOnDispute) => ({ ...config, suspendOnDispute }),
  },
  notice: {
    variable: "SVC_NOTICE",
    of: ({ notice }) => notice ?? "",
    into: (config, notice) => ({ ...config, notice: notice || null }),
  },
};

export const fields = Object.keys(changeable) as Field[];

function withSignUp(config: Config, changed: Partial<SignUpConfig>): Config {
  return { ...config, signUp: { ...config.signUp, ...changed } };
}

export interface ChangedSetting {
  field: Field;
  value: Values[Field];
  changedAt: Date;
  changedBy: string;
}

/** A later version may have stored others, which this one leaves alone. */
export async function readChanged({ pool }: Queries): Promise<ChangedSetting[]> {
  const { rows } = await pool.query<ChangedSetting>(
    `select field, value, changed_at as "changedAt", changed_by as "changedBy" from setting where field = any($1) order by field`,
    [fields],
  );
  return rows;
}

async function writeChanged({ pool }: Queries, { field, value, changedAt, changedBy }: ChangedSetting): Promise<void> {
  await pool.query(
    `insert into setting (field, value, changed_at, changed_by) values ($1, $2::jsonb, $3, $4)
     on conflict (field) do update set value = excluded.value, changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
    [field, JSON.stringify(value), changedAt, changedBy],
  );
}

/** Null: the environment decides again. Absent: as it was. */
type SettingsChange = { [F in Field]?: Values[F] | null };

interface Needs {
  db: Db;
  clock: Clock;
  environment: Config;
}

/** Every process hears of it after the commit. What changes nothing is no action. */
export async function changeSettings(
  { db, clock, environment }: Needs,
  actor: Actor,
  { reason, ...change }: SettingsChange & { reason: string | null },
): Promise<void> {
  const asked = checked(change);
  const at = clock();
  await inTransaction(db, async (transaction) => {
    // One change at a time: the log says of each what was before it.
    await transaction.pool.query("lock table setting in share row exclusive mode");
    const changed = new Map((await readChanged(transaction)).map((one) => [one.field, one]));
    const factsOf = (field: Field) => {
      const stored = changed.get(field);
      return { value: valuesOf(environment, [...changed.values()])[field], source: stored === undefined ? "environment" : "operator" };
    };
    for (const [field, value] of asked) {
      const before = factsOf(field);
      if (value === null) changed.delete(field);
      else changed.set(field, { field, value, changedAt: at, changedBy: actor.who });
      const after = factsOf(field);
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      if (value === null) await transaction.pool.query("delete from setting where field = $1", [field]);
      else await writeChanged(transaction, changed.get(field)!);
      await record(transaction, actor, at, { action: "setting.change", target: changeable[field].variable, reason, before, after });
    }
    await transaction.pool.query("select pg_notify($1, '')", [settingChannel]);
  });
}

/** In the order of the fields. The contract has checked what each value is. */
function checked(change: SettingsChange): [Field, Values[Field] | null][] {
  const unknown = Object.keys(change).find((name) => !Object.hasOwn(changeable, name));
  if (unknown !== undefined) failParameter(cutId(unknown), "no setting that changes while the gateway runs has this name");
  const credit = change.signup_credit_usd;
  if (credit != null && amountFromUsd(credit) === undefined) failParameter("signup_credit_usd", "it may have 8 decimals at most");
  const { notice } = change;
  if (notice != null && !isNotice(notice)) failParameter("notice", "it must be a line of 300 characters at most");
  return fields.flatMap((field): [Field, Values[Field] | null][] => {
    const value = change[field];
    if (value === undefined) return [];
    return [[field, Array.isArray(value) ? domainsOf(field, value) : value]];
  });
}

function domainsOf(field: Field, sent: readonly string[]): string[] {
  const domains = sent.map((domain) => domain.trim().toLowerCase());
  const wrong = domains.findIndex((domain) => !isDomain(domain));
  if (wrong !== -1) failParameter(`${field}[${wrong}]`, "it must be a domain, such as example.com");
  return [...new Set(domains)];
}

/** The settings in force. */
export function settingsWith(environment: Config, changed: readonly ChangedSetting[]): Config {
  return changed.reduce((config, { field, value }) => intoConfig(config, field, value as never), environment);
}

function intoConfig<F extends Field>(config: Config, field: F, value: Values[F]): Config {
  return changeable[field].into(config, value);
}

/** The values in force, as an operation shows them. */
export function valuesOf(environment: Config, changed: readonly ChangedSetting[]): Values {
  const said = Object.fromEntries(fields.map((field) => [field, changeable[field].of(environment)]));
  return { ...said, ...Object.fromEntries(changed.map(({ field, value }) => [field, value])) } as Values;
}

export interface SettingsFollower extends Pick<Following<Config>, "refresh" | "serveWith" | "close"> {
  /** What the environment says. */
  environment: Config;
  /** In force when it was read last; it never changes within a call. */
  readonly config: Config;
  /** What it listens to. */
  hears: { channel: string; changed: () => void };
}

interface Followed {
  db: Queries;
  environment: Config;
  onFault: (error: unknown, what: string) => void;
}

export async function followSettings({ db, environment, onFault }: Followed): Promise<SettingsFollower> {
  const first = await readChanged(db);
  let [seen, config] = [JSON.stringify(first), settingsWith(environment, first)];
  const look = async (serve: () => void) => {
    const changed = await readChanged(db);
    const text = JSON.stringify(changed);
    if (text === seen) return;
    [seen, config] = [text, settingsWith(environment, changed)];
    serve();
  };
  const { refresh, serveWith, close } = followChanges(
    () => config,
    look,
    (error) => onFault(error, "reading the settings that operators changed"),
  );
  return {
    environment,
    get config() {
      return config;
    },
    hears: { channel: settingChannel, changed: () => void refresh() },
    ...{ refresh, serveWith, close },
  };
}
