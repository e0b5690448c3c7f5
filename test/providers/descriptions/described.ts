// Holds requests and answers against what the vendors' own packages say of their APIs: the JSON Schemas beside this file, which take.py
// takes out of them and which name package and version. Bedrock has Amazon's service model, in a form of its own. The schemas are read as
// they stand: to compile one takes a library over a second, and of a choice between twenty shapes it names no fault of the one that was meant.
import { readFileSync } from "node:fs";
import { shapeFaults } from "../bedrock/service-model.ts";

export type Vendor = "openai" | "azure" | "anthropic" | "cohere" | "gemini" | "vertex";

/** What take.py leaves of JSON Schema. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
}

interface Description {
  source: string;
  licence: string;
  roots: Record<string, Schema>;
  $defs: Record<string, Schema>;
}

const descriptions = new Map<Vendor, Description>();

export function descriptionOf(vendor: Vendor): Description {
  const known = descriptions.get(vendor);
  if (known !== undefined) return known;
  const read = JSON.parse(readFileSync(new URL(`${vendor}.json`, import.meta.url), "utf8")) as Description;
  descriptions.set(vendor, read);
  return read;
}

/** One sentence for each fault; empty: the value is what the vendor describes under this name. */
export function describedFaults(vendor: Vendor, name: string, value: unknown): string[] {
  const { roots, $defs } = descriptionOf(vendor);
  return faultsOf(roots[name]!, value, `${vendor} ${name}`, $defs);
}

function faultsOf(schema: Schema, value: unknown, at: string, defs: Description["$defs"]): string[] {
  const inner = (one: Schema) => faultsOf(one, value, at, defs);
  if (schema.$ref !== undefined) return inner(defs[schema.$ref.slice("#/$defs/".length)]!);
  const faults = (schema.allOf ?? []).flatMap(inner);
  if (schema.anyOf !== undefined) faults.push(...choiceFaults(schema.anyOf.map(inner)));
  if (schema.oneOf !== undefined && schema.oneOf.filter((one) => inner(one).length === 0).length !== 1)
    faults.push(`${at}: fits not one of ${JSON.stringify(schema.oneOf)}`);
  if (schema.not !== undefined && inner(schema.not).length === 0) faults.push(`${at}: fits what it must not`);
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOf(type, value)))
    return [...faults, `${at}: is no ${[schema.type].flat().join(" or ")}`];
  if ("const" in schema && value !== schema.const) faults.push(`${at}: is not the constant ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value))
    faults.push(`${at}: ${JSON.stringify(value)} is none of ${schema.enum.join()}`);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(String(value)))
    faults.push(`${at}: has not the form ${schema.pattern}`);
  if (Array.isArray(value) && schema.items !== undefined)
    faults.push(...value.flatMap((item, index) => faultsOf(schema.items!, item, `${at}[${index}]`, defs)));
  if (isOf("object", value)) faults.push(...memberFaults(schema, value as Record<string, unknown>, at, defs));
  return faults;
}

function memberFaults(
  { properties = {}, required = [], additionalProperties = true }: Schema,
  value: Record<string, unknown>,
  at: string,
  defs: Description["$defs"],
): string[] {
  return [
    ...required.filter((name) => value[name] === undefined).map((name) => `${at}: "${name}" is missing`),
    ...Object.entries(value).flatMap(([name, item]) => {
      const schema = properties[name] ?? additionalProperties;
      if (typeof schema === "boolean") return schema ? [] : [`${at}: has no member "${name}"`];
      return faultsOf(schema, item, `${at}.${name}`, defs);
    }),
  ];
}

/** None where one shape fits; else those of the shape that was meant: whose constants are right, then with the fewest faults. */
function choiceFaults(shapes: readonly string[][]): string[] {
  const wrongKind = (faults: readonly string[]) => faults.filter((fault) => /is not the constant|: is no /.test(fault)).length;
  return shapes.toSorted((one, other) => wrongKind(one) - wrongKind(other) || one.length - other.length)[0]!;
}

function isOf(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

export interface Sent {
  /** With its query. */
  path: string;
  json: unknown;
}

type Check = (body: object, path: string) => string[];
const as =
  (vendor: Vendor, name: string): Check =>
  (body) =>
    describedFaults(vendor, name, body);

/** As OpenAI takes it, and as Azure's own description says: it is of api-version 2025-01-01-preview, and of a client that writes one stop and one text as a list. */
const asAzure =
  (name: string): Check =>
  (body, path) => [
    ...as("openai", name)(body, path),
    ...describedFaults("azure", name, withoutFiles(body)).filter((fault) => !newerThanAzures.test(fault)),
  ];
const newerThanAzures =
  /: has no member "(?:safety_identifier|prompt_cache_key|verbosity)"$|\.reasoning_effort: "(?:none|minimal|xhigh)" is none of |ChatRequest\.stop: is no array$|EmbeddingRequest\.input(?:\[\d+\])?: is no (?:array|string)$|\.refusal: is no string$/;

/** Files in a message are newer, too. */
function withoutFiles(body: object): unknown {
  const isFile = (part: unknown) => (part as { type?: unknown } | null)?.type === "file";
  const text = JSON.stringify(body, (_key, value: unknown) => (Array.isArray(value) ? value.filter((part) => !isFile(part)) : value));
  return JSON.parse(text);
}

/** By the end of the path. */
const requests: readonly [RegExp, Check][] = [
  [/^\/azure\/openai\/.*\/chat\/completions$|\/openai\/deployments\/[^/]+\/chat\/completions$/, asAzure("ChatRequest")],
  [/^\/azure\/openai\/.*\/embeddings$|\/openai\/deployments\/[^/]+\/embeddings$/, asAzure("EmbeddingRequest")],
  [/\/chat\/completions$/, as("openai", "ChatRequest")],
  [/\/embeddings$/, as("openai", "EmbeddingRequest")],
  [/\/messages$/, as("anthropic", "OlderMessageRequest")],
  [/\/messages\/count_tokens$/, as("anthropic", "CountRequest")],
  [/\/v2\/chat$/, as("cohere", "ChatRequest")],
  [/\/v2\/embed$/, as("cohere", "EmbedRequest")],
  [/\/v2\/rerank$/, as("cohere", "RerankRequest")],
  [/\/publishers\/google\/models\/[^/]+:(?:streamG|g)enerateContent$/, as("vertex", "GenerateContentRequest")],
  [/\/publishers\/google\/models\/[^/]+:countTokens$/, as("vertex", "CountTokensRequest")],
  [/\/publishers\/google\/models\/[^/]+:predict$/, as("vertex", "PredictRequest")],
  [/\/publishers\/google\/models\/[^/]+:embedContent$/, withModelOfPath("vertex", "EmbedContentRequest")],
  [/\/publishers\/anthropic\/models\/[^/]+:(?:streamR|r)awPredict$/, claudeOnVertex],
  [/\/models\/[^/]+:(?:streamG|g)enerateContent$/, as("gemini", "GenerateContentRequest")],
  [/\/models\/[^/]+:countTokens$/, as("gemini", "CountTokensRequest")],
  [/\/models\/[^/]+:batchEmbedContents$/, as("gemini", "BatchEmbedContentsRequest")],
  [/\/model\/[^/]+\/converse(?:-stream)?$/, (body) => shapeFaults("ConverseRequest", { modelId: "m", ...body })],
];

function withModelOfPath(vendor: Vendor, name: string): Check {
  return (body) => describedFaults(vendor, name, { model: "m", ...body });
}

/** As on Anthropic's own API, but the model is in the path and the version in the body. */
function claudeOnVertex(body: object): string[] {
  const { anthropic_version: version, ...rest } = body as { anthropic_version?: unknown };
  const faults = "model" in rest ? ["anthropic on vertex: the model is in the path"] : [];
  if (version !== "vertex-2023-10-16") faults.push(`anthropic on vertex: no version ${JSON.stringify(version)}`);
  return [...faults, ...describedFaults("anthropic", "OlderMessageRequest", { model: "m", ...rest })];
}

/** Null: no vendor describes what goes to this path. */
export function requestFaults({ path, json }: Sent): string[] | null {
  const known = requests.find(([form]) => form.test(path.split("?")[0]!));
  return known === undefined ? null : known[1](json as object, path);
}
