// npm run test:install: the packages of test/package.json, by its lock file, into test/node_modules. Does nothing where they are there.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { areInstalled, lockHash, stamp, testFolder } from "./packages.ts";

if (!areInstalled()) {
  // npm as this Node runs it, which is the pinned one: packages that want a newer Node than the caller's are content.
  const npm = process.env["npm_execpath"];
  const [command, words] = npm === undefined ? ["npm", ["ci"]] : [process.execPath, [npm, "ci"]];
  const env = { ...process.env, SCARF_ANALYTICS: "false" };
  const { status } = spawnSync(command, words, { cwd: testFolder, env, stdio: "inherit" });
  if (status === 0) writeFileSync(stamp, lockHash());
  else process.exitCode = status ?? 1;
}
