// A gateway that ends while it speaks: what can be said to its end is said and paid for, the rest is broken off and free; after a
// kill -9 the slot and the money come back (docs/behaviour/billing.md#ends).
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { readConfig } from "../../src/config.ts";
import { startGateway } from "../../src/main.ts";
import { familyA, familyB, listen, perSecond, sentence } from "../operations/speech/speech-gateway.ts";
import { until } from "../support/eventually.ts";
import { highTiers } from "../support/tiers.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";

const models = [
  familyA("demo/a"),
  familyA("demo/a-paced", ["multilingual+sim-pace-100ms"]),
  familyA("demo/a-stalled", ["multilingual+sim-stall-after-4"]),
  familyB("demo/b-paced", ["speech-hd+sim-pace-100ms"]),
  familyB("demo/b-stalled", ["speech-hd+sim-stall-after-4"]),
  perSecond("demo/score-stalled", ["music+sim-stall-after-4"]),
];
const tiers = highTiers({ audio_concurrent: 10, audio_concurrent_per_capability: { transcription: 1, understanding: 1, speech: 5 } });

let world: World;
let catalogPath: string;
beforeEach(async () => {
  world = await openWorld({ models: { chat: "chat" } });
  const provider = (id: string, protocol: string) => ({ id, protocol, base_url: `${world.simulator.url}/${protocol}` });
  const providers = [provider("voices-a", "elevenlabs"), provider("voices-b", "minimax")];
  catalogPath = catalogFile(JSON.stringify({ providers, models, tiers }));
});
afterEach(() => world.stop());

const speech = (model: string) => ({ model: `demo/${model}`, input: sentence, stream: true });
const begun = (count: number) =>
  until(() => world.simulator.calls().filter(({ records, outcome }) => records >= 4 && outcome === "open").length === count, "all speak");
const costs = { a: 90 * 40_500, b: 90 * 7_000 };

describe("kill -9 while five speak", () => {
  test("breaks them off, charges nothing, and gives all slots back", async () => {
    const [victim, survivor] = [await world.start({ SVC_CATALOG: catalogPath }), await world.start({ SVC_CATALOG: catalogPath })];
    const account = await world.createAccount("20");
    const music = { model: "demo/score-stalled", prompt: sentence };
    const spoken = [
      ...["a-stalled", "a-stalled", "b-stalled", "b-stalled"].map((model) => listen({ gateway: victim }, account, speech(model))),
      listen({ gateway: victim }, account, music, undefined, "music"),
    ];
    await begun(5);
    const full = await listen({ gateway: survivor }, account, speech("a"));
    expect(full.status).toBe(429);
    await victim.kill("SIGKILL");
    expect((await Promise.all(spoken)).map(({ outcome }) => outcome)).toEqual(Array(5).fill("broken"));
    await until(async () => (await world.audit()).reservations_open === 0, "all reservations have ended");
    await until(() => world.simulator.calls().every(({ outcome }) => outcome !== "open"), "no upstream call is left");
    const again = await Promise.all(Array.from({ length: 5 }, () => listen({ gateway: survivor }, account, speech("a"))));
    expect(again.map(({ status, outcome }) => [status, outcome])).toEqual(Array(5).fill([200, "whole"]));
    expect(await world.balance(account)).toMatchObject({ available: 2_000_000_000n - BigInt(5 * costs.a), reserved: 0n });
    expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
  });
});

describe("SIGTERM", () => {
  test("speech that ends within the grace time is heard to its end and paid for", async () => {
    const gateway = await world.start({ SVC_CATALOG: catalogPath });
    const account = await world.createAccount("20");
    const spoken = ["a-paced", "b-paced"].map((model) => listen({ gateway }, account, speech(model)));
    await begun(2);
    expect(await gateway.kill("SIGTERM")).toBe(0);
    expect((await Promise.all(spoken)).map(({ outcome }) => outcome)).toEqual(["whole", "whole"]);
    expect(await world.balance(account)).toMatchObject({ available: 2_000_000_000n - BigInt(costs.a + costs.b), reserved: 0n });
    expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
  });

  test("what still speaks at its end is broken off, free, and logged as tts_failed or provider_error", async () => {
    const { catalog } = loadCatalog({ path: catalogPath, environment: {} });
    const config = readConfig({ PORT: "0", SVC_CATALOG: catalogPath });
    const gateway = await startGateway(config, { databaseUrl: world.databaseUrl, catalog, log: pino({ level: "silent" }), graceMs: 300 });
    const account = await world.createAccount("20");
    const spoken = [
      ...["a-stalled", "b-stalled"].map((model) => listen({ gateway }, account, speech(model))),
      listen({ gateway }, account, { model: "demo/score-stalled", prompt: sentence }, undefined, "music"),
    ];
    await begun(3);
    await gateway.stop();
    expect((await Promise.all(spoken)).map(({ outcome }) => outcome)).toEqual(["broken", "broken", "broken"]);
    const { rows } = await world.db.pool.query("select status, http_status, error_code, cost from usage_log order by error_code");
    const failed = (code: string) => ({ status: "failed", http_status: 200, error_code: code, cost: 0n });
    expect(rows).toEqual([failed("provider_error"), failed("tts_failed"), failed("tts_failed")]);
    expect(await world.balance(account)).toMatchObject({ available: 2_000_000_000n, reserved: 0n });
    expect(await world.audit()).toMatchObject({ mismatches: [], reservations_open: 0 });
    await until(() => world.simulator.calls().every(({ outcome }) => outcome !== "open"), "no upstream call is left");
  });
});
