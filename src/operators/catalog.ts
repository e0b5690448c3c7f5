// The catalog in use for operators: where it comes from, what is worth knowing about it, and what another file would change.
import { createHash } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import { checkInThread, compareInThread } from "../catalog/in-thread.ts";
import type { Checked } from "../catalog/load.ts";
import type { CatalogSource } from "../catalog/types.ts";
import type { Context } from "../context.ts";

type Schemas = components["schemas"];
type Needs = Pick<Context, "catalog">;

/** A source never changes, and its file may be large. */
const known = new WeakMap<CatalogSource, Promise<Checked>>();

export async function showCatalog({ catalog }: Needs, wantsText: boolean): Promise<Schemas["OperatorCatalog"]> {
  const { source } = catalog;
  const { text, ...checked } = wantsText ? await checkInThread(source.text, true) : { ...(await checkedOf(source)), text: null };
  const { models, providers, problems, warnings } = checked;
  return {
    ...{ object: "operator.catalog", path: source.path, loaded_at: source.loadedAt.toISOString(), sha256: sha256(source.text) },
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

export async function compareText({ catalog }: Needs, text: string): Promise<Schemas["CatalogDiff"]> {
  return { object: "operator.catalog.diff", ...(await compareInThread(catalog.source.text, text)) };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
