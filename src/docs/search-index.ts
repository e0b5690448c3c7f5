// The index of the portal's full-text search, made here with MiniSearch and read with it by assets/portal.js. A guide is indexed section by
// section, so that an entry leads to the paragraph that answers; every other page is one entry.
import { createHash } from "node:crypto";
import MiniSearch, { type Options } from "minisearch";
import { operatorTag } from "./contract.ts";
import { pageMarkdown } from "./for-programs.ts";
import { plainText } from "./html.ts";
import { placeOf } from "./links.ts";
import { anchorOf } from "./markdown.ts";
import type { Page, Site } from "./types.ts";

interface Entry {
  id: number;
  /** The page's title; of a section its own, then the page's. */
  title: string;
  summary: string;
  place: string;
  kind: "guide" | "operation" | "error" | "page";
  /** The headings of a page that is one entry. */
  headings: string;
  text: string;
}

/** assets/portal.js reads the index with the same fields. */
const options: Options<Entry> = {
  fields: ["title", "headings", "summary", "text"],
  storeFields: ["title", "summary", "place", "kind"],
};

/**
 * The index's file name, which is there before the index is: making one takes a second. `sources` are what the pages are made of.
 */
export function searchIndexName(sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) hash.update(source).update("\0");
  return `search-${hash.digest("hex").slice(0, 10)}.json`;
}

/** JSON. Takes a second of work, which yields to other requests. */
export async function searchIndex(pages: Iterable<Page>, site: Site): Promise<string> {
  const index = new MiniSearch<Entry>(options);
  let id = 0;
  for (const page of pages) {
    // Customers are answered 404 there.
    if (page.kicker === operatorTag) continue;
    for (const entry of entriesOf(page, site)) index.add({ id: id++, ...entry });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return JSON.stringify(index);
}

function entriesOf(page: Page, site: Site): Omit<Entry, "id">[] {
  const text = pageMarkdown(page, site);
  const kind = kindOf(page);
  const place = placeOf(page.path, site);
  const summary = plainText(page.summary);
  const sections = sectionsOf(text);
  const whole = { title: page.title, summary, place, kind };
  if (kind !== "guide") return [{ ...whole, headings: sections.map(({ heading }) => heading).join(" "), text: searchedText(page, text) }];
  const ids = new Set(["content"]);
  return [
    { ...whole, headings: sections.map(({ heading }) => heading).join(" "), text: text.slice(0, text.search(/^##+ /m) >>> 0) },
    ...sections.map((section) => ({
      title: `${page.title}: ${plainText(section.heading)}`,
      summary: excerptOf(section.text),
      place: `${place}#${anchorOf(section.heading, ids)}`,
      kind,
      headings: section.heading,
      text: section.text,
    })),
  ];
}

function kindOf({ path }: Page): Entry["kind"] {
  if (path.startsWith("guides/")) return "guide";
  if (path.startsWith("api/")) return "operation";
  return path.startsWith("errors/") ? "error" : "page";
}

/** The lists of everything would be found by every word; what they list has pages of its own. */
function searchedText({ path }: Page, text: string): string {
  return ["errors", "endpoints", "api", "changelog"].includes(path) ? "" : text;
}

/** From each heading to the next one; a line of code that begins with # is no heading. */
function sectionsOf(text: string): { heading: string; text: string }[] {
  const sections: { heading: string; text: string }[] = [];
  for (const part of text.split(/(^ *```[\s\S]*?^ *```)/m)) {
    const pieces = part.trimStart().startsWith("```") ? [part] : part.split(/^(?=##+ )/m);
    for (const piece of pieces) {
      const heading = /^##+ (.*)/.exec(piece)?.[1];
      const open = sections.at(-1);
      if (heading !== undefined) sections.push({ heading, text: piece.slice(piece.indexOf("\n") >>> 0) });
      else if (open !== undefined) open.text += piece;
    }
  }
  return sections;
}

/** The first sentences of a section, without code and marks. */
function excerptOf(text: string): string {
  const words = plainText(
    text
      .replace(/^ *```[\s\S]*?^ *```/gm, "")
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/^[|>-].*$/gm, ""),
  ).trim();
  return words.length <= 160 ? words : `${words.slice(0, 160).replace(/\s\S*$/, "")} …`;
}
