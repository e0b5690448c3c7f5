// `svc reconcile`: compares a provider's usage export with the usage log, by day and upstream model, and prints where they differ.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import { type ProviderUsage, readProviderUsage, type UsageFigure, usageFigures } from "../ledger/provider-usage.ts";
import type { Provider } from "../providers/types.ts";
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
  const served = catalog.providers.get(provider);
  if (served === undefined) throw new Refused(`the catalog has no provider ${provider}`);
  const credential = credentialOf(served, options.credential);
  const exported = readExport(readFile(file), file, map);
  const theirs = ofKeys(exported.rows, options.key);
  const days = exported.days.sort();
  const [from, last] = [new Date(`${days[0]!}T00:00:00Z`), new Date(`${days.at(-1)!}T00:00:00Z`)];
  const to = new Date(last.getTime() + 86_400_000);
  const ours = await withDatabase(config, (db) => readProviderUsage(db, provider, { from, to, credential }), withoutTimeout);
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

/** Which of the provider's credentials our side is of; null: all. */
function credentialOf({ id, credentials = [] }: Pick<Provider, "id" | "credentials">, wanted: Input["options"][string]): string | null {
  if (typeof wanted !== "string") return null;
  const ids = credentials.map((credential) => credential.id);
  if (ids.includes(wanted)) return wanted;
  throw new Refused(ids.length === 0 ? `${id} has no list of credentials` : `${id} has no credential ${wanted}; it has ${ids.join(", ")}`);
}

/** An export may be of keys that this gateway does not use: their usage would be taken for calls that are missing here. */
function ofKeys(rows: readonly ExportedUsage[], wanted: Input["options"][string]): ExportedUsage[] {
  const keys = [...new Set(rows.map(({ key }) => key))];
  if (typeof wanted !== "string") {
    if (keys.length > 1) throw new Refused(`the export is of several keys: name the provider's with --key; there are ${keys.join(", ")}`);
    return [...rows];
  }
  const names = wanted.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !keys.includes(name));
  if (unknown !== undefined) throw new Refused(`the export has no usage of the key ${unknown}; it has ${keys.join(", ")}`);
  return rows.filter(({ key }) => key !== null && names.includes(key));
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
