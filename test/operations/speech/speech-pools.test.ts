// Slots and money of speech, music and sound effects: one pool for the three of them, one maximum for all audio, a hold for each call.
import { afterEach, describe, expect, test } from "vitest";
import { shippedTiers } from "../../../src/catalog/tiers.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { roundUsd } from "../../support/round-usd.ts";
import { audioProviders, familyA, familyB, perSecond, soundModel, speechWorld } from "./speech-gateway.ts";

const unreachable = { rpm: 1_000_000, per_model_rpm: 1_000_000, tpm: 1_000_000_000, max_single_request: 1_000_000_000 };
const slots = (all: number, speech: number) =>
  shippedTiers.map((tier) => ({
    ...tier,
    ...unreachable,
    audio_concurrent: all,
    audio_concurrent_per_capability: { transcription: 1, understanding: 2, speech },
  }));
const models = [
  familyA("demo/a"),
  familyA("demo/a-hanging", ["multilingual+sim-hang"]),
  familyB("demo/b-hanging", ["speech-hd+sim-hang"]),
  perSecond("demo/score"),
  perSecond("demo/score-hanging", ["music+sim-hang"]),
  soundModel("demo/sounds"),
  {
    id: "demo/scribe",
    type: "transcription",
    pricing: { mode: "per-minute", usd_per_minute: 0.01 },
    routes: [{ provider: "north", model: "transcribe+sim-hang" }],
  },
  soundModel("demo/sounds-hanging", ["sound-effects+sim-hang"]),
];
const defaults = { speech: "demo/a", music: "demo/score", sfx: "demo/sounds" };
/** A call that hangs ends when its caller disconnects. */
const providers = audioProviders.map((provider) => ({ ...provider, on_disconnect: "cancel" }));
const pooled = speechWorld(models, { providers, tiers: slots(5, 2), defaults });
const crowded = speechWorld(models, { providers, tiers: slots(1, 2), defaults });
const closed = speechWorld(models, { providers, tiers: slots(0, 2), defaults });

const input = "Hello";
const kinds = [
  ["speech", "demo/a-hanging", { input }],
  ["speech", "demo/b-hanging", { input }],
  ["music", "demo/score-hanging", { prompt: input }],
  ["sfx", "demo/sounds-hanging", { prompt: input }],
] as const;

let leaving: AbortController[] = [];
afterEach(() => {
  for (const controller of leaving) controller.abort();
  leaving = [];
});

/** A call that holds its slot until the test ends; returns how to end it before. */
function occupy(world: typeof pooled, account: TestAccount, [path, model, body]: (typeof kinds)[number]): Promise<() => Promise<void>> {
  return hold(world, account, (signal) =>
    world.gateway.request("POST", `/v1/audio/${path}`, { key: account.key, body: { model, ...body }, signal }),
  );
}

async function hold(
  world: typeof pooled,
  account: TestAccount,
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const controller = new AbortController();
  leaving.push(controller);
  const { simulator } = world.gateway;
  const before = simulator.counters();
  const asking = ask(controller.signal).catch(() => undefined);
  await expect.poll(() => simulator.counters().received).toBe(before.received + 1);
  return async () => {
    controller.abort();
    await asking;
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
  };
}

/** A transcription that holds its slot until the test ends. */
function transcribe(world: typeof pooled, account: TestAccount): Promise<() => Promise<void>> {
  const form = new FormData();
  form.set("model", "demo/scribe");
  form.set("file", new Blob([new Uint8Array(wavFile(2))]), "two.wav");
  return hold(world, account, (signal) =>
    fetch(`${world.gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}` },
      body: form,
      signal,
    }),
  );
}

describe("429 audio_concurrent_limit", () => {
  const pairs = kinds.flatMap((first) => kinds.map((second) => [first[1], second[1], first, second] as const));
  test.each(pairs)("%s and %s fill the pool of two for speech, music and sounds alike", async (_one, _two, first, second) => {
    const account = await pooled.account();
    const end = await occupy(pooled, account, first);
    await occupy(pooled, account, second);
    for (const [path, body] of [
      ["speech", { input }],
      ["music", { prompt: input }],
      ["sfx", { prompt: input }],
    ] as const) {
      const reply = await pooled.ask(account, body, path);
      expect([reply.status, reply.json.error.code]).toEqual([429, "audio_concurrent_limit"]);
      expect(reply.headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
      expect(reply.headers).toHaveProperty("x-ratelimit-remaining-requests");
      expect(reply.headers).not.toHaveProperty("retry-after-ms");
      expect(await pooled.logOf(reply)).toBeUndefined();
    }
    expect((await pooled.ask(await pooled.account(), { input })).status).toBe(200); // others have slots of their own
    await expect.poll(async () => (await pooled.gateway.balance(account)).reserved).toBeGreaterThan(0);
    leaving[1]!.abort();
    await end();
    expect((await pooled.ask(account, { input })).status).toBe(200);
  });

  test("the total over all audio is a limit of its own", async () => {
    const account = await crowded.account();
    await occupy(crowded, account, kinds[0]);
    const reply = await crowded.ask(account, { prompt: input }, "music");
    expect([reply.status, reply.json.error.code]).toEqual([429, "audio_concurrent_limit"]);
    expect(reply.json.error.message).toContain("1 concurrent");
  });

  test("a transcription takes of the total, never of the pool of speech", async () => {
    const account = await crowded.account();
    const transcribing = await transcribe(crowded, account);
    const reply = await crowded.ask(account, { input });
    expect([reply.status, reply.json.error.code]).toEqual([429, "audio_concurrent_limit"]);
    await transcribing();
    expect((await crowded.ask(account, { input })).status).toBe(200);

    const other = await pooled.account();
    await transcribe(pooled, other);
    expect((await pooled.ask(other, { input })).status).toBe(200);
    await occupy(pooled, other, kinds[0]);
    await occupy(pooled, other, kinds[2]);
    expect((await pooled.ask(other, { input })).status).toBe(429);
  });

  test("403 permission_denied where the tier has none at all", async () => {
    const account = await closed.account();
    for (const [path, body] of [
      ["speech", { input }],
      ["music", { prompt: input }],
      ["sfx", { prompt: input }],
    ] as const) {
      const reply = await closed.ask(account, body, path);
      expect([reply.status, reply.json.error.code]).toEqual([403, "permission_denied"]);
    }
    await closed.expectUntouched(account);
  });

  test("twenty at once, two slots: two are served, the books are exact", async () => {
    const account = await pooled.account();
    const end = await occupy(pooled, account, kinds[0]);
    const replies = await Promise.all(Array.from({ length: 20 }, () => pooled.ask(account, { input })));
    const served = replies.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(replies.every(({ status }) => status === 200 || status === 429)).toBe(true);
    await end();
    // The one that was left is paid like those that were served.
    expect((await pooled.gateway.balance(account)).spent).toBe(Math.round((served + 1) * 5 * 40_500) / 1e8);
  });
});

describe("402", () => {
  test("insufficient_credits: to the last 0.00000001 USD, with everything that explains it", async () => {
    const poor = await pooled.account({ deposit: "0.00202499" });
    const reply = await pooled.ask(poor, { input });
    expect([reply.status, reply.json.error.code]).toEqual([402, "insufficient_credits"]);
    expect(reply.json).toMatchObject({ need_usd: 0.002025, have_usd: 0.00202499, required: 0.002025, balance: 0.00202499 });
    expect(reply.json).toHaveProperty("topup_url");
    await pooled.expectUntouched(poor, 0.00202499);
    const exact = await pooled.account({ deposit: "0.002025" });
    expect((await pooled.ask(exact, { input })).headers["x-svc-balance-usd"]).toBe("0");
  });

  test("what other calls hold can't be spent twice", async () => {
    const account = await pooled.account({ deposit: "0.003" });
    await occupy(pooled, account, kinds[0]);
    const reply = await pooled.ask(account, { input });
    expect(reply.json).toMatchObject({ error: { code: "insufficient_credits" }, held_usd: 0.002025 });
  });

  test("model_requires_paid: an account that never added credits, though its gift would do", async () => {
    const account = await pooled.account({ signupCredit: true });
    const reply = await pooled.ask(account, { input });
    expect([reply.status, reply.json.error.code]).toEqual([402, "model_requires_paid"]);
    await pooled.expectUntouched(account, 0.5);
  });
});

describe("a key's own budget", () => {
  test.each([
    ["speech", { input }, 300_000n],
    ["music", { prompt: input, response_format: "mp3_22050_32" }, 405_000_000n],
    ["sfx", { prompt: input }, 5_000_000n],
  ])("%s: 402 key_limit_reached above it, and what was spent counts", async (path, body, limit) => {
    const account = await pooled.account();
    const { pool } = pooled.gateway.context.db;
    await pool.query("update key_budget set limit_amount = $2 where account_id = $1", [account.accountId, limit]);
    const first = await pooled.ask(account, body, path);
    expect(first.status).toBe(200);
    const { spent } = await pooled.gateway.balance(account);
    const reply = await pooled.ask(account, body, path);
    expect([reply.status, reply.json.error.code]).toEqual([402, "key_limit_reached"]);
    expect(await pooled.gateway.balance(account)).toEqual({ balance: roundUsd(20 - spent), reserved: 0, spent });
  });
});
