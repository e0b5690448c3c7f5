// POST /v1/audio/transcriptions and money: whole minutes, the model whose price applies, the gates before it, and calls that end early.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { wavFile } from "../../simulator/audio-check.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { roundUsd } from "../../support/round-usd.ts";
import { formOf, priced, recording, settled, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const world = transcriptionWorld([
  transcriber("demo/stt", ["stt"]),
  transcriber("demo/least", ["least"], priced(0.0009, 3)),
  transcriber("demo/dust", ["dust"], priced(0.000000333333)),
  transcriber("demo/dear", ["dear"], priced(0.00405)),
  transcriber("demo/to-dear", ["to-dear+sim-fail-503"], { fallbacks: ["demo/dear"] }),
  transcriber("demo/to-cheap", ["to-cheap+sim-fail-503"], { ...priced(0.00405), fallbacks: ["demo/stt"] }),
  transcriber("demo/to-long", ["to-long+sim-fail-503"], { fallbacks: ["demo/long-minimum"] }),
  transcriber("demo/long-minimum", ["long"], priced(0.0004, 5)),
  transcriber("demo/free-chain", ["free-chain+sim-fail-503"], { fallbacks: ["demo/dear", "demo/stt"] }),
  transcriber("demo/listening", ["listening+sim-slow-1500ms"]),
  transcriber("demo/failing", ["failing+sim-fail-503"]),
]);

const short = wavFile(0.3);
const modes = ["file", "address"] as const;
type Mode = (typeof modes)[number];
const ask = (mode: Mode, account: { key: string }, fields: Record<string, string>, file = recording) =>
  mode === "file" ? world.send(account, fields, file) : world.fetch(account, { ...fields, audio_url: world.publish(file) });

describe.each(modes)("minutes of a %s", (mode) => {
  test.each([
    [0.3, "demo/stt", 1, 0.0009],
    [60, "demo/stt", 1, 0.0009],
    [60.1, "demo/stt", 1, 0.0009],
    [60.101, "demo/stt", 2, 0.0018],
    [61, "demo/stt", 2, 0.0018],
    [181, "demo/stt", 4, 0.0036],
    [61, "demo/least", 3, 0.0027],
    [181, "demo/least", 4, 0.0036],
    [61, "demo/dust", 2, 0.00000067],
  ])("%d s of %s: %i minutes, %d USD", async (seconds, model, minutes, cost) => {
    const account = await world.account();
    const { headers, json } = await ask(mode, account, { model }, wavFile(seconds));
    expect(json.billing).toEqual({ duration_sec: seconds, billable_minutes: minutes, cost_usd: cost, balance_usd: roundUsd(20 - cost) });
    expect(headers).toMatchObject({
      ...{ "x-svc-duration-sec": String(seconds), "x-svc-billable-minutes": String(minutes) },
      ...{ "x-svc-cost-usd": cost.toFixed(8).replace(/0+$/, ""), "x-svc-balance-usd": (20 - cost).toFixed(8).replace(/0+$/, "") },
    });
    expect(await world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - cost), reserved: 0, spent: cost });
  });
});

describe("another model's price", () => {
  test.each([
    ["demo/to-dear", "demo/dear", 2, 0.0018, "a dearer one costs what the asked one would have"],
    ["demo/to-cheap", "demo/stt", 2, 0.0018, "a cheaper one costs its own"],
    ["demo/to-long", "demo/long-minimum", 2, 0.0018, "a cheaper minute with a longer minimum is no bargain"],
  ])("%s: %s, %i minutes, %d USD: %s", async (model, fallback, minutes, cost) => {
    const account = await world.account();
    const { json } = await ask("file", account, { model });
    expect(json.billing).toEqual({
      duration_sec: 61.5,
      billable_minutes: minutes,
      cost_usd: cost,
      balance_usd: roundUsd(20 - cost),
      fallback,
    });
  });
});

describe.each(modes)("an account that never added credits: a %s", (mode) => {
  const newcomer = () => world.account({ signupCredit: true });

  test("200 of a model at 0.0009 USD a minute, which is free tier, paid from the signup credit", async () => {
    const account = await newcomer();
    expect((await ask(mode, account, { model: "demo/stt" })).json.billing).toMatchObject({ cost_usd: 0.0018, balance_usd: 0.4982 });
  });

  test("402 model_requires_paid of a dearer one: nothing is loaded, sent or counted", async () => {
    const account = await newcomer();
    const loaded = world.files.requests.length;
    const reply = await ask(mode, account, { model: "demo/dear" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "model_requires_paid"]);
    expect(reply.headers).not.toHaveProperty("x-ratelimit-limit-requests");
    expect([world.files.requests.length, world.sent()]).toEqual([loaded, []]);
    await world.expectUntouched(account, 0.5);
  });

  test("a fallback that it may not use is not asked; one that it may use is", async () => {
    const { headers } = await ask(mode, await newcomer(), { model: "demo/free-chain" });
    expect(headers["x-svc-fallback"]).toBe("demo/stt");
    expect(world.sent().map(({ model }) => model)).toEqual(["free-chain+sim-fail-503", "free-chain+sim-fail-503", "stt"]);
  });
});

describe("402 insufficient_credits", () => {
  test("a file that costs more than the balance is never sent", async () => {
    const account = await world.account({ deposit: "0.001" });
    const reply = await ask("file", account, { model: "demo/stt" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "insufficient_credits"]);
    expect(reply.json).toMatchObject({ need_usd: 0.0018, have_usd: 0.001, held_usd: 0, required: 0.0018, balance: 0.001 });
    expect(reply.headers["x-ratelimit-remaining-requests"]).toBe("1000000");
    expect(world.sent()).toEqual([]);
    expect(await world.logOf(reply)).toBeUndefined();
    await world.expectUntouched(account, 0.001);
  });

  test("an address is not loaded for an account that can't pay one minute", async () => {
    const account = await world.account({ deposit: "0.0008" });
    const loaded = world.files.requests.length;
    const reply = await ask("address", account, { model: "demo/stt" }, short);
    expect([reply.status, reply.json.error.code, reply.json.need_usd]).toEqual([402, "insufficient_credits", 0.0009]);
    expect(world.files.requests.length).toBe(loaded);
    await world.expectUntouched(account, 0.0008);
  });

  test("the cost of a recording at an address is refused once it is measured, not counting the call's own hold", async () => {
    const account = await world.account({ deposit: "0.001" });
    const reply = await ask("address", account, { model: "demo/stt" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "insufficient_credits"]);
    expect(reply.json).toMatchObject({ need_usd: 0.0018, have_usd: 0.001, held_usd: 0 });
    expect(world.sent()).toEqual([]);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: 402, cost: 0n });
    await world.expectUntouched(account, 0.001);
    await world.expectNothingOnDisk();
  });

  test.each(modes)("calls at once never spend more than there is, to the last minute: a %s", async (mode) => {
    const account = await world.account({ deposit: "0.0045" });
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask(mode, account, { model: "demo/stt" }, short)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(5).fill(200), ...Array<number>(7).fill(402)]);
    expect(await world.gateway.balance(account)).toEqual({ balance: 0, reserved: 0, spent: 0.0045 });
  });
});

describe.each(modes)("402 key_limit_reached: a %s", (mode) => {
  test("the key's own budget does not reach, though the account's balance does", async () => {
    const account = await world.account();
    await limitKey(account, 100_000n);
    const reply = await ask(mode, account, { model: "demo/stt" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "key_limit_reached"]);
    expect(reply.json).toMatchObject({ need_usd: 0.0018, have_usd: 0.001 });
    expect(world.sent()).toEqual([]);
    expect((await ask(mode, account, { model: "demo/stt" }, short)).status).toBe(200);
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.9991, reserved: 0, spent: 0.0009 });
  });
});

describe("a client that disconnects leaves no file", () => {
  test.each(modes)("while the model listens: it pays for what the model heard, a %s", async (mode) => {
    const account = await world.account();
    await leave(account, mode, "demo/listening", () => expect(world.gateway.simulator.counters().received).toBe(1));
    expect(await settled(world, account)).toMatchObject({ status: "aborted", http_status: 499, error_code: null, cost: 180_000n });
    expect(world.gateway.simulator.counters().answered).toBe(1);
    await world.expectNothingOnDisk();
  });

  test("between the first try and the second: it pays nothing, and there is no second", async () => {
    const account = await world.account();
    await leave(account, "file", "demo/failing", () => expect(world.gateway.simulator.counters().answered).toBe(1));
    const row = await expectLeft(account);
    expect(row.attempts.map(({ outcome }) => outcome)).toEqual(["unavailable", "aborted"]);
    expect(world.gateway.simulator.counters().received).toBe(1);
  });

  test("while an address is loaded: it pays nothing, and the host's connection is closed", async () => {
    const account = await world.account();
    let begun: ServerResponse | undefined;
    const audio_url = world.publish((_, res) => {
      begun = res;
      res.write(recording.subarray(0, 1000));
    });
    const controller = new AbortController();
    const asking = world.fetch(account, { model: "demo/stt", audio_url }, { signal: controller.signal });
    const left = expect(asking).rejects.toThrow();
    await eventually(() => expect(begun).toBeDefined());
    expect(world.onDisk()).toHaveLength(1);
    const closed = once(begun!, "close");
    controller.abort();
    await Promise.all([left, closed]);
    await expectLeft(account);
  });

  test("while its file comes in: it pays nothing, for it never was a call", async () => {
    const account = await world.account();
    const { body, type } = await formOf({ model: "demo/stt" }, recording);
    const { hostname, port } = new URL(world.gateway.url);
    const socket = connect(Number(port), hostname);
    const head = [
      ...["POST /v1/audio/transcriptions HTTP/1.1", `host: ${hostname}`, `authorization: Bearer ${account.key}`],
      ...[`content-type: ${type}`, `content-length: ${body.length}`],
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write(body.subarray(0, 100_000));
    await eventually(() => expect(world.onDisk()).toHaveLength(1));
    socket.destroy();
    await world.expectNothingOnDisk();
    await world.expectUntouched(account);
  });
});

/** Sends the request and disconnects as soon as `met` returns true. */
async function leave(account: TestAccount, mode: Mode, model: string, met: () => void): Promise<void> {
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const asking = mode === "file" ? world.send(account, { model }, recording, options) : world.fetch(account, { model }, options);
  const left = expect(asking).rejects.toThrow();
  await eventually(met, 5);
  controller.abort();
  await left;
}

async function expectLeft(account: TestAccount) {
  const row = await settled(world, account);
  expect(row).toMatchObject({ status: "aborted", http_status: 499, error_code: null, cost: 0n });
  await world.expectUntouched(account);
  await world.expectNothingOnDisk();
  return row;
}

/** The account's default key gets the limit, in 1e-8 USD. */
async function limitKey({ accountId }: TestAccount, limit: bigint): Promise<void> {
  await world.gateway.context.db.pool.query("update key_budget set limit_amount = $2 where account_id = $1", [accountId, limit]);
}
