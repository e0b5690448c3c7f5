// How the functions and the client's methods look to TypeScript: one declaration per overload, its comment above the first.
import type { Document } from "../document.ts";
import { operationComment } from "./comments.ts";
import { type Overload, overloadsOf } from "./overloads.ts";
import type { SdkOperation } from "./operations.ts";
import type { RouteSource } from "./routes.ts";
import type { Waiting } from "./waiting.ts";

/** `start` is what stands before the bracket; `first` a parameter before all others. */
export interface Style {
  start: string;
  first?: string;
  indent: string;
}

export function operationSignatures(document: Document, one: SdkOperation, route: RouteSource, { start, first, indent }: Style): string {
  const lines = overloadsOf(one).map(
    (overload) => `${indent}${start}(${parameters(overload, route, first)}): ${returned(one, overload, route)};`,
  );
  // Each overload is shown by itself, so each has the comment.
  return lines.map((line) => `${operationComment(document, one, indent)}${line}\n`).join("");
}

function parameters({ args, optional }: Overload, { ids, idempotent }: RouteSource, first: string | undefined): string {
  return [
    ...(first === undefined ? [] : [first]),
    ...ids.map((id) => `${id}: string`),
    ...(args === null ? [] : [`input${optional ? "?" : ""}: ${args}`]),
    `options?: ${idempotent ? "IdempotentOptions" : "RequestOptions"}`,
  ].join(", ");
}

function returned(one: SdkOperation, { result, stream, event }: Overload, { paged }: RouteSource): string {
  const id = JSON.stringify(one.id);
  if (paged) return `Pages<${result}, ${id}>`;
  const streamed = `Stream<${event}>`;
  const data = stream === "always" ? streamed : stream === "either" ? `${result} | ${streamed}` : result;
  return `Call<${data}, ${id}>`;
}

export function waitingSignature(waiting: Waiting, { start, first, indent }: Style): string {
  const { comment, input, job, done, operations, failed } = waiting;
  const list = [...(first === undefined ? [] : [first]), `input: ${input}`, `options?: WaitOptions<${job}>`].join(", ");
  const operationIds = operations.map((id) => JSON.stringify(id)).join(" | ");
  const text = comment.map((line) => `${indent} * ${line}\n`).join("");
  return `${indent}/**\n${text}${indent} */\n${indent}${start}(${list}): Call<${done}, ${operationIds}, JobFailure<${failed}>>;\n`;
}

/** The parameters of the function itself, without types. */
export function parameterNames(one: SdkOperation, { ids }: RouteSource): string[] {
  return ["client", ...ids, ...(overloadsOf(one)[0]!.args === null ? [] : ["input"]), "options"];
}
