// The files that pages load: our style, an icon, a small script, and for the interactive reference Scalar's bundle with the lines that
// start it. Their names hold a hash of what is in them, so that browsers may keep them for ever.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

export interface AssetNames {
  /** What all pages share. */
  frame: string;
  style: string;
  icon: string;
  script: string;
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

/** `scalar`: of findScalar. */
export function openAssets(scalar: Asset | null): Assets {
  const made = (file: string, type: string, bytes: Buffer): Asset => ({ name: named(file, bytes), type, read: () => bytes });
  const own = (file: string, type: string) => made(file, type, readFileSync(fileURLToPath(new URL(`assets/${file}`, import.meta.url))));
  const frame = own("frame.css", "text/css; charset=utf-8");
  const style = own("portal.css", "text/css; charset=utf-8");
  const icon = own("icon.svg", "image/svg+xml");
  const startReference = own("start-reference.js", "text/javascript; charset=utf-8");
  const script = own("portal.js", "text/javascript; charset=utf-8");
  const all = [frame, style, icon, script, startReference, ...(scalar === null ? [] : [scalar])];
  return {
    names: {
      frame: frame.name,
      style: style.name,
      icon: icon.name,
      script: script.name,
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
 * Scalar's own package holds its bundle beside 200 MB of parts. The one for Fastify holds the same bundle as a text, in a module that is
 * read here and never run: an image may have this file and nothing else of it.
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
