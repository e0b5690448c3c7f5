// The schema of an error body: one envelope, the codes and types of one status closed. Shared where small sets repeat.
// Leaves the example bodies to error-examples.ts.
import type { Dialect, Row } from "./catalogue.ts";
import type { Document, Schema } from "./document.ts";
import { errorExamples } from "./error-examples.ts";

export interface ErrorsOfStatus {
  status: number;
  /** Whether the operation names near models beside a code that doesn't do so by itself. */
  suggests: boolean;
  /** `shown` is the code in the operation's dialect; the row is as it is at this status. */
  entries: { code: string; shown: string; row: Row }[];
}

/** Returns a reference; the schema is added to the document's components. */
export function errorSchema(document: Document, operationId: string, dialect: Dialect, group: ErrorsOfStatus): Schema {
  const name = nameOf(operationId, dialect, group);
  document.components.schemas[name] ??= {
    description: `Body of a ${group.status}.`,
    ...build[dialect.envelope](document, group),
    examples: errorExamples(dialect.envelope, group),
  };
  return { $ref: `#/components/schemas/${name}` };
}

function nameOf(operationId: string, { envelope }: Dialect, { status, entries, suggests }: ErrorsOfStatus): string {
  const prefix = envelope === "standard" ? "Error" : `${pascal(envelope)}Error`;
  const codes = [...new Set(entries.map(({ shown }) => shown))];
  const shared = codes.length <= 2 && entries.length === codes.length && !suggests;
  return shared ? `${prefix}${status}${codes.map(pascal).join("Or")}` : `${pascal(operationId)}${prefix}${status}`;
}

function pascal(word: string): string {
  return word.replace(/(^|_)([a-z])/g, (_, _bar, letter: string) => letter.toUpperCase());
}

const message = { type: "string", description: "Human-readable; do not parse it." };
const requestId = { type: "string", description: "Equals the header `x-request-id`." };

type Build = (document: Document, group: ErrorsOfStatus) => Schema;

const build: Record<Dialect["envelope"], Build> = {
  standard: (document, group) => {
    const properties = { error: errorObject(group, typesOf(group)), ...extras(document, group) };
    return sealed(properties, ["error", ...requiredExtras(document, group)]);
  },
  anthropic: (document, group) => {
    const type = { type: "string", const: "error", description: "Always `error`." };
    const details = {
      ...sealed({ error_code: codeOf(group) }, ["error_code"]),
      description: "The code, where Anthropic's clients look for it.",
    };
    const error = errorObject(group, anthropicTypesOf(group), { details });
    const properties = { type, error, request_id: requestId, ...extras(document, group) };
    return sealed(properties, ["type", "error", "request_id", ...requiredExtras(document, group)]);
  },
  bare: (document, group) => {
    // These bodies have no code: the type is what the code would be. Only errors about money carry both.
    const type = { ...codeOf(group), description: "Stable value to branch on, in place of a code." };
    const properties: Record<string, Schema> = { message, type, request_id: requestId };
    if (group.status === 402) properties.code = { ...codeOf(group), description: "Equals `type`." };
    const error = { ...sealed(properties, ["message", "type", "request_id"]), description: "The error." };
    return sealed({ error, ...extras(document, group) }, ["error", ...requiredExtras(document, group)]);
  },
  genmedia: (document, group) => {
    const error_type = { type: "string", description: "Category of the error." };
    // 402's own `details` stand beside these: one name, one object.
    const ofPayment = group.status === 402 ? propertiesOf(document, "PaymentDetails") : {};
    const { model, tier } = ofPayment;
    const payment: Record<string, Schema> = model === undefined || tier === undefined ? {} : { model, tier };
    const own = { error_type, code: codeOf(group), request_id: requestId };
    const details = sealed({ ...own, ...payment }, Object.keys(own));
    const { details: _merged, ...others } = extras(document, group);
    return sealed({ error: message, details: { ...details, description: "The error, machine-readable." }, ...others }, [
      "error",
      "details",
    ]);
  },
};

function errorObject(group: ErrorsOfStatus, types: string[], more: Record<string, Schema> = {}): Schema {
  const bare = group.entries.filter(({ row }) => row.bare === true).length;
  const properties: Record<string, Schema> = {
    message,
    type: { type: "string", enum: types, description: "Category of the error." },
    code: codeOf(group),
    param: { type: ["string", "null"], description: "The request field that caused the error; else null." },
    retryable: { type: "boolean", description: "Whether retrying the same request can help." },
    request_id: requestId,
    doc_url: { type: "string", format: "uri", description: "The code's entry in the documentation." },
    ...more,
  };
  if (bare === group.entries.length) delete properties.retryable;
  const required = Object.keys(properties).filter((name) => name !== "retryable" || bare === 0);
  if (group.entries.some(({ code }) => code === "route_refused"))
    properties.suggested_models = {
      type: "array",
      items: { type: "string" },
      description: "Other models that may work; on `route_refused`.",
    };
  return { ...sealed(properties, required), description: "The error." };
}

function codeOf({ entries }: ErrorsOfStatus): Schema {
  return { type: "string", enum: [...new Set(entries.map(({ shown }) => shown))], description: "Stable code to branch on." };
}

function typesOf({ entries }: ErrorsOfStatus): string[] {
  return [...new Set(entries.map(({ row }) => row.type))];
}

function anthropicTypesOf({ status, entries }: ErrorsOfStatus): string[] {
  return [...new Set(entries.map(({ row }) => anthropicType(row.type, status)))];
}

/** Anthropic has no upstream_error. */
export function anthropicType(type: string, status: number): string {
  if (type !== "upstream_error") return type;
  return status === 503 ? "overloaded_error" : "api_error";
}

/** As an unknown path is answered, which no operation describes. */
const available_endpoints: Schema = {
  type: "array",
  maxItems: 5,
  items: { type: "string" },
  description: "Endpoints that may have been meant, at most 5; on `endpoint_not_found`.",
};

/** Fields beside `error`, from the models of error-bodies.tsp. */
function extras(document: Document, { status, suggests, entries }: ErrorsOfStatus): Record<string, Schema> {
  const unknownModel = entries.some(({ code }) => code === "model_not_found" || code === "invalid_model");
  const unknownPath = entries.some(({ code }) => code === "endpoint_not_found");
  return {
    ...(unknownPath ? { available_endpoints } : {}),
    ...(status === 402 ? propertiesOf(document, "PaymentNeeded") : {}),
    ...(suggests || unknownModel ? propertiesOf(document, "ModelSuggestions") : {}),
  };
}

/** What these say needs the figures; a payment that could not be started has none. */
const aboutBalanceCodes = new Set(["insufficient_credits", "key_limit_reached", "model_requires_paid"]);

function requiredExtras(document: Document, { status, entries }: ErrorsOfStatus): string[] {
  const aboutBalance = entries.every(({ code }) => aboutBalanceCodes.has(code));
  return status === 402 && aboutBalance ? ((document.components.schemas.PaymentNeeded?.required ?? []) as string[]) : [];
}

function propertiesOf(document: Document, name: string): Record<string, Schema> {
  return (document.components.schemas[name]?.properties ?? {}) as Record<string, Schema>;
}

function sealed(properties: Record<string, Schema>, required: string[]): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}
