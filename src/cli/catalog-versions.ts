// `svc catalog diff`, `apply`, `revert` and `history`: another catalog for every process of the gateway, by way of the database.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import { compareCatalogs, type Comparison } from "../catalog/compare.ts";
import { CatalogFault, checkCatalog, loadCatalog, type Loaded, newlyUnset } from "../catalog/load.ts";
import { simulatorScheme } from "../catalog/provider.ts";
import { catalogSource } from "../catalog/sources.ts";
import { fileVersion, listVersions, newestVersion, type Version } from "../catalog/versions.ts";
import type { Config } from "../config.ts";
import type { Queries } from "../db/connect.ts";
import { shellActor } from "../operators/action-log.ts";
import { applyCatalog, revertCatalog } from "../operators/catalog-versions.ts";
import { changeLines, namesSimulator, problemLines, readCatalog } from "./catalog.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { readReason } from "./money.ts";
import { withDatabase } from "./with-database.ts";

/** The comparison that `apply` shows first. It asks for no key: what is compared need not run here. */
export async function diff({ config, words }: Input): Promise<Outcome> {
  const path = words[0]!;
  const text = readFiles(config, path);
  return withDatabase(config, async (db) => {
    const { version, currentText } = await inUse(db, config);
    const comparison = compareCatalogs(currentText, text);
    const told = problemLines(path, comparison).join("\n");
    if (comparison.problems.length > 0) throw new Refused(told);
    const { changes, provider_changes, other_changes } = comparison;
    const differs = changes.length + provider_changes.length + other_changes.length > 0;
    return {
      json: { differs, version, ...comparison },
      text: [told, ...differences(comparison), `compared with ${nameOf(version)}, which is in use`].join("\n"),
      bad: differs,
    };
  });
}

async function inUse(db: Queries, config: Config): Promise<{ version: number; currentText: string }> {
  const current = await newestVersion(db);
  return { version: current?.id ?? fileVersion, currentText: current?.text ?? readCatalog(config).text };
}

export async function apply({ config, words, options }: Input): Promise<Outcome> {
  const path = words[0]!;
  const reason = typeof options.reason === "string" ? readReason(options.reason) : null;
  const expected = typeof options.expect === "string" ? numberOf("--expect", options.expect) : null;
  const text = readFiles(config, path);
  const checked = checkCatalog(text);
  if (checked.problems.length > 0) return { json: { applied: false, ...checked }, text: problemLines(path, checked).join("\n"), bad: true };
  return withDatabase(config, async (db) => {
    const { version, currentText } = await inUse(db, config);
    const comparison = compareCatalogs(currentText, text);
    const loaded = loadHere(config, text, path);
    assertSet(loaded, currentText);
    const told = [...problemLines(path, comparison), ...differences(comparison)];
    if (text === currentText)
      return {
        json: { applied: false, version, ...comparison },
        text: [...told, `${nameOf(version)} is this text; nothing is changed`].join("\n"),
      };
    if (options.yes !== true) {
      const note = `nothing is changed without --yes; ${nameOf(version)} is in use (--expect ${version})`;
      return { json: { applied: false, version, ...comparison }, text: [...told, note].join("\n") };
    }
    const applying = { loaded, fileText: () => currentText, expected: expected ?? version, reason };
    const written = await applyCatalog({ db, clock: db.checks.now }, shellActor(), applying);
    const now = written?.id ?? version;
    return {
      json: { applied: written !== null, version: now, ...comparison },
      text: [...told, `${nameOf(now)} is in use by every process from now on; svc catalog revert goes back`].join("\n"),
    };
  });
}

export async function revert({ config, options }: Input): Promise<Outcome> {
  const reason = typeof options.reason === "string" ? readReason(options.reason) : null;
  const load = (text: string) => loadCatalog({ text, ...surroundings(config) });
  return withDatabase(config, async (db) => {
    const { id, restores } = await revertCatalog({ db, clock: db.checks.now }, shellActor(), { expected: null, load, reason });
    return { json: { version: id, restores }, text: `${nameOf(id)} is in use: it is ${nameOf(restores ?? fileVersion)} again` };
  });
}

const shownDefault = 20;
const shownMax = 100;

export async function history({ config, options }: Input): Promise<Outcome> {
  const limit = typeof options.limit === "string" ? numberOf("--limit", options.limit) : shownDefault;
  if (limit < 1 || limit > shownMax) throw new UsageError(`--limit is a number from 1 to ${shownMax}`);
  return withDatabase(config, async (db) => {
    const versions = await listVersions(db, limit);
    const data = versions.map((version, index) => ({
      ...{ version: version.id, applied_at: version.appliedAt.toISOString(), applied_by: version.appliedBy, reason: version.reason },
      ...{ sha256: version.sha256, restores: version.restores, in_use: index === 0 },
    }));
    return { json: { data }, text: versions.length === 0 ? "no version was applied; the file is in use" : versions.map(lineOf).join("\n") };
  });
}

function lineOf({ id, appliedAt, appliedBy, reason, restores }: Version, index: number): string {
  const what = restores === null ? "" : `, ${nameOf(restores)} again`;
  return `${id} ${appliedAt.toISOString()} by ${appliedBy}${what}${reason === null ? "" : `: ${reason}`}${index === 0 ? " (in use)" : ""}`;
}

function nameOf(version: number): string {
  return version === fileVersion ? "the file of SVC_CATALOG" : `version ${version}`;
}

function differences({ changes, provider_changes, other_changes, truncated }: Comparison): string[] {
  return [
    ...changes.flatMap(changeLines),
    ...provider_changes.map(({ id, change, fields }) => `${change}: provider ${id}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}`),
    ...other_changes.map((key) => `changed: ${key}`),
    ...(truncated ? ["more models or providers differ than are listed"] : []),
    ...(changes.length + provider_changes.length + other_changes.length === 0 ? ["no model, provider or other part differs"] : []),
  ];
}

/** FILE may name several, as SVC_CATALOG may. */
function readFiles({ environment }: Config, named: string): string {
  try {
    const { path, text } = catalogSource(named, environment);
    return text ?? readFileSync(path, "utf8");
  } catch (cause) {
    throw cause instanceof CatalogFault ? new Refused(cause.message) : new Refused(`${named} can't be read`, { cause });
  }
}

/** A simulator runs beside the gateway only if the file of SVC_CATALOG names it. */
function surroundings(config: Config) {
  return { environment: config.environment, simulatorUrl: namesSimulator(config) ? simulatorScheme : null };
}

function loadHere(config: Config, text: string, path: string): Loaded {
  try {
    return loadCatalog({ text, path, ...surroundings(config) });
  } catch (error) {
    throw error instanceof CatalogFault ? new Refused(error.message) : error;
  }
}

function assertSet(loaded: Loaded, currentText: string): void {
  const missing = newlyUnset(loaded, { source: { text: currentText } });
  if (missing.length === 0) return;
  throw new Refused(`not set in this environment: ${missing.join(", ")}; set it for the gateway's processes and for this command`);
}

function numberOf(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} is a whole number`);
  return Number(text);
}
