// generated/sdk/types.d.ts: the contract as named types for people who call it. openapi-typescript's file says the same in four times the
// bytes, and an editor then shows its readers paths through one type instead of names.
import type { Document, Schema } from "../document.ts";
import { errorCodes, errorsByCodeSource, errorTypesSource } from "./error-types.ts";
import { answerHeadersSource, answerHeadersOf } from "./header-types.ts";
import { modelsSource } from "./models.ts";
import { type Parameter, parametersOf, pascal, sdkOperations, type SdkOperation } from "./operations.ts";
import { bodyType, eventType, queryName, resultType } from "./call-shape.ts";
import { key, objectType, type Printing, typeOf } from "./print-type.ts";
import { usageOf } from "./usage.ts";

/** From the 3.2 document, which says what the records of streams are. */
export function sdkTypesSource(document: Document): string {
  const operations = sdkOperations(document);
  const { schemas } = document.components;
  return `import type { Binary, Upload } from "./runtime/public.js";

${modelsSource(document, usageOf(document, operations), operations)}
${operations.map((one) => querySource(one, schemas)).join("")}
${answerHeadersSource(operations, schemas)}
${errorTypesSource(document, operations)}
${errorsByCodeSource(document, operations)}
/** Every \`code\` that the gateway can return, of all endpoints. */
export type ErrorCode =
${errorCodes(document, operations)
  .map((code) => `  | ${JSON.stringify(code)}`)
  .join("\n")};

/**
 * The operations by their id in the contract: the request, the answer, whole (\`result\`) or as a stream (\`event\`), and the errors. What an
 * operation does not have is \`never\`.
 */
export interface Operations {
${operations.map((one) => operationSource(one, schemas)).join("")}}

/** An operation's id in the contract. */
export type OperationId = keyof Operations;

/** The errors of an operation; with a status, only those with this status. */
export type ErrorOf<Id extends OperationId, Status extends number = number> = Extract<Operations[Id]["error"], { status: Status }>;

/** The error codes of an operation. */
export type ErrorCodeOf<Id extends OperationId> = Operations[Id]["error"]["code"];
`;
}

function querySource(one: SdkOperation, schemas: Printing["schemas"]): string {
  const name = queryName(one);
  if (name === null) return "";
  return `/** Query parameters of \`${one.name}\`. */\nexport interface ${name} ${parametersType(parametersOf(one, "query"), schemas, "")}\n`;
}

function operationSource(one: SdkOperation, schemas: Printing["schemas"]): string {
  const path = parametersOf(one, "path");
  const headers = parametersOf(one, "header");
  const parts: Record<string, string> = {
    path:
      path.length === 0
        ? "never"
        : `{ ${path.map(({ name, schema }) => `${key(name)}: ${typeOf(schema, { schemas, request: true })}`).join("; ")} }`,
    query: queryName(one) ?? "never",
    headers: headers.length === 0 ? "never" : `{ ${headers.map(({ name }) => `${key(name)}?: string`).join("; ")} }`,
    body: bodyType(one) ?? "never",
    result: resultType(one),
    event: eventType(one) ?? "never",
    answerHeaders: answerHeadersOf(one),
    error: `${pascal(one.id)}Error`,
  };
  const lines = Object.entries(parts).map(([name, type]) => `    ${name}: ${type};\n`);
  return `  /** \`${one.name}\`: \`${one.method.toUpperCase()} ${one.path}\`. */\n  ${one.id}: {\n${lines.join("")}  };\n`;
}

function parametersType(parameters: readonly Parameter[], schemas: Printing["schemas"], indent: string): string {
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description, deprecated }): [string, Schema] => [
      name,
      { ...described(oneOrSeveral(schema), description), ...(deprecated === true && { deprecated }) },
    ]),
  );
  const required = parameters.filter((one) => one.required === true).map(({ name }) => name);
  return objectType({ properties, required }, { schemas, request: true }, indent);
}

/** Values of a list stand in the address separated by commas: one alone is written without a list. */
function oneOrSeveral(schema: Schema): Schema {
  return schema.type === "array" ? { description: schema.description, anyOf: [schema.items, schema] } : schema;
}

function described(schema: Schema, description: string | undefined): Schema {
  return { ...schema, description: description ?? schema.description };
}
