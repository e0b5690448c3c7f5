// POST /v1/audio/speech, streamed: the head shows the balance after the charge, which is committed before the end; an interrupted stream ends
// without a proper end and is free; a caller who disconnects pays for what was asked of a provider.
import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { operations } from "../../../generated/operations.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { memory } from "../../support/memory.ts";
import { roundUsd } from "../../support/round-usd.ts";
import { familyA, familyB, listen, priceA, priceB, sentence, speechWorld } from "./speech-gateway.ts";
import { oneInThree } from "../../support/size.ts";

const world = speechWorld([
  familyA("demo/a"),
  familyA("demo/a-paced", ["multilingual+sim-pace-50ms"]),
  familyA("demo/a-slow", ["multilingual+sim-slow-1500ms"]),
  familyA("demo/a-stalled", ["multilingual+sim-stall-after-3"]),
  familyA("demo/a-cut", ["multilingual+sim-cut-after-3", "multilingual"]),
  familyA("demo/a-long", ["multilingual+sim-seconds-600"]),
  familyB("demo/b"),
  familyB("demo/b-paced", ["speech-hd+sim-pace-50ms"]),
  familyB("demo/b-hanging", ["speech-hd+sim-hang"]),
  familyB("demo/b-stalled", ["speech-hd+sim-stall-after-3"]),
  familyB("demo/b-cut", ["speech-hd+sim-cut-after-3", "speech-hd"]),
  familyB("demo/b-ended", ["speech-hd+sim-end-after-3", "speech-hd"]),
  familyB("demo/b-error", ["speech-hd+sim-error-after-3", "speech-hd"]),
]);

const families = [
  ["a", sentence.length * 0.000405],
  ["b", sentence.length * 0.00007],
] as const;
const body = (model: string, more: object = {}) => ({ model: `demo/${model}`, input: sentence, stream: true, ...more });

describe("a stream that ends", () => {
  test.each(families)("of family %s: the head shows the balance after the charge", async (family, cost) => {
    const account = await world.account();
    const { headers, outcome } = await listen(world, account, body(family));
    expect(outcome).toBe("whole");
    expect(headers).not.toHaveProperty("content-length");
    expect(headers).toMatchObject({ "x-svc-cost-usd": String(roundUsd(cost)), "x-svc-balance-usd": String(roundUsd(20 - cost)) });
    expect(await world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - cost), reserved: 0, spent: roundUsd(cost) });
  });

  test("its last byte waits for the charge", async () => {
    const whole = await listen(world, await world.account(), body("a"));
    const { ledger } = world.gateway.context;
    const really = ledger.settle;
    const gate = Promise.withResolvers<void>();
    const settle = vi.spyOn(ledger, "settle").mockImplementation(async (settlement) => {
      await gate.promise;
      return really(settlement);
    });
    let got = 0;
    const listening = listen(world, await world.account(), body("a"), (size) => {
      got = size;
      return false;
    });
    await expect.poll(() => got).toBe(whole.bytes.length - 1);
    expect(settle).toHaveBeenCalledTimes(1);
    gate.resolve();
    const { bytes, outcome } = await listening;
    settle.mockRestore();
    expect(outcome).toBe("whole");
    expect(bytes.equals(whole.bytes)).toBe(true);
  });

  test("a charge that can't be made ends the connection without an end", async () => {
    const account = await world.account();
    const { result } = await whileFailing(world.gateway.context.db, { part: "ledger_settle", code: "XX000" }, () =>
      listen(world, account, body("a")),
    );
    const { outcome, bytes } = result;
    expect(outcome).toBe("broken");
    expect(bytes.length).toBeGreaterThan(0);
    await release(account.accountId);
  });
});

/** What a killed process would leave: its hold, which ends by itself. */
async function release(accountId: bigint): Promise<void> {
  const { pool } = world.gateway.context.db;
  await pool.query("update hold set expires_at = now() - interval '1 minute' where account_id = $1", [accountId]);
  await pool.query("select ledger_sweep('1 minute')");
}

describe("an interrupted stream", () => {
  test.each([["a-cut"], ["b-cut"], ["b-ended"], ["b-error"]])(
    "%s: ends without a proper end, tries nothing else, costs nothing and is logged as tts_failed",
    async (model) => {
      const account = await world.account();
      const { status, outcome, bytes } = await listen(world, account, body(model));
      expect([status, outcome]).toEqual([200, "broken"]);
      expect(bytes.length).toBeGreaterThan(0);
      expect(await world.onlyLog(account)).toMatchObject({
        status: "failed",
        http_status: 200,
        error_code: "tts_failed",
        cost: 0n,
        units: "0",
        attempts: [{ outcome: "interrupted" }],
      });
      await world.expectUntouched(account);
    },
  );
});

describe("over HTTP/1.0, where a body ends with its connection", () => {
  test.each([
    ["demo/a", "whole", 3_645_000n],
    ["demo/a-cut", "reset", 0n],
  ])("%s: %s", async (model, end, cost) => {
    const account = await world.account();
    const asked = JSON.stringify(body(model.slice("demo/".length)));
    const socket = connect(Number(new URL(world.gateway.url).port), "127.0.0.1");
    const ended = new Promise<string>((resolve) => {
      socket.on("end", () => resolve("whole")).on("error", () => resolve("reset"));
    });
    socket.resume();
    socket.write(
      `POST ${operations.createSpeech.path} HTTP/1.0\r\nauthorization: Bearer ${account.key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(asked)}\r\n\r\n${asked}`,
    );
    expect(await ended).toBe(end);
    expect(await world.onlyLog(account)).toMatchObject({ cost });
  });
});

describe("a caller who disconnects", () => {
  test.each([
    ["a-slow", priceA],
    ["b-hanging", priceB],
  ])("%s, before the first byte: pays the whole text, which the provider has, and the upstream call is cancelled", async (model, price) => {
    const account = await world.account();
    const controller = new AbortController();
    const reading = world.gateway.request("POST", "/v1/audio/speech", {
      key: account.key,
      body: body(model),
      signal: controller.signal,
    });
    const left = expect(reading).rejects.toThrow();
    await expect.poll(() => world.gateway.simulator.counters().received).toBe(1);
    controller.abort();
    await left;
    expect(await world.onlyLog(account)).toMatchObject({
      status: "aborted",
      http_status: 499,
      cost: BigInt(Math.round((sentence.length * price * 1e8) / 1000)),
    });
    await expect.poll(() => world.gateway.simulator.counters().aborted).toBe(1);
  });

  test.each(families.flatMap(([family, cost]) => ["paced", "stalled"].map((how) => [`${family}-${how}`, cost] as const)))(
    "%s, midway: pays the whole text, which was made for it, and the upstream call is cancelled",
    async (model, cost) => {
      const account = await world.account();
      const { outcome } = await listen(world, account, body(model), (size) => size > 0);
      expect(outcome).toBe("left");
      expect(await world.onlyLog(account)).toMatchObject({
        status: "aborted",
        http_status: 499,
        cost: BigInt(Math.round(cost * 1e8)),
        units: String(sentence.length),
        error_code: null,
      });
      expect(await world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - cost), reserved: 0, spent: roundUsd(cost) });
      await expect.poll(() => world.gateway.simulator.counters()).toMatchObject({ aborted: 1, answered: 0 });
    },
  );

  test("after the end: has paid once, for all of it", async () => {
    const account = await world.account();
    const whole = await listen(world, account, body("b"));
    const other = await world.account();
    await listen(world, other, body("b"), (size) => size === whole.bytes.length);
    expect(await world.onlyLog(other)).toMatchObject({ status: expect.stringMatching(/success|aborted/), cost: 630_000n });
    expect((await world.gateway.balance(other)).spent).toBe(0.0063);
  });
});

/** Of the simulator. */
const pieceBytes = 16_381;
/** What the kernel takes for two connections over the loopback, some 8 MB in each direction, and what HTTP parts hold back. */
const underWayMax = 40 * 1024 * 1024;

/** Resolves with a figure once it has grown and then stayed for a second. */
async function standsStill(figure: () => number): Promise<number> {
  for (let last = -1, same = 0; same < 10;) {
    await new Promise((done) => setTimeout(done, 100));
    const now = figure();
    same = now > 0 && now === last ? same + 1 : 0;
    last = now;
  }
  return figure();
}

describe("a reader who takes nothing", () => {
  oneInThree()("holds the upstream back: 52 MB don't come to lie in the gateway", async () => {
    const account = await world.account();
    await listen(world, account, body("a-long", { response_format: "pcm_44100" })); // what the simulator itself keeps of it
    world.gateway.simulator.reset();
    const before = memory();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const socket = connect(Number(new URL(world.gateway.url).port), "127.0.0.1");
    socket.on("close", () => resolve()).on("error", () => undefined);
    const asked = JSON.stringify(body("a-long", { response_format: "pcm_44100" }));
    socket.pause();
    socket.write(
      `POST ${operations.createSpeech.path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${account.key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(asked)}\r\n\r\n${asked}`,
    );
    const sent = await standsStill(() => world.gateway.simulator.calls()[0]?.records ?? 0);
    expect(sent * pieceBytes).toBeLessThan(underWayMax);
    expect(memory() - before).toBeLessThan(underWayMax);
    expect(world.gateway.simulator.counters().answered).toBe(0);
    socket.destroy();
    await closed;
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
    expect((await world.gateway.balance(account)).spent).toBe(roundUsd(2 * sentence.length * 0.000405));
    await expect.poll(() => world.gateway.simulator.counters().aborted).toBe(1);
  });
});
