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
  /** Adapts a text, or JSON as text, to this gateway. */
  text(source: string): string;
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
  const inText = patternOf([...names.keys()]);
  const say = (name: string) => names.get(name)?.name ?? unnamedModel;
  const address = publicUrl ?? "https://gateway.example";
  const text = (source: string) =>
    source.replace(invented, address).replace(inText, (_, before: string, name: string) => before + say(name));
  const standInsOf = (source: string) => [...source.matchAll(inText)].map(([, , name]) => names.get(name as string) as StandIn);
  return {
    address,
    text,
    document: (source) => {
      const contract = examplesHere(catalog, "", parseJson(text(source))) as OpenApi;
      return { ...contract, ...(publicUrl === null ? {} : { servers: [{ url: publicUrl }] }) };
    },
    notServed: (source) => [
      ...new Set(
        standInsOf(source)
          .filter(({ name }) => name === null)
          .map(({ kind }) => kind),
      ),
    ],
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
  const { object, id } = value as Partial<ModelRow>;
  const row = object === "model" && id !== undefined ? catalog.models.get(id)?.row : undefined;
  return row === undefined ? value : { ...value, ...pick(row, Object.keys(value)) };
}

function pick(row: ModelRow, keys: readonly string[]): Partial<ModelRow> {
  return Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key)));
}

/**
 * Ids contain a slash and are found anywhere; aliases are ordinary words, and mean a model only in a model's place: `"model": "best"`,
 * `openai.chat("best")`, `-F model=best`, `export ANTHROPIC_MODEL=best`, `ask best`.
 */
function patternOf(names: readonly string[]): RegExp {
  const anyOf = (some: readonly string[]) =>
    some
      .toSorted((a, b) => b.length - a.length)
      .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("|");
  const isId = (name: string) => name.includes("/");
  const asked = String.raw`\b(?:model|did_you_mean)(?:\\?["'])?\s*[:=]\s*\\?["']|\b(?:svc|openai|anthropic|cohere)(?:\.\w+)?\("|\bmodel=|_MODEL=|\bask `;
  const [ids, words] = [anyOf(names.filter(isId)), anyOf(names.filter((name) => !isId(name)))];
  return new RegExp(`((?<![\\w/.-])(?=${ids})|${asked})(${ids}|${words})(?![\\w/-]|\\.\\w)`, "g");
}
