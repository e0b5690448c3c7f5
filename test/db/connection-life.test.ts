// How long a gateway's connections live as it ships: the clock is set forward, and what would run then is run, instead of waiting minutes.
import { afterEach, expect, test, vi } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { smallCatalog } from "../catalog/small-catalog.ts";
import { startGateway } from "../support/gateway.ts";

const lifeMs = 5 * 60_000;
/** Each connection's life is drawn between these. */
const [shortestMs, longestMs] = [0.75 * lifeMs, 1.25 * lifeMs];

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

test("a gateway as it ships closes each connection within 5 minutes and a quarter, none before 3 and three quarters; the one that listens too", async () => {
  const now = performance.now.bind(performance);
  const began = now();
  const [everySo, once] = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "setTimeout")];
  const logLines: string[] = [];
  const gateway = await startGateway({ catalog: smallCatalog, logLines });
  cleanUp.push(() => gateway.stop());
  // The pool looks sixty times a life; the connection that listens is renewed by a timer of its own. Others that are as long run with them.
  const looks = everySo.mock.calls.filter(([, ms]) => ms === lifeMs / 60).map(([look]) => look as () => void);
  const renewals = once.mock.calls.filter(([, ms]) => ms! >= shortestMs && ms! <= longestMs).map(([renew]) => renew as () => void);
  everySo.mockRestore();
  once.mockRestore();

  const other = connect(gateway.databaseUrl, { max: 1, applicationName: "test" });
  cleanUp.push(() => other.close());
  const pids = async (name: string) => {
    const sql = "select pid from pg_stat_activity where datname = current_database() and application_name = $1";
    return (await other.pool.query<{ pid: number }>(sql, [name])).rows.map(({ pid }) => pid);
  };
  const listening = await pids("svc-listen");
  for (const renew of renewals) renew();
  await expect.poll(async () => (await pids("svc-listen")).some((pid) => listening.includes(pid))).toBe(false);

  await Promise.all(Array.from({ length: 6 }, () => gateway.context.db.pool.query("select pg_sleep(0.1)")));
  const before = await pids("svc");
  expect(before.length).toBeGreaterThanOrEqual(6);
  const left = async () => (await pids("svc")).filter((pid) => before.includes(pid)).length;
  const forward = vi.spyOn(performance, "now").mockImplementation(() => began + shortestMs - 1);
  for (let n = 0; n < 3; n++) for (const look of looks) look();
  expect(await left()).toBe(before.length);

  forward.mockImplementation(() => now() + longestMs);
  const lookAgain = async () => {
    for (const one of looks) one();
    return left();
  };
  await expect.poll(lookAgain, { interval: 20 }).toBe(0); // one a look
  expect(logLines.filter((line) => line.includes("connection broke"))).toEqual([]); // each new one was ready for the ledger's statements
});
