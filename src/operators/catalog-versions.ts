// Applies another catalog to every process, and goes back to the one before: one row of catalog_version and one of the log of actions each.
import { CatalogFault, type Loaded } from "../catalog/load.ts";
import { notePrices } from "../catalog/price-history.ts";
import {
  fileVersion,
  lockVersions,
  newestVersion,
  readVersion,
  type Version,
  type VersionWithText,
  writeVersion,
} from "../catalog/versions.ts";
import type { Clock } from "../clock.ts";
import type { Db, Queries } from "../db/connect.ts";
import { failNotPossible } from "../errors/fail.ts";
import { type Actor, recorded } from "./action-log.ts";

interface Needs {
  db: Db;
  clock: Clock;
}

interface Applying {
  /** As this process, or this command's environment, loads it. */
  loaded: Loaded;
  /** What the file says, for where no version was applied. */
  fileText: () => string;
  /** The version that the operator has seen in use: another one by now refuses the change. */
  expected: number;
  reason: string | null;
}

/** Null: this text is in use, and nothing was changed. */
export async function applyCatalog({ db, clock }: Needs, actor: Actor, applying: Applying): Promise<Version | null> {
  const { loaded, fileText, expected, reason } = applying;
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const current = await newestLocked(transaction);
    const id = current?.id ?? fileVersion;
    assertExpected(id, expected);
    if ((current?.text ?? fileText()) === loaded.text) return { result: null, row: null };
    const row = { appliedAt: at, appliedBy: actor.who, reason, text: loaded.text };
    const written = await writeVersion(transaction, { ...row, previous: id, restores: null });
    await notePrices(transaction, loaded.catalog, written.id, at);
    return { result: versionOf(written), row: actionOn("catalog.apply", reason, current, written) };
  });
}

interface Reverting {
  /** As in Applying; null: whatever is in use. */
  expected: number | null;
  load: (text: string) => Loaded;
  reason: string | null;
}

/** To the text that was in use before the one in use now, or to the file. The prices of the file are noted by the process that serves it first. */
export async function revertCatalog({ db, clock }: Needs, actor: Actor, { expected, load, reason }: Reverting): Promise<Version> {
  const at = clock();
  return recorded(db, actor, at, async (transaction) => {
    const current = await newestLocked(transaction);
    if (expected !== null) assertExpected(current?.id ?? fileVersion, expected);
    if (current === null) return failNotPossible("no version of the catalog was applied");
    const { text, previous, id } = await versionBefore(transaction, current);
    const loaded = text === null ? null : loadable(load, text, id);
    const row = { appliedAt: at, appliedBy: actor.who, reason, text };
    const written = await writeVersion(transaction, { ...row, previous, restores: id });
    if (loaded !== null) await notePrices(transaction, loaded.catalog, written.id, at);
    return { result: versionOf(written), row: actionOn("catalog.revert", reason, current, written) };
  });
}

function assertExpected(inUse: number, expected: number): void {
  if (inUse === expected) return;
  failNotPossible(`version ${inUse} of the catalog is in use by now, not ${expected}; compare again`);
}

/** Null: none was ever applied. */
async function newestLocked(transaction: Queries): Promise<VersionWithText | null> {
  await lockVersions(transaction);
  return newestVersion(transaction);
}

type Before = Pick<VersionWithText, "text" | "previous" | "id">;

async function versionBefore(transaction: Queries, { id, previous }: Version): Promise<Before> {
  if (previous === null) return failNotPossible(`version ${id} is the file, and nothing was applied before it`);
  if (previous === fileVersion) return { text: null, previous: null, id: fileVersion };
  const gone = () => failNotPossible(`version ${previous} is no longer kept; apply a file`);
  return (await readVersion(transaction, previous)) ?? gone();
}

function loadable(load: Reverting["load"], text: string, id: number): Loaded {
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof CatalogFault)) throw error;
    const [{ line, message }] = error.problems as [CatalogFault["problems"][number]];
    return failNotPossible(`version ${id} can't be served here: line ${line}: ${message}`);
  }
}

function versionOf({ text: _text, ...version }: VersionWithText): Version {
  return version;
}

function actionOn(action: string, reason: string | null, before: Version | null, after: Version) {
  const facts = (version: Version | null) => ({ version: version?.id ?? fileVersion, sha256: version?.sha256 ?? null });
  return { action, target: `version ${after.id}`, reason, before: facts(before), after: { ...facts(after), restores: after.restores } };
}
