// The install of the larger clients: what an older pin made is gone when the newer one can't be made.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { scratchFolder } from "../support/leftovers.ts";
import { aider, goProgram, javaFolder, npmPackages, pythonLibraries, rustProgram } from "./more/environment.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("a part whose build fails leaves nothing of the build before: its tests are skipped, and say so", () => {
  const folder = scratchFolder("svc-more-");
  for (const part of ["clients/more", "clients/python", "support"])
    cpSync(join(root, "test", part), join(folder, "test", part), { recursive: true });
  const made = [goProgram, rustProgram, javaFolder, npmPackages, pythonLibraries, aider].map((path) => join(folder, relative(root, path)));
  for (const path of made) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "of an older pin");
  }
  // Without any of the tools, each build fails.
  const env = { PATH: join(folder, "nothing") };
  const { status, stdout } = spawnSync(process.execPath, ["test/clients/more/install.ts"], { cwd: folder, env, encoding: "utf8" });
  expect([status, stdout.match(/^Without /gm)?.length]).toEqual([0, made.length]);
  expect(made.filter((path) => existsSync(path))).toEqual([]);
});
