// A page as Markdown, for programs and for people who like it plain.
import { twinOf } from "./markdown.ts";
import type { Page, Site } from "./types.ts";

export function pageMarkdown(page: Page, site: Site): string {
  const blocks = page.blocks().map((block) => (typeof block === "string" ? block : block.markdown));
  const parts = [`# ${page.title}`, `> ${page.summary}`, ...blocks].map((part) => twinOf(part, page.path, site).trim());
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
