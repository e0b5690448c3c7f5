// Where a reader of the guides sits: a checkout to run commands in and write files to. It holds links to this one, so that nothing is
// written here, and the packages that the samples import, the generated SDK among them.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratchFolder } from "../support/leftovers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const linked = ["bin", "generated", "handlers", "package.json", "src", "tsconfig.json"];

/** The folder, and what removes it. */
export function makeReaderFolder(): { path: string; remove(): void } {
  const path = scratchFolder("reader-");
  for (const name of linked) symlinkSync(join(root, name), join(path, name));
  const packages = join(path, "node_modules");
  mkdirSync(join(packages, ".bin"), { recursive: true });
  link(join(root, "node_modules"), packages);
  link(join(root, "test/node_modules"), packages);
  // Else npx would make a package of this folder, once for each.
  symlinkSync(join(root, "bin/svc.js"), join(packages, ".bin/svc"));
  const sdk = join(root, "generated/sdk");
  if (existsSync(sdk)) symlinkSync(sdk, join(packages, "svc-sdk"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Every package of `from`; those of one scope may stand in several places. What `to` has already stays. */
function link(from: string, to: string): void {
  if (!existsSync(from)) return;
  for (const name of readdirSync(from)) {
    const target = join(to, name);
    if (name.startsWith(".")) continue;
    if (name.startsWith("@")) {
      mkdirSync(target, { recursive: true });
      link(join(from, name), target);
    } else if (!existsSync(target)) symlinkSync(join(from, name), target);
  }
}
