// npm run sdk:pack [-- v1.2.3]: the TypeScript SDK as a package file in dist/. With a tag it is what stands at that tag, whatever the working
// tree holds, and only if the tag is the version that package, contract and changelog name. `node spec/pack-sdk.ts TAG FOLDER`: another repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [tag, folder] = process.argv.slice(2);
const repository = resolve(folder ?? fileURLToPath(new URL("..", import.meta.url)));

try {
  process.stdout.write(`${tag === undefined ? pack(repository) : packAt(tag)}\n`);
} catch (error) {
  process.stderr.write(`sdk:pack: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** The package file of what stands in `checkout`. */
function pack(checkout: string): string {
  const dist = join(repository, "dist");
  mkdirSync(dist, { recursive: true });
  const args = ["pack", "--silent", join(checkout, "generated/sdk"), "--pack-destination", dist];
  return join(dist, execFileSync("npm", args, { encoding: "utf8" }).trim());
}

function packAt(version: string): string {
  const scratch = mkdtempSync(join(tmpdir(), "svc-sdk-at-"));
  try {
    const files = ["package.json", "generated/sdk", "spec/CHANGELOG.md"];
    const archive = execFileSync("git", ["-C", repository, "archive", version, ...files], {
      maxBuffer: 2 ** 28,
      stdio: ["ignore", "pipe", "pipe"],
    });
    execFileSync("tar", ["-x", "-C", scratch], { input: archive });
    const named = { "package.json": versionIn(scratch, "package.json"), "the SDK": versionIn(scratch, "generated/sdk/package.json") };
    for (const [place, its] of Object.entries(named)) if (`v${its}` !== version) throw new Error(`${place} at ${version} is of version ${its}`); // prettier-ignore
    const headings = readFileSync(join(scratch, "spec/CHANGELOG.md"), "utf8").match(/^## .*$/gm) ?? [];
    if (!headings.some((heading) => new RegExp(`^## ${version.slice(1).replaceAll(".", "\\.")}, \\d{4}-\\d\\d-\\d\\d$`).test(heading)))
      throw new Error(`spec/CHANGELOG.md at ${version} has no heading "${version.slice(1)}, DATE"`);
    return pack(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function versionIn(checkout: string, file: string): string {
  return (JSON.parse(readFileSync(join(checkout, file), "utf8")) as { version: string }).version;
}
