// One account's submits while somebody holds its balance: nobody else's wait for them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { untilWaiting } from "../support/locks.ts";
import { submitWorld } from "./submit-gateway.ts";

const world = submitWorld("/v1/images/generations", "img/plain");
/** Beside the gateway's own. */
let db: Db;
beforeAll(() => void (db = connect(world.gateway.databaseUrl, { max: 2 })));
afterAll(() => db.close());

test("forty submits of an account that is held leave connections to the others, and go on when it is free", async () => {
  const [held, other] = [await world.account(), await world.account()];
  const holder = await db.pool.connect();
  await holder.query("begin");
  await holder.query("select 1 from balance where account_id = $1 for update", [held.accountId]);
  const submits = Array.from({ length: 40 }, () => world.submit(held, {}));
  await untilWaiting(db, "media_submit", 2);
  const others = await Promise.all(Array.from({ length: 5 }, () => world.submit(other, {})));
  expect(others.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  await holder.query("rollback");
  holder.release();
  const replies = await Promise.all(submits);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
  expect(await world.jobsOf(held)).toHaveLength(40);
});
