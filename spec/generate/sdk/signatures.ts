// How the functions and the client's methods look to TypeScript: one declaration each, its comment above.
import type { Document } from "../document.ts";
import { operationComment } from "./comments.ts";
import { type CallShape, callShapeOf } from "./call-shape.ts";
import type { SdkOperation } from "./operations.ts";
import { comment } from "./print-type.ts";
import type { RouteSource } from "./routes.ts";
import type { Waiting } from "./waiting.ts";

/** `start` is what stands before the bracket; `first` a parameter before all others. */
export interface Style {
  start: string;
  first?: string;
  indent: string;
}

export function operationSignature(document: Document, one: SdkOperation, route: RouteSource, { start, first, indent }: Style): string {
  const shape = callShapeOf(one);
  const parameter = shape.parameter === null ? "" : `<${shape.parameter}>`;
  const line = `${indent}${start}${parameter}(${parameters(shape, route, first)}): ${returned(one, shape, route)};\n`;
  return `${operationComment(document, one, indent)}${line}`;
}

function parameters({ args, optional }: CallShape, { ids, idempotent }: RouteSource, first: string | undefined): string {
  return [
    ...(first === undefined ? [] : [first]),
    ...ids.map((id) => `${id}: string`),
    ...(args === null ? [] : [`input${optional ? "?" : ""}: ${args}`]),
    `options?: ${idempotent ? "IdempotentOptions" : "RequestOptions"}`,
  ].join(", ");
}

function returned({ id }: SdkOperation, { result }: CallShape, { paged }: RouteSource): string {
  return `${paged ? "Pages" : "Call"}<${result}, ${JSON.stringify(id)}>`;
}

export function waitingSignature(waiting: Waiting, { start, first, indent }: Style): string {
  const { comment: text, input, job, done, operations, failed } = waiting;
  const list = [...(first === undefined ? [] : [first]), `input: ${input}`, `options?: WaitOptions<${job}>`].join(", ");
  const operationIds = operations.map((id) => JSON.stringify(id)).join(" | ");
  const block = comment([...text, "", operations.map((id) => `/docs/api/${id}`).join(", ")].join("\n"), false, indent);
  return `${block}${indent}${start}(${list}): Call<${done}, ${operationIds}, JobFailure<${failed}>>;\n`;
}

/** The parameters of the function itself, without types. */
export function parameterNames(one: SdkOperation, { ids }: RouteSource): string[] {
  return ["client", ...ids, ...(callShapeOf(one).args === null ? [] : ["input"]), "options"];
}
