// GET /v1/audio/voices: each provider is asked once in 5 minutes, however many requests come, and at most every other second while it fails.
import { describe, expect, test } from "vitest";
import { UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import type { ProviderVoice } from "../../../src/providers/verbs/audio.ts";
import { startGateway } from "../../support/gateway.ts";
import { voice, voicesWorld } from "./voices-gateway.ts";

const world = voicesWorld();
const both = (list: () => Promise<ProviderVoice[]>) =>
  Object.assign(world.families.a, { list }) && Object.assign(world.families.b, { list });
const reads = () => [world.families.a.reads, world.families.b.reads];
const cacheOf = async (account: Parameters<typeof world.list>[0], query?: string) =>
  (await world.list(account, query)).headers["x-svc-cache"];
const minutes = 60_000;

test("200 callers at once: the provider is asked once, and each of them gets its voices", async () => {
  const gate = Promise.withResolvers<void>();
  world.families.a.list = async () => {
    await gate.promise;
    return [voice("one")];
  };
  const account = await world.gateway.createAccount();
  const asked = Array.from({ length: 200 }, () => world.list(account));
  setTimeout(gate.resolve, 50);
  const replies = await Promise.all(asked);
  expect(reads()).toEqual([1, 0]);
  expect(replies.every(({ status, json }) => status === 200 && json.data.length === 1)).toBe(true);
});

test("miss: read just now; may-hit: for 5 minutes after; then it is read again", async () => {
  let round = 0;
  both(() => Promise.resolve([voice(`round-${++round}`)]));
  const account = await world.gateway.createAccount();
  expect([await cacheOf(account), await cacheOf(account)]).toEqual(["miss", "may-hit"]);
  world.now += 5 * minutes - 1;
  expect(await cacheOf(account)).toBe("may-hit");
  world.now += 1;
  const { json, headers } = await world.list(account);
  expect([headers["x-svc-cache"], json.data[0].voice_id, reads()]).toEqual(["miss", "round-2", [2, 0]]);
});

test("all: may-hit where one was kept and the other was read just now, miss where both were read", async () => {
  both(() => Promise.resolve([voice("one")]));
  const account = await world.gateway.createAccount();
  expect(await cacheOf(account, "?provider=provider_b")).toBe("miss");
  expect(await cacheOf(account, "?provider=all")).toBe("may-hit");
  world.now += 5 * minutes;
  expect(await cacheOf(account, "?provider=all")).toBe("miss");
});

describe("a provider that fails", () => {
  const failing = () => Promise.reject(new UpstreamError("unavailable", "down"));

  test("nothing older than 5 minutes is served in its place", async () => {
    both(() => Promise.resolve([voice("old")]));
    const account = await world.gateway.createAccount();
    await world.list(account);
    both(failing);
    world.now += 5 * minutes - 1;
    expect((await world.list(account)).status).toBe(200);
    world.now += 1;
    expect((await world.list(account)).status).toBe(502);
  });

  test("is asked again after 2 seconds and no sooner; what it then says is kept", async () => {
    both(failing);
    const account = await world.gateway.createAccount();
    const storm = await Promise.all(Array.from({ length: 100 }, () => world.list(account)));
    expect(new Set(storm.map(({ status }) => status))).toEqual(new Set([502]));
    expect(reads()).toEqual([1, 0]);
    both(() => Promise.resolve([voice("back")]));
    world.now += 1_999;
    expect([(await world.list(account)).status, reads()]).toEqual([502, [1, 0]]);
    world.now += 1;
    expect([(await world.list(account)).status, (await world.list(account)).status, reads()]).toEqual([200, 200, [2, 0]]);
  });
});

test("a disconnect does not end the read for the others; the read has a deadline of its own", async () => {
  const gate = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  world.families.a.list = async (call) => {
    signal = call.signal;
    await gate.promise;
    return [voice("one")];
  };
  const account = await world.gateway.createAccount();
  const leaving = new AbortController();
  const left = world.gateway.request("GET", "/v1/audio/voices", { key: account.key, signal: leaving.signal });
  left.catch(() => undefined);
  await expect.poll(() => world.families.a.reads).toBe(1);
  const staying = world.list(account);
  leaving.abort();
  await expect(left).rejects.toThrow();
  expect(signal?.aborted).toBe(false);
  gate.resolve();
  expect([(await staying).status, reads()]).toEqual([200, [1, 0]]);
});

test("a clock that was set back keeps nothing too long", async () => {
  both(() => Promise.resolve([voice("one")]));
  const account = await world.gateway.createAccount();
  await world.list(account);
  world.now -= 1;
  expect(await cacheOf(account)).toBe("miss");
});

test("503 overloaded: a gateway that has to stop does not wait for a provider", async () => {
  const speech = {
    type: "speech",
    voice_family: "provider_a",
    default_voice: "one",
    pricing: { mode: "per-1k-chars", usd_per_1k_chars: 1 },
  };
  const catalog = JSON.stringify({
    providers: [{ id: "eleven", protocol: "elevenlabs", base_url: "simulator:/elevenlabs", headers: { "x-sim-knobs": "sim-hang" } }],
    models: [{ id: "a/one", ...speech, routes: [{ provider: "eleven", model: "one" }] }],
  });
  const gateway = await startGateway({ catalog, graceMs: 100 });
  const { key } = await gateway.createAccount();
  const asked = gateway.request("GET", "/v1/audio/voices", { key });
  await expect.poll(() => gateway.simulator.counters().received).toBe(1);
  await gateway.stop();
  const { status, json } = await asked;
  expect([status, json.error.code]).toEqual([503, "overloaded"]);
});
