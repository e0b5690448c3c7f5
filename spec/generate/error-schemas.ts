// The schema of an error body: one envelope, the codes and types of one status closed. Shared where small sets repeat.
import type { Dialect, Row } from "./catalogue.ts";
import type { Document, Schema } from "./document.ts";

export interface ErrorsOfStatus {
  status: number;
  entries: { code: string; /** The code in the operation's dialect. */ shown: string; row: Row }[];
}

const text = (description: string): Schema => ({ type: "string", description });

/** Returns a reference; the schema is added to the document's components. */
export function errorSchema(document: Document, operationId: string, dialect: Dialect, group: ErrorsOfStatus): Schema {
  const name = nameOf(operationId, dialect, group);
  document.components.schemas[name] ??= { description: `Body of a ${group.status}.`, ...build[dialect.envelope](document, group) };
  return { $ref: `#/components/schemas/${name}` };
}

function nameOf(operationId: string, { envelope }: Dialect, { status, entries }: ErrorsOfStatus): string {
  const prefix = envelope === "standard" ? "Error" : `${pascal(envelope)}Error`;
  const codes = [...new Set(entries.map(({ shown }) => shown))];
  const shared = codes.length <= 2 && entries.length === codes.length;
  return shared ? `${prefix}${status}${codes.map(pascal).join("Or")}` : `${pascal(operationId)}${prefix}${status}`;
}

function pascal(word: string): string {
  return word.replace(/(^|_)([a-z])/g, (_, _bar, letter: string) => letter.toUpperCase());
}

const build: Record<Dialect["envelope"], (document: Document, group: ErrorsOfStatus) => Schema> = {
  standard: (document, group) => sealed({ error: errorObject(group, typesOf(group)), ...extras(document, group) }, ["error", ...requiredExtras(document, group)]),
  anthropic: (document, group) =>
    sealed(
      { type: { type: "string", const: "error" }, error: errorObject(group, anthropicTypesOf(group)), request_id: text("Equals the header `x-request-id`."), ...extras(document, group) },
      ["type", "error", "request_id", ...requiredExtras(document, group)],
    ),
  bare: (document, group) =>
    sealed(
      {
        error: sealed(
          { message: text("For people; not to be parsed."), type: { type: "string", enum: bareTypesOf(group) }, request_id: text("Equals the header `x-request-id`.") },
          ["message", "type", "request_id"],
        ),
        ...extras(document, group),
      },
      ["error", ...requiredExtras(document, group)],
    ),
  genmedia: (document, group) =>
    sealed(
      {
        error: text("For people; not to be parsed."),
        details: sealed({ error_type: text("Category of the error."), code: codeOf(group), request_id: text("Equals the header `x-request-id`.") }, ["error_type", "code", "request_id"]),
        ...Object.fromEntries(Object.entries(extras(document, group)).filter(([name]) => name !== "details")),
      },
      ["error", "details"],
    ),
};

function errorObject(group: ErrorsOfStatus, types: string[]): Schema {
  const says = !group.entries.some(({ row }) => row.bare === true);
  const silent = group.entries.every(({ row }) => row.bare === true);
  return sealed(
    {
      message: text("For people; not to be parsed."),
      type: { type: "string", enum: types, description: "Category of the error." },
      code: codeOf(group),
      param: { type: ["string", "null"], description: "Request field at fault." },
      ...(silent ? {} : { retryable: { type: "boolean", description: "Whether sending the same request again can help." } }),
      request_id: text("Equals the header `x-request-id`."),
      doc_url: { type: "string", format: "uri", description: "The code's entry in the documentation." },
      ...(group.entries.some(({ code }) => code === "route_refused")
        ? { suggested_models: { type: "array", items: { type: "string" }, description: "Other models that may serve; on `route_refused`." } }
        : {}),
    },
    ["message", "type", "code", "param", ...(says ? ["retryable"] : []), "request_id", "doc_url"],
  );
}

function codeOf({ entries }: ErrorsOfStatus): Schema {
  return { type: "string", enum: [...new Set(entries.map(({ shown }) => shown))], description: "Stable code to branch on." };
}

function typesOf({ entries }: ErrorsOfStatus): string[] {
  return [...new Set(entries.map(({ row }) => row.type))];
}

/** WIRE.md 5.5: Anthropic has no upstream_error. */
function anthropicTypesOf({ status, entries }: ErrorsOfStatus): string[] {
  return [...new Set(entries.map(({ row }) => (row.type !== "upstream_error" ? row.type : status === 503 ? "overloaded_error" : "api_error")))];
}

/** No code in these bodies: the type is what the code would be. */
function bareTypesOf({ entries }: ErrorsOfStatus): string[] {
  return [...new Set(entries.map(({ shown }) => shown))];
}

/** Fields beside `error`, from the models of errors.tsp. */
function extras(document: Document, { status, entries }: ErrorsOfStatus): Record<string, Schema> {
  const suggests = entries.some(({ code }) => code === "model_not_found" || code === "invalid_model");
  return { ...(status === 402 ? propertiesOf(document, "PaymentNeeded") : {}), ...(suggests ? propertiesOf(document, "ModelSuggestions") : {}) };
}

function requiredExtras(document: Document, { status, entries }: ErrorsOfStatus): string[] {
  const aboutBalance = entries.every(({ code }) => code === "insufficient_credits" || code === "model_requires_paid");
  return status === 402 && aboutBalance ? ((document.components.schemas.PaymentNeeded?.required ?? []) as string[]) : [];
}

function propertiesOf(document: Document, name: string): Record<string, Schema> {
  return (document.components.schemas[name]?.properties ?? {}) as Record<string, Schema>;
}

function sealed(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}
