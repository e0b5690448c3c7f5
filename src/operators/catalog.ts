// The catalog in use for operators: where it comes from, what is worth knowing about it, what another file would change, and changing it.
import type { components } from "../../generated/api.d.ts";
import { hiddenText } from "../catalog/compare.ts";
import { vendors } from "../catalog/import/vendors.ts";
import { checkInThread, checkVariablesInThread, compareInThread } from "../catalog/in-thread.ts";
import { CatalogFault, type Checked, type Loaded, newlyUnset } from "../catalog/load.ts";
import type { CatalogSource } from "../catalog/types.ts";
import { listVersions, sha256 } from "../catalog/versions.ts";
import type { Context } from "../context.ts";
import { failParameter } from "../errors/fail.ts";
import type { Actor } from "./action-log.ts";
import { applyCatalog, revertCatalog } from "./catalog-versions.ts";

type Schemas = components["schemas"];
type Needs = Pick<Context, "catalog" | "catalogs">;
type Applied = Schemas["CatalogApplied"];

/** A source never changes, and its file may be large. */
const known = new WeakMap<CatalogSource, Promise<Checked>>();

export async function showCatalog({ catalog, catalogs }: Needs, wantsText: boolean): Promise<Schemas["OperatorCatalog"]> {
  const { source } = catalog;
  const { text, ...checked } = wantsText ? await checkInThread(source.text, true) : { ...(await checkedOf(source)), text: null };
  const { models, providers, problems, warnings } = checked;
  return {
    ...{ object: "operator.catalog", version: source.version, refused: catalogs.refused },
    ...{ path: source.path, loaded_at: source.loadedAt.toISOString(), sha256: sha256(source.text) },
    ...{ models, providers, problems, warnings, text },
  };
}

async function checkedOf(source: CatalogSource): Promise<Checked> {
  const found = known.get(source) ?? checkInThread(source.text);
  known.set(source, found);
  try {
    return await found;
  } catch (error) {
    known.delete(source);
    throw error;
  }
}

export async function checkText(text: string): Promise<Schemas["CatalogCheck"]> {
  const { models, providers, problems, warnings } = await checkInThread(text);
  return { object: "operator.catalog.check", models, providers, problems, warnings };
}

export async function compareText({ catalog: { source } }: Needs, text: string): Promise<Schemas["CatalogDiff"]> {
  return { object: "operator.catalog.diff", version: source.version, ...(await compareInThread(source.text, text)) };
}

const versionsMax = 100;

export async function showVersions({ db }: Pick<Context, "db">): Promise<Schemas["CatalogVersionList"]> {
  const versions = await listVersions(db, versionsMax);
  const data = versions.map(({ id, appliedAt, appliedBy, reason, sha256: hash, restores }, index) => ({
    ...{ object: "operator.catalog.version" as const, version: id, applied_at: appliedAt.toISOString(), applied_by: appliedBy },
    ...{ reason, sha256: hash, restores, in_use: index === 0 },
  }));
  return { object: "list", data };
}

type Changing = Pick<Context, "db" | "clock" | "catalog" | "catalogs">;

export async function applyText(
  { db, clock, catalog, catalogs }: Changing,
  actor: Actor,
  { text, expected_version: expected, reason }: Schemas["CatalogApplication"],
): Promise<Applied> {
  const { problems, unknown } = await checkVariablesInThread(text, [catalog.source.text, catalogs.fileText]);
  refuseProblems(problems);
  refuseVariables(unknown);
  const loaded = loadHere(catalogs, text);
  refuseHidden(loaded);
  const unset = newlyUnset(loaded, catalog);
  if (unset.length > 0) failParameter("text", `it names a variable that is not set here: ${unset.join(", ")}`);
  const fileText = () => catalogs.fileText;
  const written = await applyCatalog({ db, clock }, actor, { loaded, fileText, expected, reason: reason.trim() });
  const restores = null;
  if (written === null) return { object: "operator.catalog.applied", version: expected, applied: false, restores };
  return { object: "operator.catalog.applied", version: written.id, applied: true, restores };
}

export async function revertTo(
  { db, clock, catalogs }: Changing,
  actor: Actor,
  { expected_version: expected, reason }: Schemas["CatalogChangeBasis"],
): Promise<Applied> {
  const load = (text: string) => catalogs.load(text);
  const { id, restores } = await revertCatalog({ db, clock }, actor, { expected, load, reason: reason.trim() });
  return { object: "operator.catalog.applied", version: id, applied: true, restores };
}

function refuseProblems(problems: CatalogFault["problems"]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length === 1 ? "" : `, and ${problems.length - 1} more of its problems`;
  failParameter("text", `line ${first.line}: ${first.message}${more}`);
}

function loadHere(catalogs: Changing["catalogs"], text: string): Loaded {
  try {
    return catalogs.load(text);
  } catch (error) {
    if (!(error instanceof CatalogFault)) throw error;
    refuseProblems(error.problems);
    throw error;
  }
}

/** The keys of the vendors whose catalogs ship. */
const vendorVariables = Object.values(vendors).map(({ provider }) => provider.api_key_env);

/** Who has no shell must not send any variable of the environment, such as the database's address, to a provider of his own. */
function refuseVariables(unknown: readonly string[]): void {
  const foreign = unknown.filter((variable) => !vendorVariables.includes(variable));
  if (foreign.length > 0)
    failParameter("text", `no catalog of this gateway names the variable ${foreign.join(", ")}: use svc catalog apply on the machine`);
}

/** Its operator began with the text that this gateway showed without secrets. */
function refuseHidden({ catalog }: Loaded): void {
  const hidden = [...catalog.providers.values()].find(({ headers }) => Object.values(headers).includes(hiddenText));
  if (hidden !== undefined)
    failParameter("text", `a header of provider "${hidden.id}" is not shown here: write its value in place of ${hiddenText}`);
}
