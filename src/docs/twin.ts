// A page as Markdown, for programs and for people who like it plain.
import { twinOf } from "./markdown.ts";
import type { Page, Site } from "./types.ts";

export function pageMarkdown(page: Page, site: Site): string {
  const parts = page.blocks().map((block) => (typeof block === "string" ? block : block.markdown).trim());
  const text = [`# ${page.title}`, `> ${page.summary}`, ...parts].filter((part) => part !== "").join("\n\n");
  return `${twinOf(text, page.path, site)}\n`;
}
