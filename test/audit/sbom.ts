// npm run sbom: what ships, as CycloneDX. npm writes the whole list; its own way of leaving out packages for development also leaves out those
// that both kinds use, and those that are bundled, so the lock file says what ships.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledOf } from "./bundled.ts";
import { allMaterials, materialsOf } from "./materials.ts";
import { type LockFile, shippedOf } from "./lock-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile;
const bill = materialsOf(allMaterials(root), shippedOf(lock, bundledOf(root)));
mkdirSync(join(root, "dist"), { recursive: true });
writeFileSync(join(root, "dist/sbom.cdx.json"), JSON.stringify(bill, null, 2));
