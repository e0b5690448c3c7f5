// The log of charges on a disk that takes nothing for a while.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openChargeLog } from "../../src/ledger/charge-log.ts";
import { scratchFolder } from "../support/leftovers.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** In a folder that is not there yet. */
function openFailing() {
  const folder = join(scratchFolder("charge-log-"), "disk");
  const path = join(folder, "charges.jsonl");
  const faults: string[] = [];
  const log = openChargeLog(path, (error, what) => void faults.push(`${what}: ${(error as Error).message}`));
  let id = 0;
  const add = (lines: number) => {
    for (let line = 0; line < lines; line += 1)
      log.add({ at: new Date(), accountId: 1n, id: String(id++), requestId: "req_1", amount: 1n });
  };
  return { log, path, faults, add, mend: () => mkdirSync(folder) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Waits until the log has set its timer, and lets it come. Returns how long it was to wait. */
async function nextPause(): Promise<number> {
  while (vi.getTimerCount() === 0) await turn();
  const before = Date.now();
  vi.advanceTimersToNextTimer();
  return Date.now() - before;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

test("a disk that fails is tried again after longer and longer pauses, up to 5 s; once it writes, the pauses are short again", async () => {
  const { log, path, faults, add, mend } = openFailing();
  await until(() => faults.length === 1); // of the opening
  add(2);
  const pauses: number[] = [];
  while (pauses.length < 8) pauses.push(await nextPause());
  expect(pauses).toEqual([200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  await until(() => faults.length === 9);

  mend();
  await nextPause();
  await until(() => {
    try {
      return readFileSync(path, "utf8").split("\n").length === 3;
    } catch {
      return false;
    }
  });
  await turn();
  add(1);
  expect(await nextPause()).toBe(100);
  await log.close();
  expect(readFileSync(path, "utf8").split("\n")).toHaveLength(4);
  expect(faults).toHaveLength(9);
});

test("of more lines than are kept while the disk fails, each that is lost is counted", async () => {
  const { log, path, faults, add, mend } = openFailing();
  await until(() => faults.length === 1);
  add(30_000);
  await nextPause();
  await until(() => faults.length === 2);
  add(30_000);
  await nextPause();
  await until(() => faults.length === 3);
  mend();
  await log.close();
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(50_000);
  expect(faults.at(-1)).toBe(`the charge log: 10000 lines are missing in ${path}`);
});

test("a log that closes while its disk fails says how many lines are missing", async () => {
  const { log, path, faults, add } = openFailing();
  add(3);
  await log.close();
  expect(faults.at(-1)).toBe(`the charge log: 3 lines are missing in ${path}`);
});
