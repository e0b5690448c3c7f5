// Serves the console: the page for every address under /console, and the files that its build made (dist/console), compressed by it.
// Where it is not built the gateway has none: mails' links lead to the plain pages, everything else to 404.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaptchaWidget } from "../config.ts";
import { parseJson } from "../json/parse.ts";
import type { Headers } from "../operation.ts";
import { escapeHtml } from "../text/html.ts";
import { harmlessPolicy, type ServiceName } from "../text/service-name.ts";
import { chooseCoding, type Coding } from "./content-coding.ts";
import type { Page } from "./docs-portal.ts";
import type { Edge, Exchange } from "./edge.ts";

const builtFolder = fileURLToPath(new URL("../../dist/console/", import.meta.url));

interface Console {
  built: boolean;
  find: (exchange: Exchange) => Page | undefined;
}

/** Its own files alone are loaded, run and called. Pictures and sounds that it made itself, or that a reader chose, are blobs. */
const policy: Record<string, string> = {
  ...{ "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' blob: data:" },
  ...{ "media-src": "'self' blob:", "connect-src": "'self'", "font-src": "'self'" },
  ...{ "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'" },
};

/** What the widget of a CAPTCHA needs beside, as its service says. The page of the sign-up alone allows it. */
const widgets: Record<CaptchaWidget["service"], { origins: string; needs: readonly string[] }> = {
  turnstile: { origins: "https://challenges.cloudflare.com", needs: ["script-src", "frame-src"] },
  hcaptcha: { origins: "https://hcaptcha.com https://*.hcaptcha.com", needs: ["script-src", "frame-src", "style-src", "connect-src"] },
};

function policyOf(widget: CaptchaWidget | null): string {
  const { origins, needs } = widget === null ? { origins: "", needs: [] } : widgets[widget.service];
  const allowed = needs.map((name) => [name, `${policy[name] ?? ""} ${origins}`.trim()] as const);
  return Object.entries({ ...policy, ...Object.fromEntries(allowed) })
    .map((directive) => directive.join(" "))
    .join("; ");
}

export function openConsole(edge: Edge, folder = builtFolder): Console {
  const built = existsSync(join(folder, "index.html"));
  if (!built) return { built, find: ({ path }) => plainPages[path] };
  const files = readFiles(join(folder, "assets"));
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const chunks = parseJson(readFileSync(join(folder, ".vite/manifest.json"), "utf8")) as Chunks;
  const { service } = edge.context.config;
  const { logo } = service;
  if (logo !== null) files.set(logo.file, { type: logo.type, plain: logo.bytes, coded: new Map() });
  const named = withService(html, service);
  const shellWith = (headers: Headers, page: string): Page => {
    const whole = named.replace("</head>", `${preloads(chunks, page)}</head>`);
    // The build leaves addresses relative: its pages stand at many depths, and the gateway may be below a path.
    return () => ({
      status: 200,
      headers,
      bytes: Buffer.from(whole.replaceAll('"./assets/', () => `"${pathOf(edge.publicUrl)}/console/assets/`)),
    });
  };
  const shells = new Map(Object.keys(chunks).map((page) => [page, shellWith(shellHeaders(null), page)]));
  const shell = shellWith(shellHeaders(null), "");
  const signUp = shellWith(shellHeaders(edge.context.config.signUp.captcha?.widget ?? null), accountPages);
  return {
    built,
    find: ({ path, req }) => {
      if (path !== "/console" && !path.startsWith("/console/")) return undefined;
      if (path === "/console/sign-up") return signUp;
      if (!path.startsWith("/console/assets/")) return shells.get(pageOf(path)) ?? shell;
      const file = files.get(path.slice("/console/assets/".length));
      return file === undefined ? undefined : () => fileReply(file, req.headers["accept-encoding"]);
    },
  };
}

/** What the build says of each file: its name, and those that it imports. */
type Chunks = Record<string, { file: string; imports?: string[] }>;

const accountPages = "pages/account/index.ts";
const ofAccount = new Set(["sign-in", "verify", "forgot-password", "reset-password"]);

/** Where the page of an address stands in the console's sources; one of several words is not known here. */
function pageOf(path: string): string {
  const name = path.slice("/console".length).replaceAll("/", " ").trim() || "home";
  return ofAccount.has(name) ? accountPages : `pages/${name}/${name}.tsx`;
}

/** All that the console and the page are made of is asked for at once, and not when each file has named the next. */
function preloads(chunks: Chunks, page: string): string {
  const found = new Set<string>();
  const add = (name: string) => {
    const chunk = chunks[name];
    if (chunk === undefined || found.has(chunk.file)) return;
    found.add(chunk.file);
    chunk.imports?.forEach(add);
  };
  add("main.tsx");
  add(page);
  return [...found].map((file) => `<link rel="modulepreload" crossorigin href="./${file}" />`).join("");
}

/** The page tells its script, which no policy lets stand in it, what the service is called. */
function withService(html: string, { name, logo }: ServiceName): string {
  if (name === null && logo === null) return html;
  const called = escapeHtml(name ?? "");
  const address = logo === null ? "" : ` data-logo="./assets/${logo.file}"`;
  const title = `<title>${name === null ? "Console" : called}</title>\n    <meta name="service" content="${called}"${address} />`;
  const icon = (old: string) => (logo === null ? old : `<link rel="icon" href="./assets/${logo.file}" type="${logo.type}" />`);
  return html.replace("<title>Console</title>", () => title).replace(/<link rel="icon"[^>]*>/, icon);
}

/** A gateway below a path is told so by its public address. */
function pathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, "");
}

function shellHeaders(widget: CaptchaWidget | null): Headers {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyOf(widget),
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
  };
}

interface BuiltFile {
  type: string;
  plain: Buffer;
  coded: Map<Coding, Buffer>;
}

const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** All of them are about a megabyte: read once. */
function readFiles(folder: string): Map<string, BuiltFile> {
  const files = new Map<string, BuiltFile>();
  for (const name of readdirSync(folder)) {
    const type = types[name.split(".").at(-1) ?? ""];
    if (type === undefined) continue;
    const coded = new Map<Coding, Buffer>();
    for (const [coding, ending] of [["br", "br"], ["gzip", "gz"]] as const) {
      const path = join(folder, `${name}.${ending}`);
      if (existsSync(path)) coded.set(coding, readFileSync(path));
    } // prettier-ignore
    files.set(name, { type, plain: readFileSync(join(folder, name)), coded });
  }
  return files;
}

function fileReply({ type, plain, coded }: BuiltFile, accepted: string | undefined) {
  const coding = chooseCoding(accepted, [...coded.keys()]);
  const headers = {
    "content-type": type,
    ...(type === "image/svg+xml" ? { "content-security-policy": harmlessPolicy } : {}),
    // Names contain a hash of the content.
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
  };
  const bytes = coding === null ? undefined : coded.get(coding);
  if (coding === null || bytes === undefined) return { status: 200, headers, bytes: plain };
  return { status: 200, headers: { ...headers, "content-encoding": coding }, bytes };
}

/** The part behind the # stays with the browser, and so the link works. */
const plainPages: Record<string, Page> = {
  "/console/verify": redirect("../verify"),
  "/console/reset-password": redirect("../reset-password"),
};

function redirect(location: string): Page {
  return () => ({ status: 302, headers: { location, "cache-control": "no-store" } });
}
