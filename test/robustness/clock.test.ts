// A machine whose clock is wrong, or is set while calls run: no answer is given away, and nothing is dated by that clock. Where it is off by
// more than some seconds, new calls are refused until it is right.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { accountIdText } from "../../src/ids.ts";
import { runSvc } from "../cli/run-svc.ts";
import { until } from "../support/eventually.ts";
import { quickLedger, quickTimes } from "../support/quick-ledger.ts";
import { type ShiftedClock, shiftedClock } from "../support/shifted-clock.ts";
import { chat } from "./chat-client.ts";
import { openWorld, type World } from "./world.ts";
import { oneInThree } from "../support/size.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Units of 1e-8 USD: 7 tokens in, as the simulator counts, at 1e-6 USD, and 10 out at 2e-6 USD. */
const cost = 7n * 100n + 10n * 200n;

let world: World;
beforeEach(async () => {
  world = await openWorld({ models: { quick: "quick+sim-tokens-10", slow: "slow+sim-slow-2000ms+sim-tokens-10" } });
});
afterEach(() => world.stop());

const withQuickLedger = ({ env }: ShiftedClock) => ({ NODE_OPTIONS: `${env["NODE_OPTIONS"]} ${quickLedger.NODE_OPTIONS}` });
const ready = async (url: string) => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, reason: ((await answer.json()) as { reason?: string }).reason };
};
const figure = async (url: string, name: string) =>
  Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, "m").exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

interface LogRow {
  status: string;
  cost: bigint;
  latency_ms: number;
  first_byte_ms: number | null;
  off: number;
}

/** `off`: seconds between the row's time and now. */
async function logRows(): Promise<LogRow[]> {
  const sql = `select status, cost, latency_ms, first_byte_ms, abs(extract(epoch from now() - created_at))::float8 as off from usage_log`;
  return (await world.db.pool.query<LogRow>(sql)).rows;
}

const databaseNow = async () => (await world.db.pool.query<{ now: string }>("select now()::text as now")).rows[0]!.now;

describe("a gateway whose clock is wrong", () => {
  oneInThree().each([
    ["130 days ahead", 130 * dayMs, "s ahead of the database's"],
    ["60 days behind", -60 * dayMs, "s behind the database's"],
    ["in 1970", 1_000 - Date.now(), "s behind the database's"],
    ["8 s ahead", 8_000, "8 s ahead of the database's"],
  ])("%s: 503 overloaded before any provider is asked, /readyz says why; both end once it is right", async (_title, ahead, expected) => {
    const clock = shiftedClock(ahead);
    const gateway = await world.start(withQuickLedger(clock));
    const account = await world.createAccount("1");
    const call = (stream: boolean) => chat({ url: gateway.url, key: account.key, model: "demo/quick", stream });
    for (const stream of [false, true]) {
      const answer = await call(stream);
      expect([answer.status, (JSON.parse(answer.text) as { error: { code: string } }).error.code]).toEqual([503, "overloaded"]);
    }
    expect(await ready(gateway.url)).toMatchObject({ status: 503, reason: expect.stringContaining(expected) as string });
    expect(await figure(gateway.url, "svc_clock_skew_seconds")).toBeGreaterThan(5);
    expect([world.simulator.calls(), await logRows()]).toEqual([[], []]);

    clock.shift(0);
    await until(async () => (await ready(gateway.url)).status === 200, "it is ready");
    expect(await figure(gateway.url, "svc_clock_skew_seconds")).toBeLessThan(1);
    expect((await call(true)).whole).toBe(true);
    expect(await logRows()).toMatchObject([{ status: "success", cost }]);
    expect(await world.audit()).toMatchObject({ mismatches: [] });
  });

  oneInThree()("3 s off: nothing is refused", async () => {
    const gateway = await world.start(withQuickLedger(shiftedClock(-3_000)));
    const account = await world.createAccount("1");
    await sleep(2 * quickTimes.beatMs); // a heartbeat
    expect((await ready(gateway.url)).status).toBe(200);
    const before = await databaseNow();
    expect((await chat({ url: gateway.url, key: account.key, model: "demo/quick" })).status).toBe(200);
    const dated = "select created_at > $1::timestamptz - interval '2 seconds' as dated from usage_log";
    const { rows } = await world.db.pool.query<{ dated: boolean }>(dated, [before]);
    expect(rows).toEqual([{ dated: true }]); // not by its own clock, which is behind
  });
});

describe("a clock that is set while calls run", () => {
  test.each([
    ["ahead by 130 days", 130 * dayMs],
    ["back by 60 days", -60 * dayMs],
    ["to 1970", 1_000 - Date.now()],
  ])("%s: what is delivered is charged, and dated by the database", async (_title, ahead) => {
    const clock = shiftedClock();
    const gateway = await world.start(withQuickLedger(clock));
    const account = await world.createAccount("1");
    const asked = [false, true].map((stream) => chat({ url: gateway.url, key: account.key, model: "demo/slow", stream }));
    await until(() => world.simulator.calls().filter(({ outcome }) => outcome === "open").length === 2, "both are at their upstream");
    clock.shift(ahead);
    expect((await Promise.all(asked)).map(({ status, whole }) => [status, whole])).toEqual([[200, true], [200, true]]); // prettier-ignore
    const rows = await logRows();
    expect(rows.map(({ status, cost: charged }) => [status, charged])).toEqual([["success", cost], ["success", cost]]); // prettier-ignore
    for (const { latency_ms, first_byte_ms, off } of rows) {
      expect(latency_ms).toBeGreaterThanOrEqual(1_900);
      for (const ms of [latency_ms, first_byte_ms ?? 0]) expect(ms).toBeLessThan(30_000);
      expect(off).toBeLessThan(60);
    }
    expect((await world.balance(account)).available).toBe(100_000_000n - 2n * cost);
    expect(await world.audit()).toMatchObject({ mismatches: [], holds_open: 0 });
  });
});

test("svc on a machine whose clock is 40 days behind: what it adds, corrects, gives back and logs is dated by the database", async () => {
  const gateway = await world.start();
  const account = await world.createAccount("1");
  await chat({ url: gateway.url, key: account.key, model: "demo/quick", requestId: "req_charged" });
  const env = { ...world.env, ...shiftedClock(-40 * dayMs).env };
  const id = accountIdText(account.accountId);
  for (const words of [
    ["account", "deposit", id, "5"],
    ["account", "credit", id, "2"],
    ["account", "adjust", id, "-1", "--reason", "mistyped"],
    ["refund", "req_charged", "--reason", "bad answer"],
    ["account", "create", "--email", "new@example.com", "--verified", "--deposit", "3"],
  ])
    expect(await runSvc(env, words)).toMatchObject({ status: 0, stderr: "" });
  const { rows } = await world.db.pool.query<{ what: string; off: number }>(
    `select kind as what, abs(extract(epoch from now() - created_at))::float8 as off from ledger_entry
     union all select action, abs(extract(epoch from now() - at))::float8 from operator_action
     union all select 'account', abs(extract(epoch from now() - created_at))::float8 from account`,
  );
  expect(rows.map(({ what }) => what)).toEqual(expect.arrayContaining(["deposit", "bonus", "adjustment", "refund", "account.create"]));
  expect(rows.filter(({ off }) => off > 120)).toEqual([]);
  expect(await world.audit()).toMatchObject({ mismatches: [] });
});

test("svc on a machine whose clock is 400 days off: what is in the future, and which month is the current one, is by the database", async () => {
  const account = await world.createAccount("1");
  const [past, future] = [-100, 100].map((days) => new Date(Date.now() + days * dayMs).toISOString());
  const svcAt = (days: number, ...words: string[]) => runSvc({ ...world.env, ...shiftedClock(days * dayMs).env }, words);
  for (const words of [
    ["key", "create", accountIdText(account.accountId), "--name", "k", "--expires"],
    ["voucher", "create", "--amount", "1", "--expires"],
  ]) {
    const late = await svcAt(-400, ...words, past!);
    expect(late).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining(`not "${past}"`) as string });
    expect(await svcAt(400, ...words, future!)).toMatchObject({ status: 0, stderr: "" });
  }
  const month = () => `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;
  const before = month();
  const ran = await svcAt(400, "report", "spend", "--by", "day", "--json");
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  const report = ran.json();
  expect([before, month()]).toContain(report.from); // they differ at a month's end
});

oneInThree()("a process that stands still for 7 s and goes on refuses nothing", async () => {
  const gateway = await world.start();
  const account = await world.createAccount("1");
  process.kill(gateway.pid, "SIGSTOP");
  await sleep(7_000);
  process.kill(gateway.pid, "SIGCONT");
  const answers = await Promise.all([1, 2, 3].map(() => chat({ url: gateway.url, key: account.key, model: "demo/quick" })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await ready(gateway.url)).status).toBe(200);
  expect(gateway.output()).not.toContain("new calls are refused");
});
