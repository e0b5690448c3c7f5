// The portal: all pages by their paths, each rendered on its first request. Used by the server and by the static build.
import { errors } from "../../generated/errors.ts";
import type { Catalog } from "../catalog/types.ts";
import { type ServiceName, unnamed } from "../text/service-name.ts";
import { type Asset, type Assets, findScalar, openAssets, packSdk } from "./assets.ts";
import { operationsOf, toVersion32 } from "./contract.ts";
import { errorPages } from "./error-pages.ts";
import { llmsFullText, llmsText, pageMarkdown } from "./for-programs.ts";
import { type FrameParts, pageHtml, rootOf } from "./frame.ts";
import { guidePages, guideSources } from "./guide-pages.ts";
import { openHere } from "./here.ts";
import { landingPage, notFoundPage } from "./landing-page.ts";
import { modelsPage } from "./models-page.ts";
import { operationPage } from "./operation-page.ts";
import { changelogPage, creditsPage, endpointsPage, readChangelog, referencePage } from "./reference-pages.ts";
import { searchIndex, searchIndexName } from "./search-index.ts";
import type { Page, PortalFacts, Site } from "./types.ts";

export interface Portal {
  /** The OpenAPI document adapted to this gateway, in both versions. */
  openapi31: () => object;
  openapi32: () => object;
  pages: ReadonlyMap<string, Page>;
  assets: Assets;
  /** Undefined: there is no such page. */
  html: (path: string) => string | undefined;
  markdown: (path: string) => string | undefined;
  llms: () => string;
  llmsFull: () => Promise<string>;
  /** The bytes of svc-sdk's package file. */
  sdkPackage: () => Buffer;
  /** The search index's file, beside the assets; its name changes with what the pages are made of. */
  searchName: string;
  searchIndex: () => Promise<string>;
  /** The page for an unknown address, with the navigation; `depth`: how many segments its address has below /docs, for its links. */
  notFound: (depth: number) => string;
}

interface PortalOptions extends Pick<PortalFacts, "publicUrl" | "canPay"> {
  site: Site;
  /** The generated document, as text. */
  document: string;
  /** The gateway's catalog; another catalog needs another portal. */
  catalog: Catalog;
  /** The interactive reference; null: none. Absent: the installed one. */
  scalar?: Asset | null;
  /** Added to the head of each page. */
  head?: (page: Page) => string;
  /** What the pages call it. */
  service: ServiceName;
  /** Whether the gateway has a console. */
  hasConsole: boolean;
}

export function createPortal(options: PortalOptions): Portal {
  const { site, head, scalar = findScalar(), document, catalog, publicUrl, canPay, hasConsole, service } = options;
  const here = openHere(catalog, publicUrl);
  const facts: PortalFacts = { document: here.document(document), here, publicUrl, canPay, interactive: scalar !== null };
  const guides = guidePages(facts);
  const pages = new Map(
    [
      landingPage(facts, guides),
      ...guides,
      endpointsPage(facts),
      referencePage(facts),
      ...operationsOf(facts.document).map((operation) => operationPage(facts, operation)),
      modelsPage(catalog),
      creditsPage(facts),
      changelogPage(facts),
      ...errorPages(facts),
    ].map((page) => [page.path, page]),
  );
  const assets = openAssets(scalar, service.logo);
  const searchName = searchIndexName([
    ...[site, JSON.stringify({ ...facts, here: null }), JSON.stringify(errors), catalog.source.text],
    ...[JSON.stringify(catalog.priceChanges[0] ?? null), readChangelog()],
    ...[...guideSources(), assets.names.script, assets.names.search],
  ]);
  const name = service.name ?? unnamed;
  const frame = (page: Page): FrameParts => ({
    document: facts.document,
    guides,
    site,
    assets: { ...assets.names, searchName },
    head: head?.(page) ?? "",
    name,
    consoleOf: hasConsole ? (page) => (site === "live" ? `${rootOf(page, site)}console` : `${publicUrl}/console`) : null,
  });
  const base = site === "live" && facts.publicUrl !== null ? `${facts.publicUrl}/` : "";
  const llms = { name, document: facts.document, pages, guides, site, base };
  const neighbours = (page: Page) => {
    const at = guides.indexOf(page);
    return at < 0 ? {} : { before: guides[at - 1], after: guides[at + 1] };
  };
  const withPage = (make: (page: Page) => string) => (path: string) => {
    const page = pages.get(path);
    return page === undefined ? undefined : make(page);
  };
  return {
    openapi31: () => facts.document,
    openapi32: () => toVersion32(facts.document),
    pages,
    assets,
    html: withPage((page) => pageHtml(frame(page), page, neighbours(page))),
    markdown: withPage((page) => pageMarkdown(page, site)),
    llms: () => llmsText(llms),
    llmsFull: () => llmsFullText(llms),
    sdkPackage: () => packSdk(publicUrl),
    searchName,
    searchIndex: () => searchIndex(pages.values(), site),
    notFound: (depth) => {
      const page = notFoundPage(depth);
      return pageHtml(frame(page), page, {});
    },
  };
}
