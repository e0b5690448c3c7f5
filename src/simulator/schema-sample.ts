// A JSON document that conforms to a JSON Schema, the same one for the same seed.
// Serves structured output and tool arguments; strings and numbers stand in schema-values.ts.
import { wholeBetween, pick, type Random } from "./seed.ts";
import { refuse } from "./refused.ts";
import { sampleInteger, sampleNumber, sampleString } from "./schema-values.ts";

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
  // 1,000 bounds what a schema can order; a document with more items than that tests nothing.
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
