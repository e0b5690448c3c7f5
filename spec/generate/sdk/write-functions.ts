// generated/sdk/functions.js and its types: every operation as a function of its own, so that a bundler keeps what is used.
import type { Document } from "../document.ts";
import { typeParameters } from "./call-shape.ts";
import { sdkOperations } from "./operations.ts";
import { routeOf } from "./routes.ts";
import { operationSignature, parameterNames, waitingSignature } from "./signatures.ts";
import { waitings } from "./waiting.ts";

export function functionsSource(document: Document): string {
  const functions = sdkOperations(document).map((one) => {
    const route = routeOf(document, one);
    const names = parameterNames(one, route);
    const input = names.includes("input") ? "input" : "undefined";
    const made = route.paged
      ? `pages((cursor) => call(client, ${route.text}, { ...${input}, ...cursor }, options))`
      : `call(client, ${route.text}, ${input}, options)`;
    return `export function ${one.id}(${names.join(", ")}) {\n  return ${made};\n}\n`;
  });
  const waits = waitings.map(({ id, operations: [order, look], idField, holds }) => {
    const query = holds ? "query, " : "";
    const looking = `(job, query, rest) => ${look}(client, job.${idField}, ${query}rest)`;
    return `export function ${id}(client, input, options) {\n  return untilDone(client, ${order}(client, input, options), ${looking}, options);\n}\n`;
  });
  return `import { binary } from "./runtime/binary.js";
import { call } from "./runtime/call.js";
import { formOf } from "./runtime/form.js";
import { pages } from "./runtime/pages.js";
import { newKey, segment, withUsage } from "./runtime/route-parts.js";
import { stream } from "./runtime/stream.js";
import { text } from "./runtime/text.js";
import { untilDone } from "./runtime/wait.js";
export { costOf, createClient, SvcError, verifyReceipt } from "./runtime/public.js";

${[...functions, ...waits].join("\n")}`;
}

export function functionTypes(document: Document): string {
  const first = "client: Client";
  const functions = sdkOperations(document).map((one) =>
    operationSignature(document, one, routeOf(document, one), { start: `export declare function ${one.id}`, first, indent: "" }),
  );
  const waits = waitings.map((one) => waitingSignature(one, { start: `export declare function ${one.id}`, first, indent: "" }));
  const bodies = [...functions, ...waits].join("\n");
  return `${importsFor(bodies)}
export * from "./runtime/public.js";
export type * from "./types.js";

${bodies}`;
}

const runtimeTypes = [
  "Binary",
  "Call",
  "Client",
  "ClientOptions",
  "IdempotentOptions",
  "JobFailure",
  "Pages",
  "RequestOptions",
  "Stream",
  "Succeeded",
  "WaitOptions",
];
const notImported = ["Promise", "Partial", "Record", "Readonly", "Svc", ...typeParameters];

/** Imports of the types that a text of declarations names. */
export function importsFor(text: string): string {
  const code = text.replace(/\/\*\*[^]*?\*\//g, "").replace(/"[^"]*"/g, "");
  const names = [...new Set(code.match(/\b[A-Z]\w*\b/g) ?? [])].filter((name) => !notImported.includes(name)).sort();
  const list = (some: string[]) => `{\n${some.map((name) => `  ${name},\n`).join("")}}`;
  return `import type ${list(names.filter((name) => runtimeTypes.includes(name)))} from "./runtime/public.js";
import type ${list(names.filter((name) => !runtimeTypes.includes(name)))} from "./types.js";
`;
}
