// Speech, music and transcriptions at once over two gateways on one database: slots and money exact to the call.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sentence } from "../operations/speech/speech-gateway.ts";
import { until } from "../support/eventually.ts";
import { askAudio, type AudioHeard } from "./audio-client.ts";
import { type AudioWorld, code, fewSlots, json, manySlots, music, openAudioWorld, speech } from "./audio-world.ts";

let world: AudioWorld;
beforeAll(async () => void (world = await openAudioWorld()));
afterAll(() => world.stop());

async function rowsOf(accountId: bigint): Promise<Record<string, unknown>[]> {
  const { rows } = await world.db.pool.query("select * from usage_log where account_id = $1", [accountId]);
  return rows as Record<string, unknown>[];
}

/** Calls, as the limits count them. */
async function countedOf(accountId: bigint): Promise<bigint> {
  const { rows } = await world.db.pool.query<{ n: bigint }>(
    "select coalesce(sum(n), 0)::bigint as n from rate_window where account_id = $1 and bucket = 'rpm'",
    [accountId],
  );
  return rows[0]!.n;
}

test("of thirty calls of all kinds at once exactly five run, of each kind as many as it has; the rest count for nothing", async () => {
  // A call that hangs ends when its caller disconnects.
  const start = () => world.startWith(fewSlots, {}, { on_disconnect: "cancel" });
  const gateways = await Promise.all([start(), start()]);
  const { accountId, key } = await world.createAccount("20");
  const hanging = [
    speech("a-hanging"),
    music("score-hanging"),
    world.inForm("stt-hanging"),
    world.atAddress("stt-hanging"),
    speech("a-hanging"),
  ];
  for (let round = 0; round < 3; round++) {
    const refused: AudioHeard[] = [];
    const waiting: Promise<unknown>[] = [];
    const leaving = Promise.withResolvers<void>();
    for (let call = 0; call < 30; call++) {
      const said = hanging[(call + round) % hanging.length]!;
      const asking = askAudio({ ...said, url: gateways[call % 2]!.url, key, leave: { after: leaving.promise, reset: call % 3 === 0 } });
      waiting.push(asking.then((heard) => void (heard.status > 0 && refused.push(heard))));
    }
    await until(() => refused.length === 25, "all others are refused");
    const held = await world.db.pool.query<{ pool: string; n: number }>(
      "select pool, count(*)::int as n from hold where account_id = $1 group by 1",
      [accountId],
    );
    const byPool = Object.fromEntries(held.rows.map(({ pool, n }) => [pool, n]));
    expect(byPool["speech"]! + byPool["transcription"]!).toBe(5);
    expect(byPool["speech"]).toBeLessThanOrEqual(4);
    expect(byPool["transcription"]).toBeLessThanOrEqual(3);
    expect(new Set(refused.map((heard) => `${heard.status} ${code(heard)}`))).toEqual(new Set(["429 audio_concurrent_limit"]));
    leaving.resolve();
    await Promise.all(waiting);
    await until(async () => (await rowsOf(accountId)).length === 5 * (round + 1), "those that ran are logged, and nobody else");
  }
  await expect.poll(() => countedOf(accountId)).toBe(15n);
  // Who leaves pays for what the provider had begun to make; a request that had not left yet is free.
  const rows = await rowsOf(accountId);
  expect(rows.filter(({ status }) => status !== "aborted")).toEqual([]);
  const spent = rows.reduce((sum, { cost }) => sum + (cost as bigint), 0n);
  expect(spent).toBeGreaterThan(0n);
  expect(await world.balance({ accountId })).toMatchObject({ available: 2_000_000_000n - spent, reserved: 0n, spent });
  await world.expectClean();
  await Promise.all(gateways.map((gateway) => gateway.kill("SIGTERM")));
});

test("of sixty calls at once exactly those run that can be paid, streamed and whole, mixed", async () => {
  const gateways = await Promise.all([world.startWith(manySlots), world.startWith(manySlots)]);
  const price = 90 * 7_000; // of the sentence, with family B
  const { accountId, key } = await world.createAccount(((11 * price + 1) / 1e8).toFixed(8));
  const said = [speech("b"), json("speech", { model: "demo/b", input: sentence })];
  const heard = await Promise.all(
    Array.from({ length: 60 }, (_, call) => askAudio({ ...said[call % 2]!, url: gateways[(call >> 1) % 2]!.url, key })),
  );
  expect(heard.filter(({ status, outcome }) => status === 200 && outcome === "whole")).toHaveLength(11);
  expect(heard.filter((one) => one.status === 402 && code(one) === "insufficient_credits")).toHaveLength(49);
  expect(await world.balance({ accountId })).toMatchObject({ available: 1n, reserved: 0n, spent: BigInt(11 * price) });
  await world.expectClean();
  await Promise.all(gateways.map((gateway) => gateway.kill("SIGTERM")));
});
