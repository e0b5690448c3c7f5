// `svc catalog import`: a vendor's models out of a public price list, compared with what is sold now, and written only when told.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Refused } from "../accounts/admin.ts";
import { compareCatalogs, type Comparison } from "../catalog/compare.ts";
import { readPriceList } from "../catalog/import/price-lists.ts";
import { vendors } from "../catalog/import/vendors.ts";
import { catalogText, importedMark } from "../catalog/import/write-catalog.ts";
import { parseJson } from "../json/parse.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";

export async function importCatalog({ words, options }: Input): Promise<Outcome> {
  const path = words[0]!;
  const name = options["vendor"] as string;
  const vendor = Object.hasOwn(vendors, name) ? vendors[name]! : undefined;
  if (vendor === undefined) throw new UsageError(`--vendor is one of ${Object.keys(vendors).join(", ")}`);
  const markupPercent = percentOf(options["markup"] as string | undefined);
  const day = new Date().toISOString().slice(0, 10);
  const read = readPriceList(readJson(path), vendor, day);
  if (read === undefined)
    throw new Refused(`${path} is not a price list with models of ${name}: LiteLLM's and those shaped as models.dev's are read`);
  const from = (options["from"] as string | undefined) ?? basename(path);
  const text = catalogText(read.models, vendor, { vendor: name, day, from, markupPercent });
  const target = options["write"] as string | undefined;
  const before = target !== undefined && existsSync(target) ? ownImport(target) : '{"providers":[],"models":[]}';
  const { changes, problems } = compareCatalogs(before, text);
  if (problems.length > 0) throw new Refused(`the list makes no sound catalog: ${problems[0]!.message}`);
  if (target !== undefined) writeFileSync(target, text);
  const leftOut = Object.fromEntries(read.leftOut);
  return {
    json: { vendor: name, models: read.models.length, left_out: leftOut, changes, written: target ?? null },
    text: [
      ...changes.flatMap(changeLines),
      ...Object.entries(leftOut).map(([why, count]) => `left out: ${count}, ${why}`),
      `${read.models.length} models of ${name}, ${changes.length} changes${target === undefined ? "; nothing is written without --write FILE" : `, written to ${target}`}`,
    ].join("\n"),
  };
}

function percentOf(text = "0"): number {
  const percent = /^\d{1,5}(\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(percent <= 10_000)) throw new UsageError("--markup is a percentage from 0 to 10000");
  return percent;
}

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Refused(`${path} can't be read as JSON`, { cause });
  }
}

function ownImport(path: string): string {
  const text = readFileSync(path, "utf8");
  if (!text.startsWith(importedMark)) throw new Refused(`${path} was not written by an import; name another file, and nothing is lost`);
  return text;
}

type Change = Comparison["changes"][number];

function changeLines({ id, change, before, after }: Change): string[] {
  const old = new Map(before?.margins.map(({ unit, price_usd }) => [unit, price_usd]));
  const lines = (after?.margins ?? [])
    .filter(({ unit, price_usd }) => old.get(unit) !== price_usd)
    .map(({ unit, price_usd, cost_usd }) => `  ${unit}: ${old.get(unit) ?? "new"} -> ${price_usd} USD, costs ${cost_usd}`);
  return [`${change}: ${id}`, ...lines];
}
