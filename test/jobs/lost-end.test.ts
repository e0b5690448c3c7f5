// A job's end whose answer was lost, or that another runner wrote first: which files stay in the store, and what the log of charges says.
import { mkdtempSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { connect, type Db, inTransaction, type Queries } from "../../src/db/connect.ts";
import { fileName } from "../../src/jobs/deliver.ts";
import type { JobTimes } from "../../src/jobs/parts.ts";
import type { Charge } from "../../src/ledger/charge-log.ts";
import { openDatabaseProxy } from "../robustness/database-proxy.ts";
import { untilWaiting } from "../support/locks.ts";
import { engineWorld } from "./engine-world.ts";
import { finish, lease, rowOf } from "./job-rows.ts";

const world = engineWorld();
const files = [0, 1, 2, 3].map((index) => `${fileName("s".repeat(32), index)}.png`);
const [first, second, third, fourth] = files as [string, string, string, string];
const all = files.toSorted();
const butTheFourth = [first, second, third].sort();

interface Ending {
  /** The store accepts all images but the fourth. */
  fails: boolean;
  times?: Partial<JobTimes>;
  /** Done while the runner's end waits for the account; absent: the way back to the runner is cut, and the end is written anyway. */
  meanwhile?(db: Db, id: string): Promise<void>;
}

/** Runs a job of four images past its end; `leftOver` of their files must stay. Resolves to the job's row, and the lines about its charge. */
async function end({ fails, times = {}, meanwhile }: Ending, leftOver: readonly string[]) {
  const wire = await openDatabaseProxy(world.db.url);
  const far = connect(wire.url, { max: 4 });
  const holding = connect(world.db.url, { max: 1, statementTimeoutMs: 0 });
  onTestFinished(async () => {
    await Promise.all([far.close(), holding.close()]);
    await wire.close();
  });
  const dataDir = mkdtempSync(join(inject("runFolder"), "svc-media-"));
  const store = join(dataDir, "media");
  if (fails) await mkdir(join(store, fourth.slice(0, 2), fourth, "in-the-way"), { recursive: true });
  const id = await world.place({ count: 4, estimated: 4_000_000n });
  const lines: Charge[] = [];
  const chargeLog = { add: (charge: Charge) => void (charge.amount > 0n && lines.push(charge)) };
  const { account_id } = await rowOf(world.db, id);
  const engine = await inTransaction(holding, async ({ pool }: Queries) => {
    await pool.query("select 1 from balance where account_id = $1 for no key update", [account_id]);
    const models = { "test/picture": { kind: "image" as const, routes: ["ember/flash-image"] } };
    const engine = await world.start(models, { db: far, times, dataDir, parts: { listenUrl: world.db.url, chargeLog } });
    await untilWaiting(world.db, "media_finish");
    expect(await filesIn(store)).toEqual(fails ? butTheFourth : all);
    if (meanwhile === undefined) wire.cut();
    else await meanwhile({ ...holding, pool: pool as Db["pool"] }, id);
    return engine;
  });
  await expect.poll(async () => (await rowOf(world.db, id))["completed_at"]).not.toBeNull();
  if (meanwhile === undefined) wire.restore();
  await expect.poll(() => filesIn(store)).toEqual(leftOver);
  await engine.jobs.stop(5_000);
  expect(await filesIn(store)).toEqual(leftOver);
  return { ...(await rowOf(world.db, id)), charges: lines.map(({ id: of, amount }) => (of === id ? amount : of)) };
}

async function filesIn(folder: string): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return all.flatMap((entry) => (entry.isFile() ? entry.name : [])).sort();
}

describe("the answer was lost", () => {
  test.each([
    ["a second try", { renewMs: 60_000, leaseMs: 60_000 }],
    ["its lease, which is no more,", { renewMs: 10 }],
  ])("%s tells that the job has failed: none of its files is left", async (_teller, times) => {
    expect(await end({ fails: true, times }, [])).toMatchObject({ status: "failed", charges: [] });
  });

  test.each([
    ["a second try", { renewMs: 60_000, leaseMs: 60_000 }],
    ["its lease, which is no more,", { renewMs: 10 }],
  ])(
    "%s tells that the job has succeeded: all of its files stay, and its charge is a line of the log of charges",
    async (_teller, times) => {
      expect(await end({ fails: false, times }, all)).toMatchObject({ status: "succeeded", charges: [4_000_000n] });
    },
  );
});

describe("another runner took the job and ended it", () => {
  test("in failure, when everything had been kept here: none of its files is left", async () => {
    const row = await end({ fails: false, meanwhile: (db, id) => endElsewhere(db, id, { code: "provider_error" }) }, []);
    expect(row).toMatchObject({ status: "failed" });
  });

  test("in success, when a file could not be kept here: what was kept under the same names stays", async () => {
    const row = await end({ fails: true, meanwhile: (db, id) => endElsewhere(db, id, { charged: 4_000_000n }) }, butTheFourth);
    expect(row).toMatchObject({ status: "succeeded" });
  });
});

async function endElsewhere(db: Db, id: string, how: Parameters<typeof finish>[3]): Promise<void> {
  expect(await finish(db, id, await lease(db, id), how)).toBe(true);
}
