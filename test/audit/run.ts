// npm run audit:ci: the dependencies that ship, checked against the lock file, the list of materials and what is known against them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { askAdvisories } from "./advisories.ts";
import type { Bill } from "./materials.ts";
import { faultsOf, type LockFile, type Manifest, shippedOf } from "./lock-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));

const lock = read("package-lock.json") as LockFile;
const shipped = new Set(shippedOf(lock));
const faults = [
  ...faultsOf(lock, read("package.json") as Manifest),
  ...faultsOf(read("test/package-lock.json") as LockFile, read("test/package.json") as Manifest),
];
console.log(`lock file: ${Object.keys(lock.packages).length - 1} packages, ${shipped.size} of them ship`);

const bill = read("dist/sbom.cdx.json") as Bill;
const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
if (listed.symmetricDifference(shipped).size > 0) faults.push("dist/sbom.cdx.json is not what ships: npm run sbom");
console.log(`list of materials: dist/sbom.cdx.json, ${listed.size} packages`);

const advisories = await askAdvisories(root);
if (advisories.asked) {
  faults.push(...advisories.serious);
  console.log(`advisories: ${advisories.serious.length} serious, ${advisories.others.length} others`, advisories.others.join("\n"));
} else
  console.log(
    `advisories: skipped, since the registry can't be asked for them here (${advisories.reason}). Run it where it can: npm audit --omit=dev`,
  );

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
