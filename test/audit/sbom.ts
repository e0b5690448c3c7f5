// npm run sbom: what ships, as CycloneDX. npm writes the whole list; its own way of leaving out packages for development also leaves out those
// that both kinds use, so the lock file says what ships.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { materialsOf, type Bill } from "./materials.ts";
import { type LockFile, shippedOf } from "./lock-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const words = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
const whole = execFileSync("npm", words, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "ignore"] });
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as LockFile;
mkdirSync(join(root, "dist"), { recursive: true });
writeFileSync(join(root, "dist/sbom.cdx.json"), JSON.stringify(materialsOf(JSON.parse(whole) as Bill, shippedOf(lock)), null, 2));
