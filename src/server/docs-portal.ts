// Serves the documentation portal: pages, their Markdown twins, the files they load, llms.txt and the OpenAPI documents. src/docs makes
// the pages; this file negotiates form and compression, and sets caching and security headers.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Catalog } from "../catalog/types.ts";
import { contentPolicy } from "../docs/assets.ts";
import type { Portal } from "../docs/portal.ts";
import type { Headers } from "../operation.ts";
import { harmlessPolicy } from "../text/service-name.ts";
import { chooseCoding, type Coding, readWeights } from "./content-coding.ts";
import type { Edge, Exchange } from "./edge.ts";
import type { AnyReply } from "./reply.ts";

const openapiBytes: Buffer = readFileSync(new URL("../../generated/openapi.json", import.meta.url));

export type Page = (exchange: Exchange) => AnyReply | Promise<AnyReply>;

/** Undefined: the path is not the portal's, or has no page and the client accepts no HTML: programs get an error. */
type FindDocs = (exchange: Exchange) => Promise<Page | undefined>;

/** The pages for one catalog. */
interface Edition {
  catalog: Catalog;
  portal: Map<"portal", Promise<Portal>>;
  /** Bounded by the number of pages and files: paths that a client invents are not cached. */
  made: Map<string, Promise<Representation>>;
}

export function openDocs(edge: Edge, hasConsole: boolean): FindDocs {
  let edition: Edition | undefined;
  // Created when a page is first requested, so that the start doesn't wait for it and the port, and so the examples' address, is known.
  const current = (): Edition => {
    const { catalog } = edge.context;
    if (edition?.catalog !== catalog) edition = { catalog, portal: new Map(), made: new Map() };
    return edition;
  };

  return async ({ path, req }) => {
    if (!isDocsPath(path)) return undefined;
    const { catalog, portal, made } = current();
    const kept = ({ key, make }: Form) => keptIn(made, key, make);
    const found = await keptIn(portal, "portal", () => loadPortal(edge, catalog, hasConsole));
    const form = wantedForm(found, path, req.headers);
    if (form !== undefined) return async () => replyWith(await kept(form), req.headers);
    if (!wantsHtml(req)) return undefined;
    const meant = meantPlace(found, path);
    if (meant !== undefined) return () => ({ status: 302, headers: { location: addressFrom(path, meant), ...unkept } });
    const missing = missingForm(found, path);
    if (missing === undefined) return undefined;
    return async () => replyWith(await kept(missing), req.headers, 404);
  };
}

async function loadPortal({ publicUrl, context }: Edge, catalog: Catalog, hasConsole: boolean): Promise<Portal> {
  const { createPortal } = await import("../docs/portal.ts");
  const known = { catalog, publicUrl, canPay: context.payments !== null, hasConsole, service: context.config.service };
  return createPortal({ site: "live", document: openapiBytes.toString(), ...known });
}

function isDocsPath(path: string): boolean {
  return path === "/docs" || path.startsWith("/docs/") || path === "/docs.md" || path in documents || path in files;
}

const published = { "content-type": "application/json", "cache-control": "public, max-age=300", "access-control-allow-origin": "*" };

type Make = () => Representation | Promise<Representation>;

const documents: Record<string, (portal: Portal) => object> = {
  "/openapi.json": (portal) => portal.openapi31(),
  "/openapi-3.2.json": (portal) => portal.openapi32(),
};

const files: Record<string, { type: string; content: (portal: Portal) => string | Buffer | Promise<string> }> = {
  "/llms.txt": { type: "text/plain; charset=utf-8", content: ({ llms }) => llms() },
  "/llms-full.txt": { type: "text/plain; charset=utf-8", content: ({ llmsFull }) => llmsFull() },
  "/docs/svc-sdk.tgz": { type: "application/gzip", content: ({ sdkPackage }) => sdkPackage() },
};

interface Form {
  key: string;
  make: Make;
}

function wantedForm(portal: Portal, path: string, headers: IncomingHttpHeaders): Form | undefined {
  const document = documents[path];
  if (document !== undefined)
    return { key: path, make: () => represent(Buffer.from(JSON.stringify(document(portal), null, 2)), published) };
  const file = files[path];
  if (file !== undefined)
    return { key: path, make: async () => represent(Buffer.from(await file.content(portal)), fileHeaders(file.type)) };
  const place = path.replace(/^\/docs\/?/, "");
  if (place.startsWith("assets/")) return assetForm(portal, place.slice("assets/".length));
  const markdown = markdownPlace(path);
  if (markdown !== undefined && portal.pages.has(markdown)) return markdownForm(portal, markdown, false);
  if (path.endsWith("/") || !portal.pages.has(place)) return undefined;
  if (prefersMarkdown(headers.accept)) return markdownForm(portal, place, true);
  const shape = portal.pages.get(place)?.shape;
  return { key: path, make: () => represent(Buffer.from(portal.html(place) as string), pageHeaders(shape)) };
}

/** The page whose Markdown twin is at this path. */
function markdownPlace(path: string): string | undefined {
  return path === "/docs.md" ? "" : /^\/docs\/(.+)\.md$/.exec(path)?.[1];
}

function markdownForm(portal: Portal, place: string, negotiated: boolean): Form {
  const headers = { ...fileHeaders("text/markdown; charset=utf-8"), ...(negotiated ? { vary: "accept" } : {}) };
  return {
    key: `${negotiated ? "negotiated " : ""}${place}.md`,
    make: () => represent(Buffer.from(portal.markdown(place) as string), headers),
  };
}

function assetForm({ assets, searchName, searchIndex }: Portal, name: string): Form | undefined {
  const kept = { "cache-control": "public, max-age=31536000, immutable" };
  if (name === searchName)
    return {
      key: `assets/${name}`,
      make: async () => represent(Buffer.from(await searchIndex()), { "content-type": "application/json", ...kept }),
    };
  const asset = assets.find(name);
  if (asset === undefined) return undefined;
  const headers = {
    "content-type": asset.type,
    ...(asset.type === "image/svg+xml" ? { "content-security-policy": harmlessPolicy } : {}),
    ...kept,
  };
  return { key: `assets/${name}`, make: () => represent(asset.read(), headers) };
}

const unkept = { "cache-control": "no-store", vary: "accept" };

/** The page that a reader means who writes a guide's name alone, a slash at the end, or a file's ending. */
function meantPlace(portal: Portal, path: string): string | undefined {
  const place = path.replace(/^\/docs\/?/, "").replace(/(?:\/|\.html)$/, "");
  return [place, `guides/${place}`].find((one) => portal.pages.has(one));
}

/** Relative, because the gateway may be below a path. */
function addressFrom(path: string, place: string): string {
  const up = "../".repeat(path.split("/").length - "/docs".split("/").length);
  return place === "" ? `${up}docs` : `${up}docs/${place}`;
}

/** The page depends only on its path's depth; a path too deep for a typing mistake gets none. */
function missingForm(portal: Portal, path: string): Form | undefined {
  const depth = path.split("/").length - "/docs".split("/").length;
  if (depth > 6) return undefined;
  const headers = { ...pageHeaders(), ...unkept };
  return { key: `missing ${depth}`, make: () => represent(Buffer.from(portal.notFound(depth)), headers) };
}

/** True for browsers: programs accept anything and don't name HTML. */
export function wantsHtml({ method, headers }: IncomingMessage): boolean {
  return Boolean(readWeights(headers.accept).get("text/html")) && (method === "GET" || method === "HEAD");
}

/** Agents ask for Markdown; browsers never do. Among equal preferences the first one wins. */
function prefersMarkdown(accept: string | undefined): boolean {
  const weights = readWeights(accept);
  const [markdown = 0, html = 0] = [weights.get("text/markdown"), weights.get("text/html")];
  const names = [...weights.keys()];
  return markdown > html || (markdown > 0 && markdown === html && names.indexOf("text/markdown") < names.indexOf("text/html"));
}

function fileHeaders(type: string): Headers {
  return { "content-type": type, "cache-control": "public, max-age=300" };
}

function pageHeaders(shape?: Parameters<typeof contentPolicy>[0]): Headers {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `${contentPolicy(shape)}; frame-ancestors 'none'`,
    "referrer-policy": "no-referrer",
    "cache-control": "public, max-age=300",
    vary: "accept",
  };
}

// A text that is made once and sent often: compressed once for each coding, with an ETag, so that a client that already has it gets a 304.

interface Representation {
  plain: Buffer;
  headers: Headers;
  tag: string;
  coded: Map<Coding, Promise<Buffer>>;
}

/** `headers` must hold content-type and cache-control. */
function represent(plain: Buffer, headers: Headers): Representation {
  const tag = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
  return { plain, headers, tag, coded: new Map() };
}

type FixedReply = { status: number; headers: Headers; bytes: Buffer } | { status: number; headers: Headers };

async function replyWith(
  representation: Representation,
  { "accept-encoding": accepted, "if-none-match": known }: IncomingHttpHeaders,
  status = 200,
): Promise<FixedReply> {
  const { plain, tag, coded } = representation;
  const coding = chooseCoding(accepted, ["br", "gzip"]);
  const etag = coding === null ? `"${tag}"` : `"${tag}-${coding}"`;
  const vary = [representation.headers["vary"], "accept-encoding"].filter(Boolean).join(", ");
  const headers = { ...representation.headers, vary, etag };
  if (status === 200 && isKnown(known, tag)) return { status: 304, headers };
  if (coding === null) return { status, headers, bytes: plain };
  return { status, headers: { ...headers, "content-encoding": coding }, bytes: await keptIn(coded, coding, () => compress[coding](plain)) };
}

/** The weak comparison of RFC 9110, 13.1.2: any coding of the same text matches. */
function isKnown(known: string | undefined, tag: string): boolean {
  if (known === undefined) return false;
  return known.split(",").some(
    (one) =>
      one.trim() === "*" ||
      one
        .trim()
        .replace(/^W\//, "")
        .replace(/^"|(?:-(?:br|gzip))?"$/g, "") === tag,
  );
}

/** Off the main thread. Brotli's best quality takes 70 times as long over 4 MB, and gains a tenth. */
const compress: Record<Coding, (plain: Buffer) => Promise<Buffer>> = {
  gzip: promisify(gzip) as (plain: Buffer) => Promise<Buffer>,
  br: (plain) =>
    promisify(brotliCompress)(plain, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }),
};

// A cache that makes a value once for each key.

/** A failure is not cached: the next request tries again. The caller bounds the keys. */
function keptIn<K, V>(made: Map<K, Promise<V>>, key: K, make: () => V | Promise<V>): Promise<V> {
  const known = made.get(key);
  if (known !== undefined) return known;
  const making = Promise.try(make);
  made.set(key, making);
  making.catch(() => made.delete(key));
  return making;
}
