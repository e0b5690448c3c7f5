// Renders the guides as pages: the texts of src/docs/guides with this gateway's address and models, and with the portal's links.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { guides } from "./guides.ts";
import { unnamedModel } from "./here.ts";
import type { Page, PortalFacts } from "./types.ts";

/** The customer's book; the operator's guide is read in the repository. */
export function guidePages({ here }: Pick<PortalFacts, "here">): Page[] {
  return guides
    .filter(({ book }) => book === "customer")
    .map(({ slug, title, summary }) => ({
      path: `guides/${slug}`,
      title,
      kicker: "Guide",
      summary,
      blocks: () => {
        const source = readGuide(slug);
        return [...notServedNote(here.notServed(source)), here.text(withGuideLinks(withoutTitle(source)))];
      },
    }));
}

/** What the samples need and this gateway lacks. */
function notServedNote(kinds: readonly string[]): string[] {
  if (kinds.length === 0) return [];
  return [`> Not served here now: ${kinds.map((kind) => `${kind} models`).join(", ")}. Samples that need one say \`${unnamedModel}\`.`];
}

function readGuide(slug: string): string {
  return readFileSync(fileURLToPath(new URL(`guides/${slug}.md`, import.meta.url)), "utf8");
}

function withoutTitle(text: string): string {
  return text.replace(/^\s*# .*\n/, "");
}

/** Guides link to each other as files. */
function withGuideLinks(text: string): string {
  return text.replace(/\]\(([\w-]+)\.md(#[^()\s]*)?\)/g, (whole, slug: string, anchor = "") =>
    guides.some((guide) => guide.slug === slug) ? `](/docs/guides/${slug}${anchor})` : whole,
  );
}
