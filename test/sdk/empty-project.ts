// The client library as a stranger has it: the packed file, unpacked into an empty project.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface EmptyProject {
  path: string;
  write(name: string, text: string): void;
  remove(): void;
}

/** An ES module project whose one dependency is `svc-sdk`. `nodeTypes` adds `@types/node`. */
export function emptyProject({ nodeTypes = false } = {}): EmptyProject {
  const path = mkdtempSync(join(tmpdir(), "svc-sdk-"));
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", path], {
    cwd: join(root, "generated/sdk"),
    encoding: "utf8",
  });
  const modules = join(path, "node_modules");
  mkdirSync(join(modules, "svc-sdk"), { recursive: true });
  execFileSync("tar", ["-xzf", join(path, packed.trim()), "-C", join(modules, "svc-sdk"), "--strip-components=1"]);
  if (nodeTypes) {
    mkdirSync(join(modules, "@types"));
    symlinkSync(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
    symlinkSync(join(root, "node_modules/undici-types"), join(modules, "undici-types"));
  }
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  write("package.json", JSON.stringify({ name: "stranger", private: true, type: "module", dependencies: { "svc-sdk": "*" } }));
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}
