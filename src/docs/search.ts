// What the search of the pages looks in: each page's title and first sentence, its headings, and the words of its text.
import { plainText } from "./html.ts";
import { placeOf } from "./links.ts";
import { pageMarkdown } from "./twin.ts";
import type { Page, Site } from "./types.ts";

/** JSON. It takes half a second of work, which others' requests may come between. */
export async function searchIndex(pages: Iterable<Page>, site: Site): Promise<string> {
  const found = [];
  for (const page of pages) {
    const text = pageMarkdown(page, site);
    found.push({
      title: page.title,
      summary: plainText(page.summary),
      place: placeOf(page.path, site),
      isGuide: page.path.startsWith("guides/"),
      headings: [...text.matchAll(/^##+ (.*)$/gm)].map(([, heading]) => heading).join(" "),
      words: wordsOf(text),
    });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return JSON.stringify(found);
}

/** Each once, a space before it, so that what begins like it is found. Cut as the search cuts what is asked (assets/portal.js). */
function wordsOf(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9_]{2,}/g) ?? [];
  return [...new Set(words)].map((word) => ` ${word}`).join("");
}
