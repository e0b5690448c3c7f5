// Resolves links. Sources use `/docs/…` or an address from the root; pages use relative ones, so that they work behind a path prefix and
// as files in any folder.
import { posix } from "node:path";
import type { Site } from "./types.ts";

/** The file or address of a page, without a leading slash. */
export function placeOf(path: string, site: Site, form: "html" | "md" = "html"): string {
  if (site === "live") return `docs${path === "" ? "" : `/${path}`}${form === "md" ? ".md" : ""}`;
  return `${path === "" ? "index" : path}.${form}`;
}

/** For a file beside the pages. */
export function placeOfFile(name: string, site: Site): string {
  return site === "live" ? `docs/${name}` : name;
}

export function placeOfAsset(name: string, site: Site): string {
  return placeOfFile(`assets/${name}`, site);
}

export function relative(from: string, to: string): string {
  const folder = posix.relative(posix.dirname(from), posix.dirname(to));
  return posix.join(folder, posix.basename(to));
}

/** Files of the root that the portal's own pages link to. */
/** Beside the pages. */
const files: readonly string[] = ["svc-sdk.tgz"];

const rootFiles: readonly string[] = ["openapi.json", "openapi-3.2.json", "llms.txt", "llms-full.txt"];

/**
 * Turns a link of a source into one that works on the page; null if readers can't follow it (a file of the
 * repository, a scheme that runs code). Foreign addresses and anchors are unchanged.
 */
export function resolveLink(href: string, from: string, site: Site, form: "html" | "md"): string | null {
  if (/^(?:https?:|mailto:|#)/i.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  const besides = path.slice("/docs/".length);
  if (files.includes(besides)) return relative(placeOf(from, site, form), placeOfFile(besides, site)) + suffix;
  const own = /^\/docs(?:\/(.*))?$/.exec(path);
  if (own !== null) return relative(placeOf(from, site, form), placeOf(own[1] ?? "", site, form)) + suffix;
  const file = path.slice(1);
  if (rootFiles.includes(file)) return relative(placeOf(from, site, form), file);
  return null;
}
