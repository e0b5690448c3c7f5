// `svc simulate`, and through it how a command that stays is ended, also where bin/svc.js waits under another Node.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { svcPath } from "../support/svc-path.ts";
import { otherNode } from "./other-node.ts";
import { runSvc } from "./run-svc.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

interface Running {
  url: string;
  child: ChildProcess;
  ended: Promise<{ status: number | null; signal: NodeJS.Signals | null }>;
}

async function startSimulator(runtime: string, detached = false): Promise<Running> {
  const child = spawn(runtime, [svcPath, "simulate", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"], detached });
  children.push(child);
  const ended = new Promise<{ status: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (status, signal) => resolve({ status, signal })),
  );
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout! }).once("line", resolve));
  expect(line).toMatch(/^simulator ready http:\/\/127\.0\.0\.1:\d+$/);
  return { url: line.slice("simulator ready ".length), child, ended };
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

describe.each([
  ["the pinned Node", process.execPath],
  ["another Node", otherNode],
])("under %s", (_, runtime) => {
  test.runIf(runtime)("it answers until SIGTERM, and ends with 0", async () => {
    const { url, child, ended } = await startSimulator(runtime!);
    expect(await answers(url)).toBe(true);
    child.kill("SIGTERM");
    expect(await ended).toEqual({ status: 0, signal: null });
    expect(await answers(url)).toBe(false);
  });

  test.runIf(runtime)("a signal to the whole process group ends it with 0 too", async () => {
    const { child, ended } = await startSimulator(runtime!, true);
    process.kill(-child.pid!, "SIGINT");
    expect(await ended).toEqual({ status: 0, signal: null });
  });
});

test.runIf(otherNode)("kill -9 of the waiting process leaves no server behind", async () => {
  const { url, child, ended } = await startSimulator(otherNode!);
  child.kill("SIGKILL");
  await ended;
  await expect.poll(() => answers(url)).toBe(false);
});

test("a port that is none is wrong usage", async () => {
  expect((await runSvc({}, ["simulate", "--port", "http"])).status).toBe(2);
});
