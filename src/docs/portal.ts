// The portal: all pages by their paths, each made when it is first asked for. Used by the server and by the static build.
import { type Asset, type Assets, findScalar, openAssets } from "./assets.ts";
import { operationsOf } from "./contract.ts";
import { creditsPage } from "./credits-page.ts";
import { errorPages } from "./error-pages.ts";
import { type FrameParts, pageHtml } from "./frame.ts";
import { guidePages } from "./guide-pages.ts";
import { plainText } from "./html.ts";
import { landingPage } from "./landing-page.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { operationPage } from "./operation-page.ts";
import { endpointsPage, referencePage } from "./reference-pages.ts";
import { placeOf } from "./links.ts";
import { pageMarkdown } from "./twin.ts";
import type { Page, PortalFacts, Site } from "./types.ts";

export interface Portal {
  pages: ReadonlyMap<string, Page>;
  assets: Assets;
  /** Undefined where there is no such page. */
  html: (path: string) => string | undefined;
  markdown: (path: string) => string | undefined;
  llms: () => string;
  llmsFull: () => Promise<string>;
  /** A page that says there is none, with the navigation. */
  notFound: (path: string) => string;
}

export interface PortalOptions extends Omit<PortalFacts, "interactive"> {
  site: Site;
  /** The interactive reference; null where there is none. Absent: what is installed. */
  scalar?: Asset | null;
  /** Into the head of each page. */
  head?: (page: Page) => string;
}

export function createPortal({ site, head, scalar = findScalar(), ...given }: PortalOptions): Portal {
  const facts: PortalFacts = { ...given, interactive: scalar !== null };
  const guides = guidePages();
  const pages = new Map(
    [
      landingPage(facts, guides),
      ...guides,
      endpointsPage(facts),
      referencePage(facts),
      ...operationsOf(facts.document).map((operation) => operationPage(facts, operation)),
      creditsPage(facts),
      ...errorPages(facts),
    ].map((page) => [page.path, page]),
  );
  const assets = openAssets(searchIndex([...pages.values()], site), scalar);
  const frame = (page: Page): FrameParts => ({ document: facts.document, guides, site, assets: assets.names, head: head?.(page) ?? "" });
  const base = site === "live" && facts.publicUrl !== null ? `${facts.publicUrl}/` : "";
  const llms = { document: facts.document, pages, guides, site, base };
  const neighbours = (page: Page) => {
    const at = guides.indexOf(page);
    return at < 0 ? {} : { before: guides[at - 1], after: guides[at + 1] };
  };
  const withPage = (make: (page: Page) => string) => (path: string) => {
    const page = pages.get(path);
    return page === undefined ? undefined : make(page);
  };
  return {
    pages,
    assets,
    html: withPage((page) => pageHtml(frame(page), page, definedOnly(neighbours(page)))),
    markdown: withPage((page) => pageMarkdown(page, site)),
    llms: () => llmsText(llms),
    llmsFull: () => llmsFullText(llms),
    notFound: (path) => {
      const page = notFoundPage(path);
      return pageHtml(frame(page), page, {});
    },
  };
}

function searchIndex(pages: readonly Page[], site: Site): string {
  return JSON.stringify(pages.map(({ path, title, summary }) => ({ title, summary: plainText(summary), place: placeOf(path, site) })));
}

function definedOnly({ before, after }: { before?: Page | undefined; after?: Page | undefined }): { before?: Page; after?: Page } {
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

/** Its links need to know only how deep the address is. */
function notFoundPage(path: string): Page {
  return {
    path: path.replace(/[^/]+/g, "x").replace(/(?<=^|\/)(?=\/|$)/g, "x"),
    shape: "missing",
    title: "There is no such page",
    summary: "This address leads to no page of the documentation.",
    blocks: () => [
      "This address leads to no page of the documentation. The [start](/docs), the [endpoints](/docs/endpoints) and the [error codes](/docs/errors) are a good place to go on.",
    ],
  };
}
