// The line that the portal shows for installing svc-sdk, run as it stands in an empty project against a running gateway; what it installs
// then makes the first call of the quick start.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksIn } from "../docs/guide-blocks.ts";
import { runProcess } from "../docs/run-block.ts";
import { emptyProject } from "../sdk/packed.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "svc-sdk-install-"));
let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pageOf = async (path: string) => (await fetch(gateway.url + path)).text();
const linesIn = (page: string) => [...page.matchAll(/npm install (http[^\s`]*)/g)].map(([line]) => line);

test("the landing page and the quick start show one line, at this gateway's address", async () => {
  const line = `npm install ${gateway.url}/docs/svc-sdk.tgz`;
  for (const path of ["/docs.md", "/docs/guides/quick-start.md"]) expect([path, linesIn(await pageOf(path))]).toEqual([path, [line]]);
});

test("that line installs the package into an empty project, and the quick start's program then runs", async () => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  const quickStart = await pageOf("/docs/guides/quick-start.md");
  const [line] = linesIn(quickStart);
  const environment = {
    PATH: process.env.PATH!,
    HOME: folder,
    npm_config_cache: join(folder, ".npm"),
    npm_config_update_notifier: "false",
  };
  await run("sh", ["-c", `${line!} --no-audit --no-fund`], { cwd: folder, env: environment });
  const installed = join(folder, "node_modules/svc-sdk");
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1)).sort();
  expect(names).toEqual((await emptyProject()).packed);
  expect(linesIn(readFileSync(join(installed, "README.md"), "utf8"))).toEqual([line]);

  const { key } = await gateway.createAccount({ deposit: "5" });
  const [sample] = blocksIn(quickStart, "quick-start").filter(({ language, code }) => language === "ts" && code.includes("svc-sdk"));
  const place = { folder, environment: { ...environment, SVC_URL: gateway.url, SVC_KEY: key } };
  expect(await runProcess(process.execPath, ["--input-type=module-typescript", "-"], sample!.code, place)).toMatch(
    /You said: "Hello!".*\n0\.0\d* USD/s,
  );
});

test("it is the same file each time: npm keeps its hash", async () => {
  const bytes = async () => Buffer.from(await (await fetch(`${gateway.url}/docs/svc-sdk.tgz`)).arrayBuffer());
  const first = await bytes();
  gateway.context.catalog = { ...gateway.context.catalog }; // made anew
  expect((await bytes()).equals(first)).toBe(true);
});
