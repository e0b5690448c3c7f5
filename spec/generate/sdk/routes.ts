// What the runtime must know of an operation at a call, as the source of a `Route` (src/sdk/call.ts).
import type { Document, Schema } from "../document.ts";
import { bodiesOf, eventsOf, parametersOf, referredTo, resultByOf, resultsOf, type SdkOperation } from "./operations.ts";

export interface RouteSource {
  /** The object literal. */
  text: string;
  /** Path parameters, in the path's order. */
  ids: string[];
  /** Its rows come by page. */
  paged: boolean;
  idempotent: boolean;
}

export function routeOf(document: Document, one: SdkOperation): RouteSource {
  const ids = parametersOf(one, "path").map(({ name }) => name);
  const query = parametersOf(one, "query").map(({ name }) => name);
  const auth = authOf(one);
  const idempotent = parametersOf(one, "header").some(({ name }) => name.toLowerCase() === "idempotency-key");
  const isForm = one.operation.requestBody?.content["multipart/form-data"] !== undefined;
  const reader = readerOf(one);
  const fields = [
    `path: ${ids.length === 0 ? JSON.stringify(one.path) : `() => \`${one.path.replace(/\{([^}]+)\}/g, "${segment($1)}")}\``}`,
    ...(one.method === "get" ? [] : [`method: ${JSON.stringify(one.method.toUpperCase())}`]),
    ...(auth === null ? [] : [`auth: ${JSON.stringify(auth)}`]),
    ...(one.method !== "get" && query.length > 0 ? [`query: ${JSON.stringify(query)}`] : []),
    // Jobs get a key by themselves; calls only the caller's, since it costs them a moment.
    ...(idempotent && bodiesOf(one).some((schema) => namesKey(document, schema)) ? ["newKey"] : []),
    ...(isForm ? ["encode: formOf"] : saysUsage(document, one) ? ["encode: withUsage"] : []),
    ...acceptOf(one, reader),
    ...(reader === null ? [] : [`read: ${readers[reader]}`]),
  ];
  return { text: `{ ${fields.join(", ")} }`, ids, paged: isPaged(document, one), idempotent };
}

function namesKey({ components: { schemas } }: Document, schema: Schema): boolean {
  return (schemas[referredTo(schema) ?? ""]?.properties as Schema | undefined)?.idempotency_key !== undefined;
}

/** Its streams carry the usage only when they are asked to. */
function saysUsage({ components: { schemas } }: Document, one: SdkOperation): boolean {
  return bodiesOf(one).some(
    (schema) => (schemas[referredTo(schema) ?? ""]?.properties as Schema | undefined)?.stream_options !== undefined,
  );
}

/** Audio before JSON, but where a field chooses JSON: mock servers go by it. */
function acceptOf(one: SdkOperation, reader: ReturnType<typeof readerOf>): string[] {
  if (reader !== "binary") return [];
  const by = resultByOf(one);
  const [json] = Object.entries(by?.values ?? {}).find(([, type]) => type.includes("json")) ?? [];
  return [`accept: ${json === undefined ? "" : `input?.${by?.field} === ${JSON.stringify(json)} ? undefined : `}"audio/*"`];
}

function authOf({ operation: { security = [] } }: SdkOperation): "none" | "session" | "either" | null {
  const schemes = security.flatMap((one) => Object.keys(one));
  if (schemes.length === 0) return "none";
  if (!schemes.includes("ApiKey")) return "session";
  return schemes.includes("SessionToken") ? "either" : null;
}

const readers = {
  stream: "stream",
  streamOrText: "(...answer) => stream(...answer) ?? text(...answer)",
  binary: "binary",
  text: "text",
};

function readerOf(one: SdkOperation): keyof typeof readers | null {
  const results = resultsOf(one);
  const isText = results.some(({ type }) => !type.includes("json"));
  if (eventsOf(one) !== undefined) return isText ? "streamOrText" : "stream";
  if (results.some(({ schema }) => schema.format === "binary")) return "binary";
  return isText ? "text" : null;
}

/** A GET that answers with a list of rows, even where all of them come on one page. */
function isPaged({ components: { schemas } }: Document, one: SdkOperation): boolean {
  const [result] = resultsOf(one);
  const properties = schemas[referredTo(result?.schema ?? {}) ?? ""]?.properties as Record<string, Schema> | undefined;
  return one.method === "get" && properties?.data?.type === "array";
}
