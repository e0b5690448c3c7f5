// The client disconnects while the gateway waits for the database: between the last content and [DONE], or before its call
// was admitted at all. A lock on the account's balance holds the gateway in exactly that moment.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { catalogText } from "./catalog.ts";
import { leaveAfter, openChat } from "./chat-client.ts";

/** What the simulator says of the prompt, and 12 tokens, at 100 and 200 units each. */
const wholeCost = 7n * 100n + 12n * 200n;

let gateway: Gateway;
let locker: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({
    catalog: catalogText("simulator:", { plain: "plain+sim-tokens-12", gate: "gate+sim-slow-300ms+sim-tokens-12" }),
  });
  locker = new pg.Client({ connectionString: gateway.databaseUrl });
  await locker.connect();
});
afterAll(async () => {
  await locker.end();
  await gateway.stop();
});

async function whileBalanceIsLocked(account: TestAccount, work: () => Promise<void>): Promise<void> {
  await locker.query("begin");
  await locker.query("select from balance where account_id = $1 for update", [account.accountId]);
  try {
    await work();
  } finally {
    await locker.query("rollback");
  }
}

const waitsForLock = async () =>
  ((await locker.query("select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")).rowCount ?? 0) >
  0;
const logRows = async ({ accountId }: TestAccount) =>
  (await gateway.context.db.pool.query("select * from usage_log where account_id = $1", [accountId])).rows as {
    status: string;
    cost: bigint;
  }[];
const answered = () => gateway.simulator.counters().answered;

describe("a client that disconnects while its charge is being written", () => {
  test.each([{ stream: true }, { stream: false }])("pays for the whole answer, once (streamed: $stream)", async ({ stream }) => {
    const account = await gateway.createAccount({ deposit: "10" });
    const before = answered();
    const call = openChat({ url: gateway.url, key: account.key, model: "demo/gate", stream });
    await until(async () => (await gateway.balance(account)).reserved > 0, "the call is admitted");
    await whileBalanceIsLocked(account, async () => {
      if (stream) await leaveAfter(call, 14); // role, 12 tokens, finish reason: all but usage and [DONE]
      await until(() => answered() === before + 1, "the upstream has answered");
      await until(waitsForLock, "the charge waits");
      call.destroy();
    });
    await until(async () => (await logRows(account)).length > 0, "the request is logged");
    expect(await logRows(account)).toMatchObject([{ status: "success", cost: wholeCost }]);
    expect(await gateway.balance(account)).toMatchObject({ reserved: 0, spent: Number(wholeCost) / 1e8 });
  });
});

test("a client that disconnects while its reservation is being made: no upstream call, nothing charged, no hold stays", async () => {
  const account = await gateway.createAccount({ deposit: "10" });
  const before = gateway.simulator.counters().received;
  await whileBalanceIsLocked(account, async () => {
    const call = openChat({ url: gateway.url, key: account.key, model: "demo/plain" });
    await until(waitsForLock, "the reservation waits");
    call.destroy();
    await until(
      async () => /^svc_abandoned_requests 1$/m.test((await gateway.request("GET", "/metrics")).text),
      "the gateway has heard of it",
    );
  });
  await until(async () => (await logRows(account)).length > 0, "the request is logged");
  expect(await logRows(account)).toMatchObject([{ status: "aborted", cost: 0n }]);
  expect(await gateway.balance(account)).toMatchObject({ reserved: 0, spent: 0 });
  expect(gateway.simulator.counters().received).toBe(before);
});

test("the audit is clean after all of it", async () => {
  expect(await gateway.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
});
