// A tree of fields, as HTML (what is deep is folded) and as Markdown (nested lists).
import type { Field } from "./field-tree.ts";
import { escapeHtml } from "./html.ts";
import type { Block } from "./types.ts";

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

/** Of a long list the first ones: the rest is in the Markdown twin. */
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
