// npm run docs:build [folder]: the portal as a static site for any file server, under any prefix. SVC_PUBLIC_URL is the gateway that its
// examples and the reference call; without it the examples use $SVC_URL. SVC_CATALOG is the catalog whose models they name, SVC_NAME and
// SVC_LOGO what they call the service.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { loadCatalog, readShippedCatalog } from "../catalog/load.ts";
import type { Catalog } from "../catalog/types.ts";
import { contentPolicy, sdkPackageName } from "./assets.ts";
import { escapeHtml } from "../text/html.ts";
import { readServiceName } from "../text/service-name.ts";
import { placeOf, placeOfFile } from "./links.ts";
import { createPortal } from "./portal.ts";
import type { Page } from "./types.ts";

const generated = (file: string) => fileURLToPath(new URL(`../../generated/${file}`, import.meta.url));

/** Writes into `folder`, replacing its content; returns the number of pages. `publicUrl` has no trailing slash. */
export async function buildDocs(
  folder: string,
  publicUrl: string | null,
  catalog: Catalog = readShippedCatalog(),
  service = readServiceName(null, null),
): Promise<number> {
  const document = readFileSync(generated("openapi.json"), "utf8");
  const known = { publicUrl, canPay: null, hasConsole: publicUrl !== null, service };
  const portal = createPortal({ site: "static", document, catalog, ...known, head: (page) => policyTag(page, publicUrl) });
  const write = (place: string, content: string | Buffer) => {
    const path = join(folder, place);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  rmSync(folder, { recursive: true, force: true });
  for (const path of portal.pages.keys()) {
    write(placeOf(path, "static"), portal.html(path) as string);
    write(placeOf(path, "static", "md"), portal.markdown(path) as string);
  }
  for (const asset of portal.assets.all) write(`assets/${asset.name}`, asset.read());
  write(`assets/${portal.searchName}`, await portal.searchIndex());
  write(placeOfFile(sdkPackageName, "static"), portal.sdkPackage());
  write("llms.txt", portal.llms());
  write("llms-full.txt", await portal.llmsFull());
  write("openapi.json", JSON.stringify(portal.openapi31()));
  write("openapi-3.2.json", JSON.stringify(portal.openapi32()));
  return portal.pages.size;
}

/** A file server sends no policy, so the page carries its own. */
function policyTag({ shape }: Page, publicUrl: string | null): string {
  return `<meta http-equiv="content-security-policy" content="${escapeHtml(contentPolicy(shape, publicUrl))}">\n<meta name="referrer" content="no-referrer">\n`;
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? "dist/docs");
  const publicUrl = process.env["SVC_PUBLIC_URL"]?.replace(/\/+$/, "") || null;
  const service = readServiceName(process.env["SVC_NAME"] || null, process.env["SVC_LOGO"] || null);
  const path = process.env["SVC_CATALOG"];
  const catalog =
    path === undefined ? undefined : loadCatalog({ path, environment: process.env, simulatorUrl: "http://127.0.0.1:9" }).catalog;
  process.stdout.write(`${await buildDocs(folder, publicUrl, catalog, service)} pages in ${folder}\n`);
}
