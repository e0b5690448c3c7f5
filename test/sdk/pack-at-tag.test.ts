// `npm run sdk:pack -- TAG`: a release's package is what stands at its tag, under the version that the tag says.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { scratchFolder } from "../support/leftovers.ts";
import { root } from "./packed.ts";

const folder = scratchFolder("sdk-tag-");
const git = (...args: string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", ...args]);
const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const setVersion = (path: string, version: string) =>
  write(path, JSON.stringify({ ...(JSON.parse(readFileSync(join(folder, path), "utf8")) as object), version }));
const release = (tag: string) => {
  git("add", "-A");
  git("commit", "--quiet", "-m", tag);
  git("tag", tag);
};
const packed = (tag: string) => spawnSync(process.execPath, [`${root}spec/pack-sdk.ts`, tag, folder], { encoding: "utf8" });

beforeAll(() => {
  mkdirSync(join(folder, "spec"));
  cpSync(`${root}generated/sdk`, join(folder, "generated/sdk"), { recursive: true });
  write("package.json", "{}");
  write("spec/CHANGELOG.md", "# Changes of the contract\n\n## 1.1.0, 2026-12-01\n");
  git("init", "--quiet");
  for (const path of ["package.json", "generated/sdk/package.json"]) setVersion(path, "1.1.0");
  release("v1.1.0");
  setVersion("package.json", "1.2.0");
  release("v1.2.0");
  setVersion("generated/sdk/package.json", "1.2.0");
  write("generated/sdk/index.js", "not what v1.1.0 was");
  git("commit", "--quiet", "-am", "the SDK's");
  git("tag", "v1.2.1");
});

test("the package holds what stood at the tag, not what stands there now", () => {
  const { status, stdout, stderr } = packed("v1.1.0");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout.trim()).toBe(join(folder, "dist/svc-sdk-1.1.0.tgz"));
  const index = execFileSync("tar", ["-xzOf", stdout.trim(), "package/index.js"], { encoding: "utf8" });
  expect(index).toBe(readFileSync(`${root}generated/sdk/index.js`, "utf8"));
});

test("a tag that is not the version of package and SDK, or that the changelog does not date, is refused", () => {
  expect(packed("v1.2.0")).toMatchObject({ status: 1, stderr: "sdk:pack: the SDK at v1.2.0 is of version 1.1.0\n" });
  expect(packed("v1.2.1")).toMatchObject({ status: 1, stderr: "sdk:pack: package.json at v1.2.1 is of version 1.2.0\n" });
  git("tag", "-f", "v1.2.0", "v1.2.1");
  expect(packed("v1.2.0")).toMatchObject({ status: 1, stderr: 'sdk:pack: spec/CHANGELOG.md at v1.2.0 has no heading "1.2.0, DATE"\n' });
  expect(packed("v9.9.9").status).toBe(1);
});
