// Adapts the documentation to this gateway: texts and examples are written with an invented address and with the shipped catalog's
// names; here those become this gateway's address and the models of its current catalog.
import { standIns, type StandIn } from "../catalog/example-models.ts";
import { readShippedCatalog } from "../catalog/load.ts";
import type { Catalog, ModelRow } from "../catalog/types.ts";
import { parseJson } from "../json/parse.ts";
import type { OpenApi } from "./contract.ts";

export interface Here {
  /** Without a trailing slash; an invented address if no gateway is known. */
  address: string;
  /** Adapts a text to this gateway. */
  text(source: string): string;
  /** Adapts a text that is code. */
  code(source: string): string;
  /** The contract with this gateway's address, and with models of its catalog in the examples. */
  document(source: string): OpenApi;
  /** Kinds of models that a text names and this gateway does not serve. */
  notServed(source: string): string[];
}

/** The addresses in the sources. */
const invented = /https:\/\/gateway\.example|http:\/\/127\.0\.0\.1:8787/g;
/** Replaces a model of a kind that is not served. */
export const unnamedModel = "MODEL_ID";

/** `publicUrl`: null where no gateway is known. */
export function openHere(catalog: Catalog, publicUrl: string | null): Here {
  const shipped = readShippedCatalog();
  const names = standIns(shipped, catalog);
  const patterns = patternsOf([...names.keys()]);
  const say = (name: string) => names.get(name)?.name ?? unnamedModel;
  const address = publicUrl ?? "https://gateway.example";
  const addressed = (source: string) => source.replace(invented, address);
  return {
    address,
    text: (source) => replaceNames(addressed(source), patterns, say),
    code: (source) => addressed(source).replace(patterns.code, say),
    document: (source) => {
      const contract = examplesHere(catalog, "", parseJson(addressed(source).replace(patterns.document, say))) as OpenApi;
      return { ...contract, ...(publicUrl === null ? {} : { servers: [{ url: publicUrl }] }) };
    },
    notServed(source) {
      const found = new Set<StandIn>();
      replaceNames(source, patterns, (name) => {
        found.add(names.get(name) as StandIn);
        return name;
      });
      return [...new Set([...found].filter(({ name }) => name === null).map(({ kind }) => kind))];
    },
  };
}

/** A document with its examples adapted. `key`: the member that holds it. */
function examplesHere(catalog: Catalog, key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => examplesHere(catalog, "", item));
  const members = Object.entries(value).map(([name, member]) => [name, examplesHere(catalog, name, member)]);
  return exampleHere(catalog, key, Object.fromEntries(members) as object);
}

/** A model's row in an example becomes the row of the model named there; aliases become this catalog's. */
function exampleHere(catalog: Catalog, key: string, value: object): unknown {
  if (key === "aliases" && Object.values(value).every((one) => typeof one === "string")) return Object.fromEntries(catalog.aliases);
  if (key === "x-svc-alias") return { ...value, example: [...catalog.aliases.keys()][0] };
  const { object, id, model, alias } = value as Partial<ModelRow> & { model?: unknown; alias?: unknown };
  if (typeof alias === "string") return { ...value, alias: aliasOf(catalog, alias, model) };
  const row = object === "model" && id !== undefined ? catalog.models.get(id)?.row : undefined;
  return row === undefined ? value : { ...value, ...pick(row, Object.keys(value)) };
}

/** The alias by which a call in an example named its model; null where this catalog has none of it. */
function aliasOf({ aliases }: Catalog, shown: string, model: unknown): string | null {
  if (aliases.get(shown) === model) return shown;
  return [...aliases].find(([, id]) => id === model)?.[0] ?? null;
}

function pick(row: ModelRow, keys: readonly string[]): Partial<ModelRow> {
  return Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key)));
}

// How names of models are found. Ids contain a slash and are found anywhere; aliases are ordinary words, and name a model only in code.

/** Fences and inline code, as the odd parts of a split. */
const codeParts = /(^ *```[\s\S]*?^ *```|`[^`\n]+`)/m;

function replaceNames(source: string, { ids, code }: Patterns, say: (name: string) => string): string {
  const parts = source.split(codeParts);
  return parts.map((part, index) => part.replace(index % 2 === 0 ? ids : code, say)).join("");
}

/** Where an alias names a model in code, whichever library is called. */
const inCode = [
  String.raw`(?<!["'](?:code|type|speed|reason|task|param)["']\s*:\s*["'])(?<=(?<![\w)\]]\[)\\?["'])WORDS(?=\\?["'](?!\s*:(?!\s*\{)))`, // a string, or the key of an object; neither another key nor a subscript
  String.raw`(?<=(?:^|["'\s])\w[\w-]*/)WORDS`, // behind a provider's name
  String.raw`(?<=(?:[Mm]odel|MODEL)\w*\s*[:=]\s*)WORDS(?!\()`, // without quotes, behind a name that says so
  String.raw`(?<=\bask )WORDS`, // a function of the guides
].join("|");

/** In the contract, most of whose words are no code. */
const inDocument = String.raw`(?<=\b(?:model|did_you_mean)(?:\\?["'])?\s*[:=]\s*\\?["']|\bmodel=)WORDS`;

interface Patterns {
  ids: RegExp;
  /** These and aliases. */
  code: RegExp;
  document: RegExp;
}

function patternsOf(names: readonly string[]): Patterns {
  const anyOf = (some: readonly string[]) =>
    some
      .toSorted((a, b) => b.length - a.length)
      .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("|");
  const isId = (name: string) => name.includes("/");
  const end = String.raw`(?![\w/-]|\.\w)`;
  const ids = `(?<![\\w/.-])(?:${anyOf(names.filter(isId))})${end}`;
  const words = `(?:${anyOf(names.filter((name) => !isId(name)))})${end}`;
  const beside = (places: string) => new RegExp(`${ids}|${places.replaceAll("WORDS", words)}`, "gm");
  return { ids: new RegExp(ids, "g"), code: beside(inCode), document: beside(inDocument) };
}
