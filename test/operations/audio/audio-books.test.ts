// Whatever audio is made or read, every place that states its cost agrees to the unit: headers, body, usage log, receipt, ledger entry and
// balance; for prices of many decimals, prices below the smallest amount, and prices of 0.
import { expect, test } from "vitest";
import { verifyChain } from "../../../src/ledger/verify.ts";
import { toUsd } from "../../../src/money.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { familyA, familyB, perSecond, perSong, soundModel, speechWorld } from "../speech/speech-gateway.ts";
import { formOf } from "../transcriptions/transcription-gateway.ts";

const per1k = (usd_per_1k_chars: number) => ({ pricing: { mode: "per-1k-chars", usd_per_1k_chars } });
const perSecondOf = (usd_per_second: number) => ({ pricing: { mode: "per-second", usd_per_second } });
const perMinute = (usd_per_minute: number, min_billable_minutes = 1) => ({
  pricing: { mode: "per-minute", usd_per_minute, min_billable_minutes },
});
const transcriber = (id: string, upstream: string, more: object) => ({
  ...{ id, type: "transcription", routes: [{ provider: "north", model: upstream }] },
  ...more,
});
const maker = (id: string, capability: string, usd_per_call: number) => ({
  ...{ id, type: "speech", capability, voice_family: "provider_b", pricing: { mode: "per-call", usd_per_call } },
  routes: [{ provider: "voices-b", model: "maker" }],
});
const failing = (id: string, fallback: string) =>
  transcriber(id, `${id.split("/")[1]}+sim-fail-503`, { ...perMinute(0.00012345, 2), fallbacks: [fallback] });

const world = speechWorld([
  familyA("demo/a", undefined, per1k(0.000123457)),
  familyA("demo/a-least", undefined, per1k(0.000000001)),
  familyA("demo/a-free", undefined, per1k(0)),
  familyB("demo/b", undefined, per1k(0.070000001)),
  perSecond("demo/score", undefined, perSecondOf(0.000000123457)),
  perSecond("demo/free-score", undefined, perSecondOf(0)),
  perSong("demo/song", undefined, { pricing: { mode: "per-song", usd_per_song: 0.10812345 } }),
  soundModel("demo/sound", undefined, { pricing: { mode: "per-call", usd_per_call: 0.00000001 } }),
  transcriber("demo/stt", "stt", perMinute(0.000001234567)),
  transcriber("demo/stt-free", "free", perMinute(0)),
  transcriber("demo/stt-cheap", "cheap", perMinute(0.00000001, 3)),
  transcriber("demo/stt-dear", "dear", perMinute(0.5)),
  failing("demo/to-cheap", "demo/stt-cheap"),
  failing("demo/to-dear", "demo/stt-dear"),
  maker("demo/clone", "voice-clone", 1.00000001),
  maker("demo/design", "voice-design", 4.2),
]);

type Body = Record<string, unknown>;
interface Case {
  path: string;
  body: Body;
  /** Seconds of the recording that is sent. */
  file?: number;
  /** In 1e-8 USD. */
  cost: bigint;
  units: string;
}

const one = "a";
const thousand = "é".repeat(1000);
const cases: Case[] = [
  { path: "speech", body: { model: "demo/a", input: one }, cost: 13n, units: "1" },
  { path: "speech", body: { model: "demo/a", input: thousand, response_format: "pcm_16000" }, cost: 12_346n, units: "1000" },
  { path: "speech", body: { model: "demo/a-least", input: one }, cost: 1n, units: "1" },
  { path: "speech", body: { model: "demo/a-free", input: one }, cost: 0n, units: "1" },
  { path: "speech", body: { model: "demo/b", input: "👋🏽 ab" }, cost: 35_001n, units: "5" },
  { path: "speech", body: { model: "demo/b", input: one, stream: true }, cost: 7_001n, units: "1" },
  { path: "music", body: { model: "demo/score", prompt: one, music_length_ms: 1001 }, cost: 13n, units: "1.001" },
  { path: "music", body: { model: "demo/score", prompt: one, music_length_ms: 299_999 }, cost: 3_704n, units: "299.999" },
  { path: "music?save_to_blob=1", body: { model: "demo/score", prompt: one, duration_ms: 1000 }, cost: 13n, units: "1" },
  { path: "music", body: { model: "demo/free-score", prompt: one, music_length_ms: 1000 }, cost: 0n, units: "1" },
  { path: "music", body: { model: "demo/song", prompt: one }, cost: 10_812_345n, units: "1" },
  { path: "music?save_to_blob=1", body: { model: "demo/song", prompt: one }, cost: 10_812_345n, units: "1" },
  { path: "sfx", body: { model: "demo/sound", prompt: one }, cost: 1n, units: "1" },
  { path: "sfx?save_to_blob=1", body: { model: "demo/sound", prompt: one }, cost: 1n, units: "1" },
  { path: "transcriptions", body: { model: "demo/stt" }, file: 0.3, cost: 124n, units: "1" },
  { path: "transcriptions", body: { model: "demo/stt", response_format: "srt" }, file: 121, cost: 371n, units: "3" },
  { path: "transcriptions", body: { model: "demo/stt-free" }, file: 61.5, cost: 0n, units: "2" },
  { path: "transcriptions", body: { model: "demo/to-cheap" }, file: 61.5, cost: 3n, units: "3" },
  { path: "transcriptions", body: { model: "demo/to-dear" }, file: 61.5, cost: 24_690n, units: "2" },
  { path: "voice-clone", body: { model: "demo/clone" }, file: 11, cost: 100_000_001n, units: "1" },
  { path: "voice-design", body: { model: "demo/design", description: "An old sailor" }, cost: 420_000_000n, units: "1" },
];

const plain = /^(0|[1-9]\d*)(\.\d{0,7}[1-9])?$/;

test.each(cases)("$path $body.model: $units at $cost", async ({ path, body, file, cost, units }) => {
  const account = await world.account();
  const { gateway } = world;
  const form = file === undefined ? null : await formOf(body as Record<string, string>, wavFile(file));
  const sent = form === null ? { body } : { body: form.body, headers: { "content-type": form.type } };
  const reply = await gateway.request("POST", `/v1/audio/${path}`, { key: account.key, ...sent });
  expect(reply.status).toBe(200);
  const left = 2_000_000_000n - cost;
  const shown = { cost: toUsd(cost), balance: toUsd(left) };
  for (const [name, value] of Object.entries({ "x-svc-cost-usd": shown.cost, "x-svc-balance-usd": shown.balance })) {
    if (path.startsWith("voice-")) continue;
    expect(reply.headers[name]).toMatch(plain);
    expect(Number(reply.headers[name])).toBe(value);
  }
  if (reply.headers["content-type"]!.startsWith("application/json")) {
    const said = path === "transcriptions" ? reply.json.billing : reply.json;
    expect(said).toMatchObject({ cost_usd: shown.cost, balance_usd: shown.balance });
  }
  expect(await world.logOf(reply)).toMatchObject({ status: "success", cost, units });
  const entries = await gateway.context.db.pool.query("select amount from ledger_entry where account_id = $1 and kind = 'usage'", [
    account.accountId,
  ]);
  expect(entries.rows).toEqual(cost === 0n ? [] : [{ amount: -cost }]);
  const receipt = await gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
  expect(receipt.json.charge).toMatchObject({ cost_usd: shown.cost, rounded_usd: shown.cost, lines: [{ quantity: Number(units) }] });
  const logged = await gateway.request("GET", "/v1/auth/usage/logs", { key: account.key });
  expect(logged.json.data).toMatchObject([{ cost_usd: shown.cost }]);
  expect(await gateway.balance(account)).toEqual({ balance: shown.balance, reserved: 0, spent: shown.cost });
  expect((await verifyChain(gateway.context.db)).broken).toBeNull();
});
