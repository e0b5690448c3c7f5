// A list of materials (CycloneDX) cut down to what ships.
import { execFileSync } from "node:child_process";

export interface Bill {
  metadata: { component: { "bom-ref": string; name: string } };
  components: { "bom-ref": string; name: string; version: string; scope?: string; properties?: { name: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** All that the lock file of `folder` has, development too, as npm writes it. */
export function allMaterials(folder: string): Bill {
  const words = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", words, {
    ...{ cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(text) as Bill;
}

/** `shipped`: `name@version` of each package. Throws where the list lacks one of them. */
export function materialsOf(bill: Bill, shipped: readonly string[]): Bill {
  const wanted = new Set(shipped);
  const components = bill.components.filter(({ name, version }) => wanted.has(`${name}@${version}`));
  const found = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const missing = [...wanted].filter((one) => !found.has(one));
  if (missing.length > 0) throw new Error(`npm's list of materials lacks ${missing.join(", ")}`);
  const own = bill.metadata.component;
  const refs = new Set([own["bom-ref"], ...components.map((component) => component["bom-ref"])]);
  return {
    ...bill,
    // npm takes the name of the folder.
    metadata: { ...bill.metadata, component: { ...own, name: own["bom-ref"].replace(/@[^@]*$/, "") } },
    components: components.map((component) => ({
      ...component,
      properties: (component.properties ?? []).filter(({ name }) => name !== "cdx:npm:package:development"),
    })),
    dependencies: bill.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}
