// npm run audit:ci: the dependencies that ship, checked against the lock file, the list of materials and what is known against them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { askAdvisories, judgeAdvisories, skipFlag } from "./advisories.ts";
import { bundledOf } from "./bundled.ts";
import type { Bill } from "./materials.ts";
import { faultsOf, type LockFile, type Manifest, shippedOf, shippedPaths } from "./lock-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));

const lock = read("package-lock.json") as LockFile;
const bundled = bundledOf(root);
const shipped = new Set(shippedOf(lock, bundled));
const faults = [
  ...faultsOf(lock, read("package.json") as Manifest, bundled),
  ...faultsOf(read("test/package-lock.json") as LockFile, read("test/package.json") as Manifest),
];
console.log(`lock file: ${Object.keys(lock.packages).length - 1} packages, ${shipped.size} of them ship`);

const bill = read("dist/sbom.cdx.json") as Bill;
const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
if (listed.symmetricDifference(shipped).size > 0) faults.push("dist/sbom.cdx.json is not what ships: npm run sbom");
console.log(`list of materials: dist/sbom.cdx.json, ${listed.size} packages`);

const advisories = judgeAdvisories(await askAdvisories(root, shippedPaths(lock, bundled)), process.argv.includes(skipFlag));
for (const note of advisories.notes) console.warn(note);
faults.push(...advisories.faults);

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
