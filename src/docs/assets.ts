// The files that pages load: our style, an icon, and for the interactive reference Scalar's bundle with the lines that start it. Their
// names hold a hash of what is in them, so that browsers may keep them for ever.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface AssetNames {
  style: string;
  icon: string;
  startReference: string;
  /** Null where Scalar isn't installed: it is a development package. */
  scalar: string | null;
}

interface Asset {
  name: string;
  type: string;
  read: () => Buffer;
}

export interface Assets {
  names: AssetNames;
  find: (name: string) => Asset | undefined;
  all: readonly Asset[];
}

export function openAssets(): Assets {
  const own = (file: string, type: string): Asset => {
    const path = fileURLToPath(new URL(`assets/${file}`, import.meta.url));
    return { name: named(file, readFileSync(path)), type, read: () => readFileSync(path) };
  };
  const style = own("portal.css", "text/css; charset=utf-8");
  const icon = own("icon.svg", "image/svg+xml");
  const startReference = own("start-reference.js", "text/javascript; charset=utf-8");
  const scalar = findScalar();
  const all = [style, icon, startReference, ...(scalar === null ? [] : [scalar])];
  return {
    names: { style: style.name, icon: icon.name, startReference: startReference.name, scalar: scalar?.name ?? null },
    find: (name) => all.find((asset) => asset.name === name),
    all,
  };
}

function named(file: string, bytes: Buffer): string {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  return file.replace(/(\.\w+)$/, `-${hash}$1`);
}

/** Of 4 MB nobody needs a hash: its version says what it is. */
function findScalar(): Asset | null {
  const folder = packageFolder("@scalar/api-reference");
  const path = folder === null ? "" : join(folder, "dist/browser/standalone.js");
  if (folder === null || !existsSync(path)) return null;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { name: `scalar-${version}.js`, type: "text/javascript; charset=utf-8", read: () => readFileSync(path) };
}

/** The folder with the package.json, whatever the package exports. */
function packageFolder(name: string): string | null {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name, "package.json")).find((path) => existsSync(path));
  return found === undefined ? null : dirname(found);
}
