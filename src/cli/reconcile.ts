// `svc reconcile`: compares a provider's usage export with the usage log, by day and upstream model, and prints where they differ.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import { type ProviderUsage, readProviderUsage, type UsageFigure, usageFigures } from "../ledger/provider-usage.ts";
import { readServed } from "./catalog.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { type ExportColumns, type ExportedUsage, readExport } from "./usage-export.ts";
import { withDatabase, withoutTimeout } from "./with-database.ts";

interface Difference {
  day: string;
  model: string;
  figure: UsageFigure;
  theirs: number;
  ours: number;
  difference: number;
}

export async function reconcile({ config, words, options }: Input): Promise<Outcome> {
  const [provider, file] = words as [string, string];
  const map = typeof options.map === "string" ? readMap(options.map) : null;
  const { catalog } = await withDatabase(config, (db) => readServed(db, config));
  if (!catalog.providers.has(provider)) throw new Refused(`the catalog has no provider ${provider}`);
  const exported = readExport(readFile(file), file, map);
  const theirs = ofOneKey(exported.rows, options.key);
  const days = exported.days.sort();
  const [from, last] = [new Date(`${days[0]!}T00:00:00Z`), new Date(`${days.at(-1)!}T00:00:00Z`)];
  const to = new Date(last.getTime() + 86_400_000);
  const ours = await withDatabase(config, (db) => readProviderUsage(db, provider, { from, to }), withoutTimeout);
  const rows = differences(theirs, ours);
  const json = { provider, from: from.toISOString(), to: to.toISOString(), rows };
  return { json, text: textOf(provider, days, rows), bad: rows.length > 0 };
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Refused(`${path} can't be read`, { cause });
  }
}

/** A provider of the catalog has one key: usage of others would be taken for missing calls. */
function ofOneKey(rows: readonly ExportedUsage[], key: Input["options"][string]): ExportedUsage[] {
  const keys = [...new Set(rows.map((row) => row.key))];
  if (typeof key === "string") {
    const its = rows.filter((row) => row.key === key);
    if (its.length === 0) throw new Refused(`the export has no usage of the key ${key}; it has ${keys.join(", ")}`);
    return its;
  }
  if (keys.length > 1) throw new Refused(`the export is of several keys: name the provider's with --key; there are ${keys.join(", ")}`);
  return [...rows];
}

/** `day=COLUMN,model=COLUMN,input=COLUMN+COLUMN,…` */
function readMap(text: string): ExportColumns {
  const pairs = new Map(text.split(",").map((pair) => pair.split("=", 2).map((part) => part.trim()) as [string, string | undefined]));
  const known = ["day", "model", "key", ...usageFigures];
  const wrong = [...pairs].find(([name, column]) => !known.includes(name) || !column);
  if (wrong) throw new UsageError(`--map is NAME=COLUMN, separated by commas; the names are ${known.join(", ")}`);
  const [day, model] = [pairs.get("day"), pairs.get("model")];
  const figures = Object.fromEntries(
    usageFigures.flatMap((figure) => {
      const columns = pairs.get(figure);
      return columns === undefined ? [] : [[figure, columns.split("+")]];
    }),
  );
  if (day === undefined || model === undefined || Object.keys(figures).length === 0)
    throw new UsageError(`--map names day, model and at least one of ${usageFigures.join(", ")}`);
  return { day, model, key: pairs.get("key") ?? null, figures };
}

/** Only figures that the export holds are compared. */
function differences(theirs: readonly ExportedUsage[], ours: readonly ProviderUsage[]): Difference[] {
  const compared = usageFigures.filter((figure) => theirs[0]!.figures[figure] !== undefined);
  const sums = new Map<string, { day: string; model: string; theirs: Sums; ours: Sums }>();
  const sumOf = (day: string, model: string) => {
    const key = `${day} ${model}`;
    const sum = sums.get(key) ?? { day, model, theirs: noSums(), ours: noSums() };
    sums.set(key, sum);
    return sum;
  };
  const asked = new Set(ours.map(({ model }) => model));
  for (const row of ours) for (const figure of compared) sumOf(row.day, row.model).ours[figure] += row[figure];
  for (const { day, model, figures } of theirs)
    for (const figure of compared) sumOf(day, askedAs(model, asked)).theirs[figure] += figures[figure]!;
  return [...sums.values()]
    .sort((one, other) => (`${one.day} ${one.model}` < `${other.day} ${other.model}` ? -1 : 1))
    .flatMap(({ day, model, theirs, ours }) =>
      compared
        .filter((figure) => theirs[figure] !== ours[figure])
        .map((figure) => ({
          ...{ day, model, figure, theirs: Number(theirs[figure]), ours: Number(ours[figure]) },
          difference: Number(theirs[figure] - ours[figure]),
        })),
    );
}

type Sums = Record<UsageFigure, bigint>;

function noSums(): Sums {
  return { requests: 0n, input: 0n, cached: 0n, output: 0n };
}

/** Providers report the dated version that a plain name stood for: gpt-4.1-mini-2025-04-14. */
function askedAs(model: string, asked: ReadonlySet<string>): string {
  const plain = model.replace(/-\d{4}-?\d\d-?\d\d$/, "");
  return !asked.has(model) && asked.has(plain) ? plain : model;
}

function textOf(provider: string, days: readonly string[], rows: readonly Difference[]): string {
  const lines = rows.map(({ day, model, figure, theirs, ours, difference }) => {
    const by = difference > 0 ? `${difference} more than ours` : `${-difference} less than ours`;
    return `${day} ${model}: ${figure} ${theirs}, ours ${ours}: ${by}`;
  });
  const period = days[0] === days.at(-1) ? days[0]! : `${days[0]!} to ${days.at(-1)!}`;
  return [...lines, `${provider}, ${period}: ${rows.length === 0 ? "everything agrees" : `differences: ${rows.length}`}`].join("\n");
}
