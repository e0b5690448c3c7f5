// A JSON document that conforms to a JSON Schema, the same one for the same seed.
// Serves structured output and tool arguments.
import randexp from "randexp";
import { writeWords } from "./prose.ts";
import { refuse } from "./request-fields.ts";
import { digest, pick, type Random, wholeBetween } from "./seed.ts";

export type Schema = Record<string, unknown> | boolean;

/** Below it only what the schema requires is made, so that recursive schemas end. */
const generousDepth = 4;
/** A schema that requires itself without end is refused here. */
const depthMax = 40;

export function sampleSchema(schema: Schema, random: Random): unknown {
  return sample(schema, { root: schema, random }, 0);
}

interface Source {
  root: Schema;
  random: Random;
}

function sample(given: Schema, source: Source, depth: number): unknown {
  if (depth > depthMax) refuse("response_format", "The schema requires itself without end.", "invalid_json_schema");
  if (typeof given === "boolean") return "any";
  const schema = flatten(given, source, depth);
  if ("const" in schema) return schema["const"];
  const values = schema["enum"];
  if (Array.isArray(values) && values.length > 0) return pick(source.random, values);
  const type = typeOf(schema);
  if (type === "object") return sampleObject(schema, source, depth);
  if (type === "array") return sampleArray(schema, source, depth);
  if (type === "integer") return sampleInteger(schema, source.random);
  if (type === "number") return sampleNumber(schema, source.random);
  if (type === "boolean") return source.random() < 0.5;
  if (type === "null") return null;
  return sampleString(schema, source.random);
}

/** Resolves $ref, merges allOf, and takes one branch of anyOf and oneOf: the first, or deep down the one that ends soonest. */
function flatten(schema: Record<string, unknown>, source: Source, depth: number, hops = 0): Record<string, unknown> {
  if (hops > depthMax) refuse("response_format", "The schema refers to itself in a circle.", "invalid_json_schema");
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  let merged = own;
  const add = (other: unknown) => {
    if (isSchemaObject(other)) merged = merge(merged, flatten(other, source, depth, hops + 1));
  };
  if (typeof $ref === "string") add(resolve($ref, source.root));
  if (Array.isArray(allOf)) allOf.forEach(add);
  for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) add(chooseBranch(branches, depth));
  return merged;
}

function chooseBranch(branches: unknown[], depth: number): unknown {
  if (depth <= generousDepth) return branches[0];
  const scalar = branches.find((branch) => isSchemaObject(branch) && !("$ref" in branch) && !["object", "array"].includes(typeOf(branch)));
  return scalar ?? branches[0];
}

function merge(left: Record<string, unknown>, right: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...right, ...left };
  if (isSchemaObject(left["properties"]) && isSchemaObject(right["properties"])) {
    merged["properties"] = { ...right["properties"], ...left["properties"] };
  }
  if (Array.isArray(left["required"]) && Array.isArray(right["required"])) {
    merged["required"] = [...new Set<unknown>([...(left["required"] as unknown[]), ...(right["required"] as unknown[])])];
  }
  return merged;
}

/** `#`, `#/$defs/name` and any other pointer into the schema. */
function resolve(ref: string, root: Schema): unknown {
  if (!ref.startsWith("#")) refuse("response_format", `The schema refers to ${ref}, outside of itself.`, "invalid_json_schema");
  let found: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = typeof found === "object" && found !== null ? (found as Record<string, unknown>)[name] : undefined;
  }
  if (found === undefined) refuse("response_format", `The schema refers to ${ref}, which isn't there.`, "invalid_json_schema");
  return found;
}

function typeOf(schema: Record<string, unknown>): string {
  const type = schema["type"];
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return String(type.find((name) => name !== "null") ?? "null");
  if ("properties" in schema || "required" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  if ("minimum" in schema || "maximum" in schema || "multipleOf" in schema) return "number";
  return "string";
}

function sampleObject(schema: Record<string, unknown>, source: Source, depth: number): Record<string, unknown> {
  const properties = isSchemaObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  const names = depth < generousDepth ? new Set([...Object.keys(properties), ...required]) : new Set(required);
  const extra = isSchemaObject(schema["additionalProperties"]) ? schema["additionalProperties"] : {};
  const made: Record<string, unknown> = {};
  for (const name of names) {
    const value = sample((properties[name] as Schema | undefined) ?? extra, source, depth + 1);
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function sampleArray(schema: Record<string, unknown>, source: Source, depth: number): unknown[] {
  const min = Number(schema["minItems"] ?? 0);
  const max = Number(schema["maxItems"] ?? Number.POSITIVE_INFINITY);
  const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : [];
  const wanted = depth < generousDepth ? wholeBetween(source.random, 1, 3) : 0;
  // 1,000 bounds what a schema can ask for; a document with more items than that tests nothing.
  const length = Math.min(Math.max(min, Math.min(wanted, max)), 1000);
  const made: unknown[] = [];
  const seen = new Set<string>();
  for (let tries = 0; made.length < length && tries < length * 20; tries += 1) {
    const item = sample(((first[made.length] ?? schema["items"]) as Schema | undefined) ?? {}, source, depth + 1);
    const text = JSON.stringify(item);
    if (schema["uniqueItems"] === true && seen.has(text)) continue;
    seen.add(text);
    made.push(item);
  }
  return made;
}

function isSchemaObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Strings and numbers that a JSON Schema accepts: lengths, formats, bounds and steps.
// A `pattern` is met where it is one of the plain kind (classes, groups and counts); others get words.

type Keywords = Record<string, unknown>;

function sampleString(schema: Keywords, random: Random): string {
  if (typeof schema["format"] === "string") {
    const made = formats[schema["format"]];
    if (made !== undefined) return made(random);
  }
  if (typeof schema["pattern"] === "string") {
    const made = samplePattern(schema["pattern"], random);
    if (made !== null) return made;
  }
  const min = boundOf(schema["minLength"], 0);
  const max = boundOf(schema["maxLength"], Number.POSITIVE_INFINITY);
  let text = writeWords(random, wholeBetween(random, 1, 3));
  // 100,000 characters bound what a schema can ask for.
  while (text.length < Math.min(min, 100_000)) text += ` ${writeWords(random, 3)}`;
  return text.length > max ? text.slice(0, max) : text;
}

function sampleInteger(schema: Keywords, random: Random): number {
  const step = boundOf(schema["multipleOf"], 1);
  return sampleStep(schema, random, Number.isInteger(step) && step > 0 ? step : 1);
}

function sampleNumber(schema: Keywords, random: Random): number {
  const step = boundOf(schema["multipleOf"], 0);
  if (step > 0) return sampleStep(schema, random, step);
  const { low, high } = range(schema, 0);
  // Two decimals read well, unless the range is too narrow for them.
  const value = low + random() * (high - low);
  const rounded = Math.round(value * 100) / 100;
  return rounded > low && rounded < high ? rounded : (low + high) / 2;
}

/** A multiple of the step within the bounds. */
function sampleStep(schema: Keywords, random: Random, step: number): number {
  const { low, high } = range(schema, step);
  const first = Math.ceil(low / step);
  const last = Math.max(first, Math.floor(high / step));
  return wholeBetween(random, first, last) * step;
}

/** Both ends as values that are allowed; for exclusive bounds of whole steps the next step inwards. */
function range(schema: Keywords, step: number): { low: number; high: number } {
  const lows = [boundOf(schema["minimum"], Number.NEGATIVE_INFINITY), boundOf(schema["exclusiveMinimum"], Number.NEGATIVE_INFINITY) + step];
  const highs = [
    boundOf(schema["maximum"], Number.POSITIVE_INFINITY),
    boundOf(schema["exclusiveMaximum"], Number.POSITIVE_INFINITY) - step,
  ];
  let low = Math.max(...lows);
  let high = Math.min(...highs);
  const width = Math.max(100, step);
  if (!Number.isFinite(low)) low = Number.isFinite(high) ? Math.min(0, high - width) : 0;
  if (!Number.isFinite(high)) high = low + width;
  return { low, high };
}

function boundOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

const twoDigits = (random: Random, min: number, max: number) => String(wholeBetween(random, min, max)).padStart(2, "0");
const date = (random: Random) => `2026-${twoDigits(random, 1, 12)}-${twoDigits(random, 1, 28)}`;
const time = (random: Random) => `${twoDigits(random, 0, 23)}:${twoDigits(random, 0, 59)}:${twoDigits(random, 0, 59)}Z`;
const word = (random: Random) => pick(random, ["harbour", "lantern", "captain", "weather", "village"]);

const formats: Record<string, ((random: Random) => string) | undefined> = {
  date,
  time,
  "date-time": (random) => `${date(random)}T${time(random)}`,
  duration: (random) => `PT${wholeBetween(random, 1, 59)}M`,
  email: (random) => `${word(random)}@example.com`,
  hostname: (random) => `${word(random)}.example.com`,
  uri: (random) => `https://example.com/${word(random)}`,
  ipv4: (random) => `192.0.2.${wholeBetween(random, 1, 254)}`,
  ipv6: (random) => `2001:db8::${wholeBetween(random, 1, 9999)}`,
  uuid: (random) => digest(String(random())).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5"),
};

// A text that a regular expression accepts, by randexp. Whatever it makes is checked against the expression; what can't be made is null,
// never wrong.

/** What the package exports is the class itself; its types are those of a module that holds it. */
const RandExp = randexp as unknown as typeof randexp.default;

/** Repetitions without an upper bound are short. */
const repeatsMax = 4;
/** Characters. A few nested counts would ask for more than memory holds. */
const requestedMax = 1_000_000;

export function samplePattern(pattern: string, random: Random): string | null {
  if (requestedRepeats(pattern) > requestedMax) return null;
  try {
    const sampler = new RandExp(pattern, "u");
    sampler.max = repeatsMax;
    sampler.randInt = (from, to) => wholeBetween(random, from, to);
    const made = sampler.gen();
    return new RegExp(pattern, "u").test(made) ? made : null;
  } catch {
    return null;
  }
}

/** As many as a pattern's counts allow, were they all inside each other. */
function requestedRepeats(pattern: string): number {
  return [...pattern.matchAll(/\{(\d+),?(\d*)\}/g)].reduce((product, [, least, most]) => product * Math.max(1, Number(most || least)), 1);
}
