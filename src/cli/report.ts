// `svc report …`: what was sold and what it cost, by account, model, route, provider, key or day.
import { maskedKey } from "../accounts/keys.ts";
import type { Db } from "../db/connect.ts";
import { accountIdText, keyIdText } from "../ids.ts";
import { readReport, type ReportGroup, reportGroups, type ReportRow, sumOf } from "../ledger/report.ts";
import { type Amount, toUsd, usdText } from "../money.ts";
import { csvField } from "../text/export.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { withDatabase, withoutTimeout } from "./with-database.ts";

export const spend = (input: Input) => report(input, (one, other) => compare(other.revenue, one.revenue));

/** The worst first, what is unknown last. */
export const margin = (input: Input) => report(input, (one, other) => compareMargins(sumOf([one]).margin, sumOf([other]).margin));

type Order = (one: ReportRow, other: ReportRow) => number;

async function report({ config, options }: Input, order: Order): Promise<Outcome> {
  const group = groupOf(options.by);
  const month = readMonth(options.month);
  return withDatabase(
    config,
    async (db) => {
      const { from, to } = monthOf(month ?? db.checks.now());
      const found = await readReport(db, group, { from, to });
      const rows = await named(db, group, group === "day" ? found : found.sort(order));
      const total = figuresOf(found);
      const columns = [...(identities[group] ?? [group]), ...Object.keys(total)];
      const json = { from: from.toISOString(), to: to.toISOString(), rows: rows.map(asJson), total: asJson(total) };
      return { json, text: options.csv === true ? csvOf(columns, rows) : tableOf(from, columns, rows, total) };
    },
    withoutTimeout,
  );
}

function groupOf(text: Input["options"][string]): ReportGroup {
  return reportGroups.find((group) => group === text) ?? fail(`--by is one of ${reportGroups.join(", ")}`);
}

/** Of UTC. Null: the current one. */
function readMonth(text: Input["options"][string]): Date | null {
  if (typeof text !== "string") return null;
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? new Date(text) : fail("--month is a month such as 2026-07");
}

/** The month of UTC in which it lies. */
function monthOf(at: Date): { from: Date; to: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { from: new Date(Date.UTC(year, month)), to: new Date(Date.UTC(year, month + 1)) };
}

function fail(message: string): never {
  throw new UsageError(message);
}

function compareMargins(one: Amount | null, other: Amount | null): number {
  return one === null || other === null ? Number(one === null) - Number(other === null) : compare(one, other);
}

function compare(one: Amount, other: Amount): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A bigint is money in the ledger's units. */
type Line = Record<string, string | number | bigint | null>;

function figuresOf(rows: readonly ReportRow[]): Line {
  const { requests, revenue, unmatched, cost, margin } = sumOf(rows);
  return { requests: Number(requests), revenue, cost, margin, revenue_without_cost: unmatched };
}

/** The columns before the figures, where there are more than the group's own. */
const identities: Partial<Record<ReportGroup, readonly string[]>> = {
  account: ["account_id", "email", "balance"],
  key: ["key_id", "account_id", "key", "name"],
};

/** With what a person knows an account and a key by. */
async function named(db: Db, group: ReportGroup, rows: readonly ReportRow[]): Promise<Line[]> {
  const ids = rows.flatMap(({ name }) => (name === null ? [] : [name]));
  if (group === "account") {
    const sql = `select a.id, a.email, b.available + b.reserved as balance from account a join balance b on b.account_id = a.id where a.id = any($1)`;
    const found = await db.pool.query<{ id: bigint; email: string; balance: Amount }>(sql, [ids]);
    const byId = new Map(found.rows.map((row) => [String(row.id), row]));
    return rows.map((row) => {
      const { id, email, balance } = byId.get(row.name!)!;
      return { account_id: accountIdText(id), email, balance, ...figuresOf([row]) };
    });
  }
  if (group === "key") {
    const sql = "select id, account_id, name, prefix, last4 from api_key where id = any($1)";
    const found = await db.pool.query<{ id: bigint; account_id: bigint; name: string; prefix: string; last4: string }>(sql, [ids]);
    const byId = new Map(found.rows.map((row) => [String(row.id), row]));
    return rows.map((row) => {
      const key = row.name === null ? undefined : byId.get(row.name);
      const shown = key === undefined ? null : { id: keyIdText(key.id), account: accountIdText(key.account_id), key: maskedKey(key) };
      return {
        key_id: shown?.id ?? null,
        account_id: shown?.account ?? null,
        key: shown?.key ?? null,
        name: key?.name ?? null,
        ...figuresOf([row]),
      };
    });
  }
  return rows.map((row) => ({ [group]: row.name, ...figuresOf([row]) }));
}

function asJson(line: Line) {
  return Object.fromEntries(Object.entries(line).map(([key, value]) => [key, typeof value === "bigint" ? toUsd(value) : value]));
}

function textOf(value: Line[string] | undefined): string {
  return typeof value === "bigint" ? usdText(value) : String(value ?? "");
}

function csvOf(columns: readonly string[], rows: readonly Line[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))];
  return lines.map((fields) => fields.map(csvField).join(",")).join("\n");
}

const figures: ReadonlySet<string> = new Set(["balance", "requests", "revenue", "cost", "margin", "revenue_without_cost"]);

function tableOf(from: Date, columns: readonly string[], rows: readonly Line[], total: Line): string {
  const all = [...rows, { ...total, [columns[0]!]: "total" }];
  const shown = (value: Line[string] | undefined, column: string) => (value === null && figures.has(column) ? "–" : textOf(value));
  const lines = [columns, ...all.map((row) => columns.map((column) => shown(row[column], column)))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const pad = (text: string, at: number) => (figures.has(columns[at]!) ? text.padStart(widths[at]!) : text.padEnd(widths[at]!));
  return [`${from.toISOString().slice(0, 7)}, in USD`, ...lines.map((line) => line.map(pad).join("  ").trimEnd())].join("\n");
}
