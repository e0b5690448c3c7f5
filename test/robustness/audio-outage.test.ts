// The database goes away while audio is made: what is whole waits for its charge and then reaches its caller, paid for once; what can't be
// held for any more is refused, free (docs/behaviour/billing.md#ends).
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sentence } from "../operations/speech/speech-gateway.ts";
import { until } from "../support/eventually.ts";
import { askAudio } from "./audio-client.ts";
import { type AudioWorld, code, json, manySlots, music, openAudioWorld, speech } from "./audio-world.ts";
import { type DatabaseProxy, openDatabaseProxy } from "./database-proxy.ts";

let world: AudioWorld;
let wire: DatabaseProxy;
beforeAll(async () => {
  world = await openAudioWorld();
  wire = await openDatabaseProxy(world.databaseUrl);
});
afterAll(async () => {
  wire.restore();
  await world.stop();
  await wire.close();
});

test.each(["cut", "silence"] as const)("a database that is away (%s)", async (how) => {
  const gateway = await world.startWith(manySlots, { DATABASE_URL: wire.url });
  const { accountId, key } = await world.createAccount("20");
  const before = world.simulator.calls().length;
  const said = [
    ...[speech("a"), speech("b"), json("speech", { model: "demo/b-slow", input: sentence }), music("score", "?save_to_blob=1")],
    ...[world.inForm("stt-slow"), json("voice-design", { model: "demo/design", description: "An old sailor" })],
  ];
  const asked = said.map((one) => askAudio({ ...one, url: gateway.url, key }));
  const late = askAudio({ ...world.atAddress("stt", "slow"), url: gateway.url, key }); // it is measured during the outage
  const allAreOut = () => world.simulator.calls().length === before + said.length && world.waitingSlow() === 1;
  await until(allAreOut, "all are with their providers, and the recording is being loaded");
  wire[how]();
  world.answerSlow();
  await sleep(8_000); // the recording is measured in the first half of it
  wire.restore();
  const heard = await Promise.all(asked);
  expect(heard.map(({ status, outcome }) => [status, outcome])).toEqual(said.map(() => [200, "whole"]));
  const refused = await late;
  expect([refused.status, code(refused)]).toEqual([503, "overloaded"]);
  await world.expectClean();
  const { rows } = await world.db.pool.query<{ status: string; cost: bigint }>(
    "select status, cost from usage_log where account_id = $1 order by cost",
    [accountId],
  );
  const success = (cost: bigint) => ({ status: "success", cost });
  expect(rows).toEqual([
    { status: "failed", cost: 0n },
    ...[180_000n, 630_000n, 630_000n, 3_645_000n, 33_750_000n, 42_000_000n].map(success),
  ]);
  expect(await world.balance({ accountId })).toMatchObject({ available: 2_000_000_000n - 80_835_000n, spent: 80_835_000n, reserved: 0n });
  expect(await gateway.kill("SIGTERM")).toBe(0);
});
