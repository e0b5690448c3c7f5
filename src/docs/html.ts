// Code as HTML, and sentences of Markdown as plain text.
import { createRequire } from "node:module";
import { escapeHtml } from "../text/html.ts";
import type { HtmlBlock, Sample } from "./types.ts";

/** A sentence of Markdown as plain text. */
export function plainText(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("`", "");
}

// Code on a page: a fence of Markdown, and the same in several languages.

export function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

/** Tabs on the page, fences one after another in its Markdown twin. */
export function samplesBlock(samples: readonly Sample[]): HtmlBlock {
  return {
    html: (tools) => tools.samples(samples),
    markdown: samples.map(({ language, code }) => fence(language, code)).join("\n\n"),
  };
}

// Highlights code as HTML when a page is made, so that pages need no script for it. Only the languages that we show.

/** The part of highlight.js that we use. Its own types would add the browser's types to the whole program. */
interface Highlighter {
  registerLanguage: (name: string, grammar: unknown) => void;
  highlight: (code: string, options: { language: string; ignoreIllegals: boolean }) => { value: string };
}

const require = createRequire(import.meta.url);
const highlighter = require("highlight.js/lib/core") as Highlighter;
const languages = ["bash", "go", "http", "java", "json", "python", "rust", "sql", "typescript", "yaml"];
for (const name of languages) highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));

const otherNames: Record<string, string> = { sh: "bash", shell: "bash", curl: "bash", ts: "typescript", js: "typescript", py: "python" };

/** Escaped and safe, whatever the language. */
export function highlight(code: string, language: string): string {
  const name = otherNames[language] ?? language;
  return languages.includes(name) ? highlighter.highlight(code, { language: name, ignoreIllegals: true }).value : escapeHtml(code);
}

const titles: Record<string, string> = {
  bash: "Shell",
  go: "Go",
  java: "Java",
  rust: "Rust",
  typescript: "TypeScript",
  python: "Python",
  json: "JSON",
  yaml: "YAML",
  http: "HTTP",
  sql: "SQL",
};

/** The reader's name for a language; a shell sample that calls curl is "curl". */
export function languageTitle(language: string, code = ""): string {
  const name = otherNames[language] ?? language;
  if (name === "bash" && /^\s*curl\b/m.test(code)) return "curl";
  return titles[name] ?? name;
}
