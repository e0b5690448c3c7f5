// The guides as pages: their texts out of src/docs/guides or the README, their links as the portal's.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { guides } from "./guides.ts";
import type { Page } from "./types.ts";

export function guidePages(): Page[] {
  return guides
    .filter(({ source }) => existsSync("file" in source ? guidePath(source.file) : readmePath))
    .map(({ slug, title, summary, source }) => ({
      path: `guides/${slug}`,
      title,
      kicker: "Guide",
      summary,
      blocks: () => [withGuideLinks(withoutTitle("file" in source ? readGuide(source.file) : readmeSection(source.readmeSection)))],
    }));
}

function readGuide(file: string): string {
  return readFileSync(guidePath(file), "utf8");
}

function guidePath(file: string): string {
  return fileURLToPath(new URL(`guides/${file}`, import.meta.url));
}

/** An installation may come without it. */
const readmePath = fileURLToPath(new URL("../../README.md", import.meta.url));

/** The text below a heading of the README, up to the next of its depth; the headings in it move up to the page's own depth. */
function readmeSection(heading: string): string {
  const readme = readFileSync(readmePath, "utf8");
  const start = readme.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`README.md has no section "${heading}"`);
  const text = readme.slice(start + heading.length + 5);
  const end = text.search(/^## /m);
  return (end < 0 ? text : text.slice(0, end)).replace(/^##(#+ )/gm, "#$1");
}

function withoutTitle(text: string): string {
  return text.replace(/^\s*# .*\n/, "");
}

/** Guides link to each other as files; the README links to them from the folder above. */
function withGuideLinks(text: string): string {
  return text.replace(/\]\((?:src\/docs\/guides\/)?([\w-]+)\.md(#[^()\s]*)?\)/g, (whole, slug: string, anchor = "") =>
    guides.some((guide) => guide.slug === slug) ? `](/docs/guides/${slug}${anchor})` : whole,
  );
}
