// A schema as a TypeScript type, and texts as doc comments. Knows nothing of operations.
import type { Schema } from "../document.ts";
import { referredTo } from "./operations.ts";
import { isUnknownKind } from "./usage.ts";

export interface Printing {
  schemas: Readonly<Record<string, Schema>>;
  /** Whether an optional field may be given as undefined, which JSON leaves out. */
  request: boolean;
}

export function typeOf(schema: Schema, printing: Printing, indent = ""): string {
  if (typeof schema["x-parameter"] === "string") return schema["x-parameter"];
  const name = referredTo(schema);
  if (name !== undefined) return namedType(name, printing, indent);
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  if (schema.format === "binary") return "Upload";
  const branches = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (branches !== undefined) return union(branches.filter((one) => !isUnknownKind(one)).map((one) => typeOf(one, printing, indent)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, printing, indent)));
  return ofType[String(schema.type)]?.(schema, printing, indent) ?? "unknown";
}

/** Texts and numbers with rules get no name: an editor would show the bare type anyway. */
export function hasName(schema: Schema): boolean {
  return !((isPlain(schema.type) && schema.enum === undefined) || schema.type === "array");
}

function isPlain(type: unknown): boolean {
  return type === "string" || type === "number" || type === "integer" || type === "boolean" || type === "null";
}

function namedType(name: string, printing: Printing, indent: string): string {
  const schema = printing.schemas[name];
  if (schema === undefined) throw new Error(`there is no schema ${name}`);
  return hasName(schema) ? name : typeOf(schema, printing, indent);
}

const ofType: Record<string, (schema: Schema, printing: Printing, indent: string) => string> = {
  string: () => "string",
  number: () => "number",
  integer: () => "number",
  boolean: () => "boolean",
  null: () => "null",
  array: ({ items }, printing, indent) => arrayOf(typeOf((items ?? {}) as Schema, printing, indent)),
  object: (schema, printing, indent) =>
    schema.properties === undefined ? mapType(schema, printing, indent) : objectType(schema, printing, indent),
};

function mapType({ additionalProperties: of }: Schema, printing: Printing, indent: string): string {
  return `{ [key: string]: ${typeof of === "object" && of !== null ? typeOf(of as Schema, printing, indent) : "unknown"} }`;
}

/** `{ … }` with a line or more for each field. `more` is a last line, such as an index signature. */
export function objectType(schema: Schema, printing: Printing, indent: string, more: readonly string[] = []): string {
  const inner = `${indent}  `;
  const required = new Set((schema.required ?? []) as string[]);
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, field]) => {
    const given = required.has(name);
    const type = typeOf(field, printing, inner);
    const value = given || !printing.request || type === "unknown" ? type : union([type, "undefined"]);
    return `${commentOf(field, printing, inner)}${inner}${key(fieldName(name))}${given ? "" : "?"}: ${value};\n`;
  });
  return `{\n${fields.join("")}${more.map((line) => `${inner}${line}\n`).join("")}${indent}}`;
}

function commentOf(field: Schema, { schemas }: Printing, indent: string): string {
  const target = schemas[referredTo(field) ?? ""] ?? {};
  const text = (field.description ?? target.description ?? "") as string;
  return comment(
    [text, ...bounds({ ...target, ...field }, text)].filter((line) => line !== "").join(" "),
    field.deprecated === true,
    indent,
  );
}

/** What the text doesn't say by itself. */
function bounds({ minimum, maximum, default: fallback }: Schema, text: string): string[] {
  if (typeof maximum !== "number" || new RegExp(`\\b${maximum}\\b`).test(text)) return [];
  const range = typeof minimum === "number" ? `${minimum} to ${maximum}` : `At most ${maximum}`;
  return [typeof fallback === "number" && !/default/i.test(text) ? `${range}; default ${fallback}.` : `${range}.`];
}

/** A doc comment on lines of its own, or nothing. */
export function comment(text: string, deprecated: boolean, indent: string): string {
  const lines = text.replaceAll("*/", "*\\/").trim().split("\n");
  if (deprecated) lines.push("@deprecated");
  const said = lines.filter((line, at) => line !== "" || at > 0);
  if (said.length === 0) return "";
  if (said.length === 1) return `${indent}/** ${said[0]} */\n`;
  return `${indent}/**\n${said.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("")}${indent} */\n`;
}

export function union(types: readonly string[]): string {
  const each = [...new Set(types.flatMap((type) => (type.includes("{") ? [type] : type.split(" | "))))];
  // null and undefined are read last.
  const rank = (type: string) => (type === "undefined" ? 2 : type === "null" ? 1 : 0);
  return each.sort((a, b) => rank(a) - rank(b)).join(" | ");
}

/** The list of a form is called as in JSON: `[]` is the library's to add. */
export function fieldName(name: string): string {
  return name.replace(/\[\]$/, "");
}

export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function literal(value: unknown): string {
  return JSON.stringify(value);
}

function arrayOf(type: string): string {
  return /[ |]/.test(type) && !/^\{[^]*\}$/.test(type) ? `(${type})[]` : `${type}[]`;
}
