// Key operations, each a transaction, while the database closes connections: the process survives, and every reply is valid.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../../src/db/connect.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
let killer: Db;
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
  killer = connect(gateway.databaseUrl, { max: 1, applicationName: "killer" });
});
afterAll(async () => {
  await killer.close();
  await gateway.stop();
});

test("connections that end in the middle of a transaction: the answer is right or 503, and the next one works", async () => {
  const account = await gateway.createAccount();
  const { token: key } = await gateway.createSession(account);
  const create = () => gateway.request("POST", "/v1/auth/keys", { key, body: { name: "laptop" } });
  let asking = true;
  const killing = (async () => {
    while (asking) {
      await killer.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'svc'",
      );
      await sleep(3);
    }
  })();
  const replies = [];
  for (let round = 0; round < 20; round++) replies.push(...(await Promise.all(Array.from({ length: 8 }, create))));
  asking = false;
  await killing;
  expect(replies.filter(({ status, json }) => status >= 400 && json.error.code !== "overloaded")).toEqual([]);
  expect(replies.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
  await expect.poll(async () => (await create()).status).toBe(200);
});
