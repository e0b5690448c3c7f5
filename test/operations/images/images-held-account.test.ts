// Many concurrent submits of one account: exactly those succeed that the balance pays for, and other accounts don't wait for them.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../../src/db/connect.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { untilWaiting } from "../../support/locks.ts";
import { heldOf, submitWorld } from "./submit-gateway.ts";

const world = submitWorld("/v1/images/generations", "img/plain");
/** Beside the gateway's own. */
let db: Db;
beforeAll(() => void (db = connect(world.gateway.databaseUrl, { max: 2 })));
afterAll(() => db.close());

test("forty submits of an account whose balance is held leave connections to the others, and go on when it is free", async () => {
  const [held, other] = [await world.account(), await world.account()];
  const holder = new pg.Client({ connectionString: world.gateway.databaseUrl }); // Postgres ends a gateway's that holds a lock for long
  await holder.connect();
  await holder.query("begin");
  await holder.query("select 1 from balance where account_id = $1 for update", [held.accountId]);
  const submits = Array.from({ length: 40 }, () => world.submit(held, {}));
  try {
    await untilWaiting(db, "media_submit", 2);
    const others = await Promise.all(Array.from({ length: 5 }, () => world.submit(other, {})));
    expect(others.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  } finally {
    await holder.end();
  }
  const replies = await Promise.all(submits);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
  expect(await world.jobsOf(held)).toHaveLength(40);
});

test("a hundred and forty submits at once where the money pays for 125: so many are held, the others are refused, nothing is left", async () => {
  const account = await world.account({ deposit: "5" });
  const replies = await Promise.all(Array.from({ length: 140 }, () => world.submit(account, {})));
  const counts = Map.groupBy(replies, ({ status }) => status);
  expect([...counts].map(([status, list]) => [status, list.length]).sort()).toEqual([
    [202, 125],
    [402, 15],
  ]);
  expect(await heldOf(world.gateway, account)).toEqual({ held: 5, balance: 0 });
  expect(await world.jobsOf(account)).toHaveLength(125);
});

test("a connection lost between the hold and the answer loses no answer: no caller pays for a job that it doesn't know of", async () => {
  const account = await world.account();
  const breaking = { part: "queue_position", code: "ECONNRESET", turns: [1] };
  const { result, seen } = await whileFailing(world.gateway.context.db, breaking, () => world.submit(account, {}));
  expect(seen).toBe(2);
  const { status, json } = result;
  expect({ status, id: json.id }).toEqual({ status: 202, id: (await world.jobsOf(account))[0]!.shown_id });
});
