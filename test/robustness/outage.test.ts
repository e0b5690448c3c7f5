// The database is unavailable for longer than every timeout: cut off, and (worse) silent. Clients get a clean 503 soon,
// the gateway recovers by itself, and nothing that was delivered goes unpaid.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { setKeyEnabled } from "../../src/accounts/admin.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { connect } from "../../src/db/connect.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { ledgerTimes } from "../../src/ledger/times.ts";
import { until } from "../support/eventually.ts";
import { chat } from "./chat-client.ts";
import { type DatabaseProxy, openDatabaseProxy } from "./database-proxy.ts";
import { expectCharged, loadModels, timeoutMs, startLoad } from "./load.ts";
import { openWorld, type World } from "./world.ts";
import { drawn, oneInThree } from "../support/size.ts";

let world: World;
let wire: DatabaseProxy;
afterEach(async () => {
  wire.restore();
  await world.stop();
  await wire.close();
});

async function open() {
  world = await openWorld({ models: { ...loadModels, slow: "slow+sim-slow-1500ms+sim-tokens-10" } });
  wire = await openDatabaseProxy(world.databaseUrl);
  return world.start({ DATABASE_URL: wire.url });
}

const ready = async (url: string) => (await fetch(`${url}/readyz`)).status;
const oneCode = (answers: readonly { status: number; text: string }[]) => [
  ...new Set(
    answers
      .filter(({ status }) => status !== 200)
      .map(({ status, text }) => `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`),
  ),
];

/** An answer that is made waits for its charge this long (src/ledger/ledger.ts, settling), and a little. */
const answerTimeoutMs = 35_000;

describe.each(drawn(["cut", "silence"] as const))("a database that is away (%s)", (how) => {
  test("gives new calls 503 overloaded soon, and answers under way once it is back; the gateway recovers by itself, the books are right", async () => {
    const gateway = await open();
    const account = await world.createAccount("50");
    const load = startLoad(() => [gateway.url], account.key, 12, answerTimeoutMs);
    await until(() => load.answers.length > 100, "calls are answered");
    const other = await world.createAccount("50");
    const late = chat({ url: gateway.url, key: other.key, model: "demo/slow" }); // its charge falls into the outage
    await until(
      () => world.simulator.calls().some(({ model, outcome }) => model?.startsWith("slow") && outcome === "open"),
      "it is at its upstream",
    );

    wire[how]();
    await until(async () => (await ready(gateway.url)) === 503, "/readyz says 503");
    // A known key fails at its reservation, one that nobody has asked about at its authentication.
    const keys = [account.key, makeKey().secret, account.key, makeKey().secret];
    const refused = await Promise.all(keys.map((key) => chat({ url: gateway.url, key, model: "demo/whole", timeoutMs })));
    wire.restore();

    await until(async () => (await ready(gateway.url)) === 200, "/readyz says 200");
    const before = load.answers.length;
    await until(() => load.answers.slice(before).filter(({ status }) => status === 200).length > 100, "calls are answered again");
    await load.stop();
    expect(await late).toMatchObject({ status: 200, whole: true });
    expect(load.answers.filter(({ whole }) => !whole)).toEqual([]);
    expect(oneCode([...load.answers, ...refused])).toEqual(["503 overloaded"]);
    await until(async () => (await world.audit()).reservations_open === 0, "all reservations have ended");
    expect((await world.balance(account)).reserved).toBe(0n);
    await expectCharged(world, account, load);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

test.each(drawn(["cut", "silence"] as const))(
  "a key disabled while the database answers but its announcements don't come (%s): 401 within about a second",
  async (how) => {
    world = await openWorld({ models: loadModels });
    wire = await openDatabaseProxy(world.databaseUrl);
    const gateway = await world.start({ DATABASE_DIRECT_URL: wire.url });
    const { key } = await world.createAccount("1");
    const status = async () => (await chat({ url: gateway.url, key, model: "demo/whole" })).status;
    expect(await status()).toBe(200);
    wire[how]();
    await setKeyEnabled(world.db, key, false);
    await expect.poll(status, { interval: 10 }).toBe(401); // a second, and what a busy machine adds to it
    expect(await ready(gateway.url)).toBe(200);
  },
);

oneInThree()("a gateway that hears the database again first leaves the reservations of one that has not yet: it is not dead", async () => {
  world = await openWorld({ models: {} });
  wire = await openDatabaseProxy(world.databaseUrl);
  const otherWire = await openDatabaseProxy(world.databaseUrl);
  const dbs = [wire, otherWire].map(({ url }) => connect(url, { max: 4 }));
  // Many rounds in the 9 s after which it would be dead.
  const times = { ...ledgerTimes, beatMs: 500 };
  const [first, other] = await Promise.all(dbs.map((db) => openLedger(db, () => undefined, undefined, times)));
  const { accountId } = await world.createAccount("1");
  await other!.reserve({ accountId, id: randomUUID(), want: 100n, least: 100n });
  wire.cut();
  otherWire.cut();
  await sleep(10_000); // above the 9 s after which a silent replica is taken for dead
  wire.restore();
  await until(async () => (await beatenLately()) === 1, "the first one beats again");
  await sleep(1_500); // and has had a round to sweep in
  otherWire.restore();
  await until(async () => (await beatenLately()) === 2, "the other one beats again");
  expect(await world.balance({ accountId })).toMatchObject({ reserved: 100n });
  await Promise.all([first!.close(), other!.close()]);
  for (const db of dbs) await db.close();
  await otherWire.close();
});

const beatenLately = async () => (await world.db.pool.query("select 1 from replica where seen_at > now() - interval '3 seconds'")).rowCount;
