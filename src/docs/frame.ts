// The frame of every page: head, navigation, table of contents, next and previous page. Pages work without their scripts; colours
// follow the reader's system, or what the reader chose.
import { type OperationId, operations } from "../../generated/operations.ts";
import type { AssetNames } from "./assets.ts";
import { type OpenApi, operationGroups, operatorTag } from "./contract.ts";
import { escapeHtml } from "../text/html.ts";
import { plainText } from "./html.ts";
import { placeOf, placeOfAsset, relative, resolveLink } from "./links.ts";
import { type Heading, renderMarkdown, tabs } from "./markdown.ts";
import type { Block, HtmlTools, Page, Site } from "./types.ts";

export interface FrameParts extends NavigationParts {
  site: Site;
  assets: AssetNames & { searchName: string };
  /** Added to the head of each page: what a file server can't send as a header. */
  head: string;
  /** What the service is called. */
  name: string;
  /** Null: nobody knows of one. */
  consoleOf: ((page: Page) => string) | null;
}

/** The pages before and after it in reading order. */
interface Neighbours {
  before?: Page | undefined;
  after?: Page | undefined;
}

export function pageHtml(parts: FrameParts, page: Page, neighbours: Neighbours): string {
  const { site } = parts;
  const link = linker(page.path, site);
  if (page.shape === "reference") return referenceHtml(parts, page, link);
  const { html, headings } = contentHtml(page, site);
  const contents = page.shape === "landing" ? [] : headings.filter(({ depth }) => depth === 2);
  const body = `<a class="skip" href="#content">Skip to content</a>
${topBar(parts, page, link)}
<div class="layout">
${menuHtml(parts, page, link)}
<main id="content"${page.shape === "landing" ? ' class="landing"' : ""}>
${titleHtml(page, site)}
${html}
${footer(neighbours, link)}
</main>
${contents.length > 1 ? contentsHtml(contents) : "<div></div>"}
</div>
${scriptTag(parts, page, html.includes("SVC_KEY"))}`;
  return documentHtml(parts, page, { body, link });
}

/** Beside the page if there is room, else opened by the button in the bar. */
function menuHtml(parts: FrameParts, page: Page, link: (href: string) => string): string {
  const first = consoleLink(parts, page).replace(/^.+$/, "<ul><li>$&</li></ul>");
  return `<nav class="menu" id="menu" popover aria-label="Documentation">${first}${navigationHtml(parts, page.path, link)}</nav>`;
}

/** The script is optional: see assets/portal.js. Where samples name a key, it can make one for a reader who is signed in to the console. */
function scriptTag({ site, assets, document, consoleOf }: FrameParts, page: Page, namesKey = false): string {
  const { path } = page;
  const asset = assetLinker(path, site);
  const offered = namesKey && site === "live" && consoleOf !== null;
  const keys = offered ? ` data-console="${escapeHtml(consoleOf(page))}" data-operations="${sampleOperations(document)}"` : "";
  return `<script src="${asset(assets.script)}" data-search="${asset(assets.search)}" data-index="${asset(assets.searchName)}" data-root="${rootOf(page, site)}"${keys}></script>`;
}

/** What a key for samples may do: read, and what costs. What was made before it, it neither changes nor deletes. */
function sampleOperations(document: OpenApi): string {
  return operationGroups(document)
    .flatMap((group) => group.operations)
    .filter(({ id }) => operations[id as OperationId].auth.startsWith("key"))
    .filter(({ method, doc }) => method === "GET" || "402" in doc.responses)
    .map(({ id }) => id)
    .join(" ");
}

/** The relative path from a page to the root of the gateway or the static site. */
export function rootOf({ path }: Page, site: Site): string {
  return relative(placeOf(path, site), "x").slice(0, -1);
}

/** Scalar replaces the list of operations; until its script has run, or without scripts, the list is shown. */
function referenceHtml(parts: FrameParts, page: Page, link: (href: string) => string): string {
  const { site, assets } = parts;
  const asset = assetLinker(page.path, site);
  const { html } = contentHtml(page, site);
  const body = `${topBar(parts, page, link)}
${menuHtml(parts, page, link)}
<div id="reference" data-document="${relative(placeOf(page.path, site), "openapi-3.2.json")}"${site === "live" ? ` data-gateway="${rootOf(page, site)}"` : ""}><main id="content">${titleHtml(page, site)}${html}</main></div>
${scriptTag(parts, page)}
<script src="${asset(assets.scalar as string)}"></script>
<script src="${asset(assets.startReference)}"></script>`;
  return documentHtml(parts, page, { body, link, className: "reference" });
}

function documentHtml(
  { site, assets, head, name }: FrameParts,
  page: Page,
  { body, link, className }: { body: string; link: (href: string) => string; className?: string },
): string {
  const asset = assetLinker(page.path, site);
  const title = page.path === "" ? `${name} documentation` : `${page.title} · ${name} documentation`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(plainText(page.summary))}">
${head}<script src="${asset(assets.theme)}"></script>
<link rel="stylesheet" href="${asset(assets.frame)}">
${page.shape === "reference" ? "" : `<link rel="stylesheet" href="${asset(assets.style)}">\n`}<link rel="icon" type="${assets.iconType}" href="${asset(assets.icon)}">
${page.shape === "missing" ? "" : `<link rel="alternate" type="text/markdown" href="${twinAddress(page, site)}">\n`}<link rel="help" href="${link("/llms.txt")}">
</head>
<body${className === undefined ? "" : ` class="${className}"`}>
${body}
</body>
</html>
`;
}

function consoleLink({ consoleOf }: FrameParts, page: Page): string {
  return consoleOf === null ? "" : `<a href="${escapeHtml(consoleOf(page))}">Console</a>`;
}

function topBar(parts: FrameParts, page: Page, link: (href: string) => string): string {
  const { assets, name, site } = parts;
  const logo = assets.logo === null ? "" : `<img src="${assetLinker(page.path, site)(assets.logo)}" alt="">`;
  return `<header class="top"><a class="brand" href="${link("/docs")}">${logo}${escapeHtml(name)} <span>docs</span></a><nav aria-label="Sections"><a href="${link("/docs/api")}">API</a><a href="${link("/docs/models")}">Models</a><a href="${link("/docs/errors")}">Errors</a><a href="${link("/llms.txt")}">llms.txt</a>${consoleLink(parts, page)}</nav><button type="button" class="menu-button" popovertarget="menu">Menu</button></header>`;
}

function titleHtml(page: Page, site: Site): string {
  const { path, title, kicker, summary, shape } = page;
  const above = kicker === undefined ? "" : `<p class="kicker">${escapeHtml(kicker)}</p>`;
  const heading = /^[a-z0-9_]+$/.test(title) ? `<code>${escapeHtml(title)}</code>` : escapeHtml(title);
  const lead = shape === "landing" || path === "errors" ? `<p class="lead">${escapeHtml(summary)}</p>` : "";
  const other = shape === "missing" ? "" : `<a class="twin" href="${twinAddress(page, site)}">Markdown</a>`;
  return `<div class="title">${above}<h1>${heading}</h1>${other}${lead}</div>`;
}

/** The page's link to its Markdown twin. */
function twinAddress({ path }: Page, site: Site): string {
  return relative(placeOf(path, site), placeOf(path, site, "md"));
}

function contentsHtml(headings: readonly Heading[]): string {
  const items = headings.map(({ id, html }) => `<li><a href="#${id}">${html.replace(/<\/?a\b[^>]*>/g, "")}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}

function footer({ before, after }: Neighbours, link: (href: string) => string): string {
  const one = (page: Page | undefined, word: string, rel: string) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${link(`/docs/${page.path}`)}"><small>${word}</small>${escapeHtml(page.title)}</a>`;
  if (before === undefined && after === undefined) return "";
  return `<footer class="on">${one(before, "Previous", "prev")}${one(after, "Next", "next")}</footer>`;
}

function assetLinker(from: string, site: Site): (name: string) => string {
  return (name) => relative(placeOf(from, site), placeOfAsset(name, site));
}

function linker(from: string, site: Site): (href: string) => string {
  return (href) => {
    const target = resolveLink(href, from, site, "html");
    if (target === null) throw new Error(`${from || "the landing page"} links to ${href}, which leads nowhere`);
    return escapeHtml(target);
  };
}

function contentHtml(page: Page, site: Site): { html: string; headings: Heading[] } {
  const headings: Heading[] = [];
  const ids = new Set(["content"]);
  const render = (source: string) => renderMarkdown(source, { from: page.path, site, ids, headings });
  const tools: HtmlTools = { markdown: render, link: linker(page.path, site), samples: (samples) => tabs(samples, ids) };
  const show = (block: Block) => (typeof block === "string" ? render(block) : block.html(tools));
  return { html: page.blocks().map(show).join("\n"), headings };
}

// The navigation beside every page: guides, reference, operations by tag. The page's own group is open. Operators' operations, which answer
// 404 to customers, are listed beside their own pages alone.

interface NavigationParts {
  document: OpenApi;
  guides: readonly Page[];
}

/** `link` turns an address into the page's form. */
function navigationHtml({ document, guides }: NavigationParts, current: string, link: (href: string) => string): string {
  const item = (path: string, title: string, more = "") =>
    `<li><a href="${link(path === "" ? "/docs" : `/docs/${path}`)}"${path === current ? ' aria-current="page"' : ""}>${more}${escapeHtml(title)}</a></li>`;
  const list = (items: string[]) => `<ul>${items.join("")}</ul>`;
  const groups = operationGroups(document).map(({ tag, operations }) => {
    const open = operations.some(({ id }) => `api/${id}` === current) ? " open" : "";
    if (tag === operatorTag && open === "") return "";
    const items = operations.map(({ id, method, doc }) =>
      item(`api/${id}`, doc.summary ?? id, `<span class="method ${method.toLowerCase()}">${method}</span>`),
    );
    return `<details${open}><summary>${escapeHtml(tag)}</summary>${list(items)}</details>`;
  });
  return [
    list([item("", "Start")]),
    // Not shown on the reference's pages.
    `<details class="group"${/^(?:api|errors|endpoints|models|changelog)\b/.test(current) ? "" : " open"}><summary>Guides</summary>${list(guides.map(({ path, title }) => item(path, title)))}</details>`,
    `<p>Reference</p>${list([item("api", "Try the API"), item("endpoints", "Endpoints"), item("models", "Models and prices"), item("errors", "Error codes"), item("credits", "Credit"), item("changelog", "Changelog")])}`,
    `<p>Operations</p>${groups.join("")}`,
  ].join("");
}
