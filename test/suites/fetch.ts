// Brings the suites of list.ts, each at its commit, into .suites. What is there already stays.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { folderOf, suites } from "./list.ts";

for (const suite of suites) {
  const folder = folderOf(suite);
  if (existsSync(folder)) continue;
  const git = (...args: string[]) => {
    const { status } = spawnSync("git", args, { stdio: "inherit" });
    if (status === 0) return;
    rmSync(folder, { recursive: true, force: true }); // else the next run would take it for the suite
    throw new Error(`git ${args.join(" ")} ended with ${String(status)}`);
  };
  git("init", "--quiet", folder);
  git("-C", folder, "fetch", "--quiet", "--depth", "1", suite.repository, suite.commit);
  git("-C", folder, "checkout", "--quiet", "FETCH_HEAD");
}
