// The files that pages load or offer, and the pages' content security policy: our style, an icon, two small scripts, MiniSearch, and for the
// interactive reference Scalar's bundle with its start script. Their names contain a hash of their content, so that browsers may cache them
// forever.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { createTar } from "nanotar";
import type { Logo } from "../text/service-name.ts";
import type { Page } from "./types.ts";

export interface AssetNames {
  /** The files that all pages share. */
  frame: string;
  style: string;
  icon: string;
  iconType: string;
  /** Null: the service has none. */
  logo: string | null;
  script: string;
  /** Runs before the page is shown: the reader's theme. */
  theme: string;
  /** Loaded when a reader begins to search. */
  search: string;
  startReference: string;
  /** Null where Scalar isn't installed: it is a development package. */
  scalar: string | null;
}

export interface Asset {
  name: string;
  type: string;
  read: () => Buffer;
}

export interface Assets {
  names: AssetNames;
  find: (name: string) => Asset | undefined;
  all: readonly Asset[];
}

/** `scalar`: the result of findScalar. */
export function openAssets(scalar: Asset | null, given: Logo | null): Assets {
  const made = (file: string, type: string, bytes: Buffer): Asset => ({ name: named(file, bytes), type, read: () => bytes });
  const own = (file: string, type: string) => made(file, type, readFileSync(fileURLToPath(new URL(`assets/${file}`, import.meta.url))));
  const frame = own("frame.css", "text/css; charset=utf-8");
  const style = own("portal.css", "text/css; charset=utf-8");
  const logo = given === null ? null : { name: given.file, type: given.type, read: () => given.bytes };
  const icon = logo ?? own("icon.svg", "image/svg+xml");
  const startReference = own("start-reference.js", "text/javascript; charset=utf-8");
  const script = own("portal.js", "text/javascript; charset=utf-8");
  const theme = own("theme.js", "text/javascript; charset=utf-8");
  const search = made("minisearch.js", "text/javascript; charset=utf-8", readMiniSearch());
  const all = [frame, style, icon, script, theme, search, startReference, ...(scalar === null ? [] : [scalar])];
  return {
    names: {
      frame: frame.name,
      style: style.name,
      icon: icon.name,
      iconType: icon.type,
      logo: logo?.name ?? null,
      script: script.name,
      theme: theme.name,
      search: search.name,
      startReference: startReference.name,
      scalar: scalar?.name ?? null,
    },
    find: (name) => all.find((asset) => asset.name === name),
    all,
  };
}

function named(file: string, bytes: Buffer): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  return file.replace(/(\.\w+)$/, `-${hash}$1`);
}

/**
 * Scalar's own package has its bundle beside 200 MB of parts. The package for Fastify has the same bundle as a text, in a module that is
 * read here and never run: a container image may include only this file of it.
 */
const scalarModule = "@scalar/fastify-api-reference/dist/index.js";

export function findScalar(): Asset | null {
  const folders = createRequire(import.meta.url).resolve.paths(scalarModule) ?? [];
  const path = folders.map((folder) => join(folder, scalarModule)).find((one) => existsSync(one));
  if (path === undefined) return null;
  const read = () => scalarBundle(path);
  return { name: named("scalar.js", read()), type: "text/javascript; charset=utf-8", read };
}

function scalarBundle(path: string): Buffer {
  const literal = /^var standalone_default = (".*");$/m.exec(readFileSync(path, "utf8"))?.[1];
  if (literal === undefined) throw new Error(`${path} does not hold Scalar's bundle where it was expected`);
  return Buffer.from(runInNewContext(literal) as string);
}

/** MiniSearch as browsers load it: a file of its package, without the address of a map that is not served. */
function readMiniSearch(): Buffer {
  const main = createRequire(import.meta.url).resolve("minisearch");
  const source = readFileSync(join(main, "../../umd/index.js"), "utf8");
  return Buffer.from(source.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
}

// The content security policy of pages: they run, load and call only our own files. The server sends it as a header, static files contain
// it.

const none = "default-src 'none'; base-uri 'none'; form-action 'none'";

/** `gateway`: where the reference of a static site sends its calls; null: to the page's own origin. */
export function contentPolicy(shape: Page["shape"], gateway: string | null = null): string {
  const ours = `${none}; script-src 'self'; img-src 'self'`;
  if (shape !== "reference") return `${ours}; style-src 'self'; connect-src 'self'`;
  // As observed: Scalar writes styles into the page, and plays audio answers.
  return `${ours}; style-src 'self' 'unsafe-inline'; media-src blob:; connect-src 'self'${gateway === null ? "" : ` ${gateway}`}`;
}

// svc-sdk as a package file, for `npm install ADDRESS/docs/svc-sdk.tgz`: `npm pack` of generated/sdk, with this gateway's address in its
// README. The same bytes as long as the contract and the address are the same, because npm remembers their hash.

export const sdkPackageName = "svc-sdk.tgz";

const folder = fileURLToPath(new URL("../../generated/sdk/", import.meta.url));

export function packSdk(publicUrl: string | null): Buffer {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.replace(/\/+/g, "/").slice(folder.length))
    .sort();
  const files = names.map((name) => {
    const text = readFileSync(folder + name, "utf8");
    const data = name === "README.md" && publicUrl !== null ? text.replaceAll("https://gateway.example", publicUrl) : text;
    return { name: `package/${name}`, data: Buffer.from(data), attrs: { mtime: 0 } };
  });
  return gzipSync(createTar(files));
}
