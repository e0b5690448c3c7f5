// The fields of a body as a tree for readers: name, accepted values, meaning; as HTML and as Markdown.
import { follow, type OpenApi, type Schema } from "./contract.ts";
import { escapeHtml } from "../text/html.ts";
import type { Block } from "./types.ts";

interface Field {
  name: string;
  /** In words: "string", "array of objects", "integer or null". */
  type: string;
  required: boolean;
  deprecated: boolean;
  description: string;
  /** Bounds and defaults as short phrases. */
  limits: string[];
  /** A closed list of words. */
  values: string[];
  fields: Field[];
  /** If the value has one of several forms. */
  forms: { title: string; fields: Field[] }[];
}

const depthMax = 5;

interface Walk {
  document: OpenApi;
  /** Names of the enclosing schemas: a recursive schema is shown once. */
  inside: readonly string[];
  depth: number;
}

/** The fields of an object; for a choice of objects, the forms. */
export function fieldsOf(document: OpenApi, schema: Schema): Pick<Field, "fields" | "forms"> {
  return contentOf({ document, inside: [], depth: 0 }, schema);
}

function contentOf(walk: Walk, given: Schema): Pick<Field, "fields" | "forms"> {
  const { schema, name } = follow(walk.document, given);
  if (walk.depth >= depthMax || (name !== null && walk.inside.includes(name))) return { fields: [], forms: [] };
  const deeper = { ...walk, inside: name === null ? walk.inside : [...walk.inside, name], depth: walk.depth + 1 };
  if (schema.items !== undefined) return contentOf({ ...deeper, depth: walk.depth }, schema.items);
  const merged = mergeAll(walk.document, schema);
  const fields = Object.entries(merged.properties ?? {}).map(([key, property]) =>
    fieldOf(deeper, key, property, merged.required?.includes(key) ?? false),
  );
  const choices = choicesOf(walk.document, schema);
  const objects = choices.filter(({ schema: choice }) => isStructured(walk.document, choice));
  if (objects.length === 1 && fields.length === 0) return contentOf({ ...deeper, depth: walk.depth }, objects[0]!.schema);
  return { fields, forms: objects.map((choice) => formOf(deeper, choice)).filter((form) => form.fields.length > 0) };
}

function formOf(walk: Walk, { schema, title }: Choice): { title: string; fields: Field[] } {
  const { fields, forms } = contentOf(walk, schema);
  return { title, fields: fields.length > 0 ? fields : (forms[0]?.fields ?? []) };
}

function fieldOf(walk: Walk, name: string, given: Schema, required: boolean): Field {
  const { schema } = follow(walk.document, given);
  return {
    name,
    type: typeText(walk.document, given),
    required,
    deprecated: schema.deprecated ?? false,
    description: schema.description ?? "",
    limits: limitsOf(walk.document, schema),
    values: valuesOf(walk.document, given),
    ...contentOf(walk, given),
  };
}

/** `allOf` is one object for readers. */
function mergeAll(document: OpenApi, schema: Schema): Pick<Schema, "properties" | "required"> {
  const parts = (schema.allOf ?? []).map((part) => mergeAll(document, follow(document, part).schema));
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties) as Record<string, Schema>,
    required: [...parts.flatMap(({ required }) => required ?? []), ...(schema.required ?? [])],
  };
}

interface Choice {
  schema: Schema;
  title: string;
}

function choicesOf(document: OpenApi, schema: Schema): Choice[] {
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map((choice) => ({ schema: choice, title: choiceTitle(document, choice) }));
  const times = (title: string) => choices.filter((choice) => choice.title === title).length;
  return choices.map((choice) =>
    times(choice.title) === 1 ? choice : { ...choice, title: `${choice.title} (${nameOf(document, choice.schema)})` },
  );
}

/** The name of a schema as words. */
function nameOf(document: OpenApi, choice: Schema): string {
  const { name } = follow(document, choice);
  return name === null ? typeText(document, choice) : name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

/** A tagged object is named by its tag, any other by its schema's name. */
function choiceTitle(document: OpenApi, choice: Schema): string {
  const { schema } = follow(document, choice);
  for (const [key, property] of Object.entries(mergeAll(document, schema).properties ?? {})) {
    const values = valuesOf(document, property);
    if (["type", "role", "object"].includes(key) && values.length === 1) return `${key}: ${values[0]}`;
  }
  return nameOf(document, choice);
}

function isStructured(document: OpenApi, given: Schema): boolean {
  const { schema } = follow(document, given);
  if (schema.items !== undefined) return isStructured(document, schema.items);
  return [schema.properties, schema.allOf, schema.anyOf, schema.oneOf].some((part) => part !== undefined);
}

export function typeText(document: OpenApi, given: Schema): string {
  const { schema } = follow(document, given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return join(choices.map((choice) => typeText(document, choice)));
  if (schema.const !== undefined) return typeof schema.const;
  const types = [schema.type ?? (schema.properties || schema.allOf ? "object" : schema.enum ? typeof schema.enum[0] : "any value")].flat();
  return join(
    types.map((type) => (type === "array" ? `array of ${plural(typeText(document, schema.items ?? {}))}` : formatted(type, schema))),
  );
}

function formatted(type: string, { format }: Schema): string {
  if (type !== "string") return type;
  if (format === "uri") return "URL";
  if (format === "date-time") return "ISO 8601 time";
  return format === "binary" ? "file" : type;
}

/** Null comes last; no duplicates. */
function join(types: string[]): string {
  const words = [...new Set(types.flatMap((type) => type.split(" or ")))];
  return [...words.filter((word) => word !== "null"), ...(words.includes("null") ? ["null"] : [])].join(" or ");
}

function plural(type: string): string {
  const words = type.split(" or ").map((word) => (/^(?:string|integer|number|boolean|object|file|URL)$/.test(word) ? `${word}s` : word));
  return words.join(" or ");
}

function valuesOf(document: OpenApi, given: Schema): string[] {
  const { schema } = follow(document, given);
  const own = schema.const !== undefined ? [schema.const] : (schema.enum ?? []);
  const inner = [...(schema.anyOf ?? schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])];
  const values = [
    ...own.filter((value) => value !== null).map(String),
    ...inner.flatMap((part) => (isStructured(document, part) ? [] : valuesOf(document, part))),
  ];
  return [...new Set(values)];
}

function limitsOf(document: OpenApi, given: Schema): string[] {
  const plain = (given.anyOf ?? given.oneOf ?? []).map((choice) => follow(document, choice).schema);
  const schema = Object.assign({}, ...plain, given) as Schema;
  return [
    ...range(schema.minimum, schema.maximum, ""),
    ...range(schema.minLength || undefined, schema.maxLength, " characters"),
    ...range(schema.minItems || undefined, schema.maxItems, " entries"),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low === undefined && high === undefined) return [];
  if (high === undefined) return [low === 1 && unit !== "" ? "not empty" : `at least ${show(low!)}${unit}`];
  return [
    low === undefined ? `at most ${show(high)}${unit}` : low === high ? `${show(low)}${unit}` : `${show(low)} to ${show(high)}${unit}`,
  ];
}

function show(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 8 });
}

// A tree of fields, as HTML (deep levels are folded) and as Markdown (nested lists).

type Content = Pick<Field, "fields" | "forms">;

export function fieldsBlock(content: Content): Block {
  return { html: ({ markdown }) => `<div class="fields">${contentHtml(content, markdown)}</div>`, markdown: contentMarkdown(content, 0) };
}

function contentHtml({ fields, forms }: Content, inline: (markdown: string) => string): string {
  const rows = fields.map((field) => fieldHtml(field, inline)).join("");
  const kinds = forms
    .map(({ title, fields: own }) => folded(`<code>${escapeHtml(title)}</code>`, contentHtml({ fields: own, forms: [] }, inline)))
    .join("");
  return rows + (kinds === "" ? "" : `<div class="forms"><p>${fields.length > 0 ? "and one of" : "One of"}</p>${kinds}</div>`);
}

function fieldHtml(field: Field, inline: (markdown: string) => string): string {
  const { name, type, required, deprecated, description, limits, values } = field;
  const marks = `${required ? '<span class="mark required">required</span>' : ""}${deprecated ? '<span class="mark">deprecated</span>' : ""}`;
  const facts = limits.length === 0 ? "" : `<span class="limits">${escapeHtml(limits.join(" · "))}</span>`;
  const head = `<div class="field-head"><code class="name">${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span> ${facts}${marks}</div>`;
  const words = values.length === 0 ? "" : `<p class="values">${valuesHtml(values)}</p>`;
  const text = description === "" ? "" : inline(description);
  const size = field.fields.length + field.forms.length;
  const inner =
    size === 0 ? "" : folded(field.forms.length > 0 ? "Forms" : `${size} ${size === 1 ? "field" : "fields"}`, contentHtml(field, inline));
  return `<div class="field">${head}${text}${words}${inner}</div>`;
}

/** The first values of a long list; the Markdown twin has the rest. */
function valuesHtml(values: string[]): string {
  const words = values.map((value) => `<code>${escapeHtml(value)}</code>`);
  const shown = words.slice(0, 12).join(" ");
  return words.length <= 12 ? shown : `${shown} … <span class="limits">${words.length} values</span>`;
}

function folded(title: string, html: string): string {
  return `<details class="fold"><summary>${title}</summary>${html}</details>`;
}

function contentMarkdown({ fields, forms }: Content, depth: number): string {
  const pad = "  ".repeat(depth);
  const rows = fields.map((field) => fieldMarkdown(field, depth));
  const kinds = forms.map(
    ({ title, fields: own }) => `${pad}- one of: \`${title}\`\n${contentMarkdown({ fields: own, forms: [] }, depth + 1)}`,
  );
  return [...rows, ...kinds].join("");
}

function fieldMarkdown(field: Field, depth: number): string {
  const { name, type, required, deprecated, description, limits, values } = field;
  const facts = [type, ...(required ? ["required"] : []), ...(deprecated ? ["deprecated"] : []), ...limits].join(", ");
  const words = values.length === 0 ? "" : ` One of: ${values.map((value) => `\`${value}\``).join(", ")}.`;
  const line = `${"  ".repeat(depth)}- \`${name}\` (${facts})${description === "" ? "" : `: ${oneLine(description)}`}${words}\n`;
  return line + contentMarkdown(field, depth + 1);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}
