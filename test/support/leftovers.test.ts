// A run of `npm test` leaves no process and no folder behind, and fails where a test did. Runs beside it are left alone.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, onTestFinished, test } from "vitest";
import { clearRun, processesOf, runVariable, scratchFolder } from "./leftovers.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A run of its own of one of the files in leaving/, with its temporary folder in `place`. `begun`: is given its process. */
function run(
  file: string,
  place: string,
  begun: (child: ChildProcess) => void = () => undefined,
): Promise<{ status: number; output: string }> {
  const words = ["run", "--root", ".", "--config", "test/support/leaving/vitest.config.ts", `test/support/leaving/${file}`];
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV)/.test(name))),
    ...{ TMPDIR: place, TEST_DATABASE_URL: inject("databaseServerUrl") },
  };
  return new Promise((resolve) => {
    const child = execFile(join(root, "node_modules/.bin/vitest"), words, { cwd: root, env, encoding: "utf8" }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode!, output: stdout + stderr }),
    );
    begun(child);
  });
}

function runningSleeps(seconds: number): number {
  return globSync("/proc/[0-9]*/cmdline").filter((path) => {
    try {
      return readFileSync(path, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      return false; // it has just ended
    }
  }).length;
}

test("a run whose tests leave processes and folders fails, names them, ends and removes them", async () => {
  const place = scratchFolder("leaving-");
  const { status, output } = await run("leaves-all.ts", place);
  expect(output).toContain("1 passed");
  expect(output).toContain("The tests left something behind:");
  for (const seconds of [987001, 987002, 987003])
    expect(output).toMatch(new RegExp(`process \\d+ was left running: (sh -c.*)?sleep ${seconds}`));
  expect(output).toMatch(/left in the temporary folder: forgotten-\w{6}\n/);
  expect(status).toBe(1);
  expect(readdirSync(place)).toEqual([]);
  expect(processesOf(place)).toEqual([]);
});

test("a run that leaves nothing passes; what ends within some seconds was not left", async () => {
  const place = scratchFolder("leaving-");
  const { status, output } = await run("leaves-nothing.ts", place);
  expect(output).toContain("1 passed");
  expect(output).not.toContain("left something behind");
  expect(status).toBe(0);
  expect(readdirSync(place)).toEqual([]);
});

test("a run that SIGTERM ends leaves nothing", async () => {
  const place = scratchFolder("leaving-");
  const sleeps = () =>
    readdirSync(place)
      .flatMap((name) => processesOf(join(place, name)))
      .filter(({ command }) => command === "sleep 987005");
  let child!: ChildProcess;
  const ended = run("waits.ts", place, (begun) => (child = begun));
  await expect.poll(() => sleeps().length).toBe(1);
  child.kill("SIGTERM");
  expect((await ended).status).toBe(143);
  expect(readdirSync(place)).toEqual([]);
  await expect.poll(() => runningSleeps(987005)).toBe(0);
});

test("of two runs side by side, one clears only what is its own", async () => {
  const [own, other] = [mkdtempSync(join(tmpdir(), "svct-")), mkdtempSync(join(tmpdir(), "svct-"))];
  // As children of another process: this one's own are Vitest's to end.
  const start = (folder: string) =>
    spawn("sh", ["-c", "sleep 987004 & wait"], {
      stdio: "ignore",
      detached: true,
      env: { PATH: process.env.PATH!, [runVariable]: folder },
    });
  const [ours, theirs] = [start(own), start(other)];
  onTestFinished(() => void process.kill(-theirs.pid!, "SIGKILL"));
  mkdirSync(join(other, "theirs"));
  const sleep = expect.objectContaining({ command: "sleep 987004" }); // a moment before, the child is still its shell's copy
  await expect.poll(() => [own, other].map((folder) => processesOf(folder))).toEqual([[sleep], [sleep]]);
  expect(await clearRun(own, 0)).toEqual([expect.stringMatching(/^process \d+ was left running: sleep 987004$/)]);
  expect([processesOf(own).length, processesOf(other).length, readdirSync(other)]).toEqual([0, 1, ["theirs"]]);
  await expect.poll(() => ours.exitCode).not.toBeNull();
  process.kill(-theirs.pid!, "SIGKILL");
  await expect.poll(() => processesOf(other)).toEqual([]);
  expect(await clearRun(other, 0)).toEqual(["left in the temporary folder: theirs"]);
});
