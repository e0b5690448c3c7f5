// Reads the catalog file, or refuses it with every fault and its line (docs/behaviour/operation.md#catalog).
// Parsing, schema, references and building have a file each; this one runs them in order.
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildCatalog } from "./build.ts";
import { catalogFaults, gapWarnings } from "./check.ts";
import { type CatalogFile, type Fault, type Problem, schemaFaults, withoutMisshapen } from "./file.ts";
import { withMarkup } from "./markup.ts";
import { fileBytesMax, parseCatalogText, type Parsed } from "./parse.ts";
import { secretFaults, simulatorScheme, type UnsetVariable, unsetVariables } from "./provider.ts";
import { costWarnings } from "./route-cost.ts";
import type { Catalog } from "./types.ts";

export interface LoadOptions {
  /** The file, or its text; with both, `text` is what was read from that file before. */
  path?: string;
  text?: string;
  /** Holds the secrets that `api_key_env` and `headers` name. */
  environment: Record<string, string | undefined>;
  /** The address that `simulator:` stands for; null: no simulator runs, so `simulator:` is a fault. */
  simulatorUrl?: string | null;
}

export interface Loaded {
  catalog: Catalog;
  /** The text that the catalog was made from. */
  text: string;
  /** Variables that the file names and that are not set. */
  unset: UnsetVariable[];
  /** Warnings for the operator that don't stop the start; they hold no secret. */
  warnings: string[];
}

/** Names the file and each fault with its line. */
export class CatalogFault extends Error {
  readonly fileName: string;
  readonly problems: readonly Problem[];

  constructor(fileName: string, problems: readonly Problem[]) {
    super(["the catalog file is wrong:", ...problems.map(({ line, message }) => `  ${fileName}:${line}: ${message}`)].join("\n"));
    this.fileName = fileName;
    this.problems = problems;
  }
}

export function loadCatalog({ path, text: given, environment, simulatorUrl = null }: LoadOptions): Loaded {
  const fileName = path ?? "catalog";
  const text = given ?? readText(fileName);
  const { file, problems, lineOf } = readCatalogText(text);
  if (file === undefined || problems.length > 0) throw new CatalogFault(fileName, problems);
  if (simulatorUrl === null) {
    const index = file.providers.findIndex((provider) => provider.base_url?.startsWith(simulatorScheme));
    if (index >= 0)
      throw new CatalogFault(fileName, [{ line: lineOf(["providers", index, "base_url"]), message: "no simulator runs here" }]);
  }
  const unsendable = file.providers.flatMap((provider, index) => secretFaults(provider, ["providers", index], environment));
  if (unsendable.length > 0) throw new CatalogFault(fileName, problemsOf(unsendable, lineOf));
  const unset = file.providers.flatMap((provider) => unsetVariables(provider, environment));
  return {
    catalog: buildCatalog(file, { environment, simulatorUrl }, { text, path: path ?? null, loadedAt: new Date(), version: 0 }),
    text,
    unset,
    warnings: unset.map((one) => warningOf(one, fileName)),
  };
}

/** The variables of the environment that its file names, for keys and headers. */
export function catalogVariables({ source }: { source: Pick<Catalog["source"], "text"> }): string[] {
  const { providers = [] } = readCatalogText(source.text).file ?? {};
  const found = providers.flatMap((provider) => unsetVariables(provider, {}));
  return [...new Set(found.map(({ variable }) => variable))];
}

/** The variables that are not set here and that the catalog in use doesn't name: where it names one, the gateway has it or lacks it already. */
export function newlyUnset({ unset }: Pick<Loaded, "unset">, inUse: { source: Pick<Catalog["source"], "text"> }): string[] {
  if (unset.length === 0) return [];
  const named = new Set(catalogVariables(inUse));
  return [...new Set(unset.map(({ variable }) => variable))].filter((variable) => !named.has(variable));
}

export interface Checked {
  models: number;
  providers: number;
  problems: Problem[];
  /** What an operator may mean, but should know. */
  warnings: Problem[];
}

/** Every fault that loading would report, found without an environment; for `svc catalog check`, which names the file. */
export function checkCatalog(text: string): Checked {
  return readChecked(text).checked;
}

/** `file`: null where there are problems. */
export function readChecked(text: string): { checked: Checked; file: CatalogFile | null } {
  const { file, counts, problems, lineOf } = readCatalogText(text);
  if (file === undefined || problems.length > 0) return { checked: { ...counts, problems, warnings: [] }, file: null };
  return { checked: { ...counts, problems, warnings: problemsOf([...costWarnings(file), ...gapWarnings(file)], lineOf) }, file };
}

/** The file as it was read, prices filled in; throws a CatalogFault that names it. */
export function readCatalogFile(text: string, fileName: string): CatalogFile {
  const { file, problems } = readCatalogText(text);
  if (file === undefined || problems.length > 0) throw new CatalogFault(fileName, problems);
  return file;
}

interface Read {
  file: CatalogFile | undefined;
  counts: { models: number; providers: number };
  problems: Problem[];
  lineOf: Parsed["lineOf"];
}

/** The most faults that are reported: more would not be read. */
const problemsMax = 100;

function readCatalogText(text: string): Read {
  const { value, problems, lineOf } = parseCatalogText(text);
  const counts = { models: lengthOf(value, "models"), providers: lengthOf(value, "providers") };
  if (problems.length > 0) return { file: undefined, counts, problems: problems.slice(0, problemsMax), lineOf };
  const misshapen = schemaFaults(value);
  if (misshapen.length > 0) {
    const left = withoutMisshapen(value, misshapen);
    const others = left === undefined ? [] : catalogFaults(withMarkup(left.file), left.unread);
    return { file: undefined, counts, problems: problemsOf([...misshapen, ...others], lineOf), lineOf };
  }
  const file = withMarkup(value as CatalogFile);
  return { file, counts, problems: problemsOf(catalogFaults(file), lineOf), lineOf };
}

function problemsOf(faults: readonly Fault[], lineOf: Parsed["lineOf"]): Problem[] {
  const found = faults.slice(0, problemsMax).map(({ path, message }) => ({ line: lineOf(path), message: `${pathText(path)}: ${message}` }));
  return found.sort((one, other) => one.line - other.line);
}

function readText(path: string): string {
  try {
    if (statSync(path).size > fileBytesMax)
      throw new CatalogFault(path, [{ line: 1, message: `the file is larger than ${fileBytesMax} bytes` }]);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CatalogFault) throw error;
    throw new CatalogFault(path, [{ line: 1, message: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}` }]);
  }
}

/** An upstream without a key is legal (your own model server), so a variable that is named but empty only warns. */
function warningOf({ provider, variable, header, credential }: UnsetVariable, fileName: string): string {
  const what = credential !== undefined ? `the credential "${credential}"` : header === null ? "a key" : `the header "${header}"`;
  return `${fileName}: provider "${provider}" is called without ${what}: the variable ${variable} is not set`;
}

/** `models[3].pricing.input`, as the operator would look for it. */
function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return "the file";
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${step}`)).join("");
}

function lengthOf(value: unknown, key: string): number {
  const list = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) ? list.length : 0;
}

// The catalog that ships with the gateway: served where the operator sets none. The documentation is written with its names.

export const shippedCatalogPath = fileURLToPath(new URL("./default.yaml", import.meta.url));

/** For reading names and prices: its models can't be called. */
export function readShippedCatalog(): Catalog {
  return loadCatalog({ path: shippedCatalogPath, environment: {}, simulatorUrl: "http://127.0.0.1:9" }).catalog;
}
