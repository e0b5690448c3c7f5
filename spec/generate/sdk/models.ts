// The named schemas of requests and answers, as interfaces and unions that carry the contract's texts.
import type { Document, Schema } from "../document.ts";
import { bodiesOf, referredTo, type SdkOperation } from "./operations.ts";
import { comment, fieldName, hasName, key, objectType, type Printing, typeOf } from "./print-type.ts";
import type { Usage } from "./usage.ts";

/** Sorted by name: a new model then changes one place. */
export function modelsSource({ components: { schemas } }: Document, usage: Usage, operations: readonly SdkOperation[]): string {
  const others = new Map(operations.flatMap((one) => fieldsOfOthers(one, schemas)));
  return [...new Set([...usage.requests, ...usage.answers])]
    .filter((name) => hasName(schemas[name] as Schema))
    .sort()
    .map((name) => modelSource(name, schemas[name] as Schema, { schemas, request: usage.requests.has(name) }, others.get(name)))
    .join("\n");
}

function modelSource(name: string, schema: Schema, printing: Printing, { form, not }: Alternative = {}): string {
  const text = comment((schema.description ?? form ?? "") as string, schema.deprecated === true, "");
  if (!isInterface(schema)) return `${text}export type ${name} = ${broken(typeOf(schema, printing))};\n`;
  const parents = [...((schema.allOf ?? []) as Schema[]).flatMap((one) => referredTo(one) ?? []), ...fieldsAsOf(schema, printing)];
  const heading = `${text}export interface ${name}${parents.length > 0 ? ` extends ${parents.join(", ")}` : ""}`;
  return `${heading} ${objectType(schema, printing, "", [...(not ?? []), ...openField(schema, printing)])}\n`;
}

/** Fields that are not listed are those of another model. */
function fieldsAsOf({ "x-unknown-fields": unknownFields }: Schema, { schemas }: Printing): string[] {
  return typeof unknownFields === "string" && schemas[unknownFields] !== undefined ? [unknownFields] : [];
}

/** The index of a map. Requests that are forwarded have none: a slip would be a field of theirs. `extraBody` takes what is not listed. */
function openField({ additionalProperties: more }: Schema, printing: Printing): string[] {
  return typeof more === "object" && more !== null ? [`[other: string]: ${typeOf(more as Schema, printing)} | undefined;`] : [];
}

interface Alternative {
  /** What a form is, whose model has no text of its own. */
  form?: string;
  /** Fields of the other ways to send the body, which this one refuses. */
  not?: string[];
}

function fieldsOfOthers(one: SdkOperation, schemas: Printing["schemas"]): [string, Alternative][] {
  const bodies = bodiesOf(one).flatMap((schema) => referredTo(schema) ?? []);
  const fieldsOf = (name: string) => Object.keys((schemas[name]?.properties ?? {}) as object).map(fieldName);
  return bodies.map((name) => {
    const foreign = bodies.flatMap((other) => fieldsOf(other)).filter((field) => !fieldsOf(name).includes(field));
    return [name, { form: `The request of \`${one.name}\`.`, not: foreign.map((field) => `${key(field)}?: never;`) }];
  });
}

/** One branch a line, where they don't fit on one. */
function broken(type: string): string {
  return type.length <= 110 || type.includes("{") ? type : `\n  | ${type.split(" | ").join("\n  | ")}`;
}

function isInterface({ type, properties, oneOf, anyOf }: Schema): boolean {
  return type === "object" && properties !== undefined && oneOf === undefined && anyOf === undefined;
}
