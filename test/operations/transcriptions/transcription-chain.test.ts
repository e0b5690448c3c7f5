// POST /v1/audio/transcriptions: every combination of format, mode and tier of the fallback chain: its answer, its cost, its row of the log.
import { describe, expect, test } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { roundUsd } from "../../support/round-usd.ts";
import { perMinute, priced, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const formats = ["json", "verbose_json", "text", "srt", "vtt"] as const;
const modes = ["file", "address"] as const;
const tiers = ["first", "retry", "secondary", "tertiary", "none"] as const;
type Format = (typeof formats)[number];
type Mode = (typeof modes)[number];
type Tier = (typeof tiers)[number];

/** Upstream faults up to the tier that serves: of the asked model, the secondary, the tertiary. */
const faults: Record<Tier, [string, string, string]> = {
  first: ["", "", ""],
  retry: ["+sim-flaky-1", "", ""],
  secondary: ["+sim-fail-503", "", ""],
  tertiary: ["+sim-fail-503", "+sim-fail-500", ""],
  none: ["+sim-fail-503", "+sim-fail-500", "+sim-fail-502"],
};

/** Every cell has models and routes of its own, since circuit breakers keep their state. */
const cells = formats.flatMap((format) =>
  modes.flatMap((mode) => tiers.map((tier) => ({ format, mode, tier, name: `${format}-${mode}-${tier}` }))),
);
const world = transcriptionWorld(
  cells.flatMap(({ name, tier }) => {
    const [asked, second, third] = faults[tier];
    return [
      transcriber(`demo/${name}`, [`stt-${name}${asked}`], { fallbacks: [`second/${name}`, `third/${name}`] }),
      transcriber(`second/${name}`, [`second-${name}${second}`], priced(perMinute.second)),
      transcriber(`third/${name}`, [`plain-${name}${third}`], { ...priced(perMinute.third), supports_timestamps: false }),
    ];
  }),
  { aliases: { transcribe: "demo/json-file-first" } },
);

const contentTypes: Record<Format, string> = {
  json: "application/json",
  verbose_json: "application/json",
  text: "text/plain; charset=utf-8",
  srt: "application/x-subrip; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
};

/** Timestamps are kept in every format; the plain-text tertiary serves text and json of a form only. */
function servedBy(format: Format, mode: Mode, tier: Tier): "asked" | "second" | "third" | null {
  if (tier === "first" || tier === "retry") return "asked";
  if (tier === "secondary") return "second";
  return tier === "tertiary" && takesTertiary(format, mode) ? "third" : null;
}

const takesTertiary = (format: Format, mode: Mode) => mode === "file" && (format === "json" || format === "text");

/** Two minutes at the served model's price, never above the asked model's. */
const costs = { asked: 0.0018, second: 0.0008, third: 0.0018 };
const layers: Record<Tier, number | null> = { first: null, retry: 1, secondary: 2, tertiary: 3, none: null };

function outcomesOf(format: Format, mode: Mode, tier: Tier, name: string) {
  const at = (model: string, outcome: string, status: number) => ({ model: `${model}/${name}`, outcome, status });
  const asked = at("demo", "unavailable", 503);
  if (tier === "first") return [at("demo", "ok", 200)];
  if (tier === "retry") return [asked, at("demo", "ok", 200)];
  if (tier === "secondary") return [asked, asked, at("second", "ok", 200)];
  const third = tier === "tertiary" ? at("third", "ok", 200) : at("third", "unavailable", 502);
  return [asked, asked, at("second", "unavailable", 500), ...(takesTertiary(format, mode) ? [third] : [])];
}

describe.each(cells)("$format of a $mode, $tier", ({ format, mode, tier, name }) => {
  test("answer, headers, charge, balance and attempts", async () => {
    const account = await world.account();
    const fields = { model: `demo/${name}`, response_format: format };
    const reply = mode === "file" ? await world.send(account, fields) : await world.fetch(account, fields);
    const served = servedBy(format, mode, tier);
    const receipt = await world.receiptOf(account, reply);
    const timeless = receipt.attempts.map(
      ({ latency_ms, ...attempt }: { latency_ms: number }) => (expect(latency_ms).toBeTypeOf("number"), attempt),
    );
    expect(timeless).toEqual(outcomesOf(format, mode, tier, name));
    await world.expectNothingOnDisk();
    if (served === null) {
      expect([reply.status, reply.json.error.code, reply.headers["retry-after"]]).toEqual([503, "provider_unavailable", "5"]);
      expect(receipt.charge).toMatchObject({ cost_usd: 0, reserved_usd: 0.0018 });
      return world.expectUntouched(account);
    }
    const cost = costs[served];
    const fallback = served === "asked" ? undefined : `${served}/${name}`;
    expect(reply.status).toBe(200);
    expect(svcHeaders(reply)).toEqual({
      "x-svc-model": `demo/${name}`,
      "x-svc-duration-sec": "61.5",
      "x-svc-billable-minutes": "2",
      "x-svc-cost-usd": String(cost),
      "x-svc-balance-usd": String(roundUsd(20 - cost)),
      ...(fallback && { "x-svc-fallback": fallback }),
      ...(layers[tier] && { "x-svc-fallback-layer": String(layers[tier]) }),
    });
    expect(reply.headers["content-type"]).toBe(contentTypes[format]);
    expect(reply.headers["x-ratelimit-limit-requests"]).toBe("1000000");
    expectContent(reply, format, { name, cost, fallback, layer: layers[tier] });
    expect(await world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - cost), reserved: 0, spent: cost });
    const chargedAt = served === "second" ? `second/${name}` : `demo/${name}`; // the tertiary is dearer than what was asked
    expect(receipt.charge).toMatchObject({ model: chargedAt, cost_usd: cost, reserved_usd: 0.0018, rounded_usd: cost });
    expect(receipt.charge.lines).toMatchObject([{ item: "minute", quantity: 2, unit_price_usd: cost / 2 }]);
    expect(receipt.ledger).toMatchObject([{ type: "usage", amount_usd: -cost, ref: receipt.request_id }]);
    expect(await world.logOf(reply)).toMatchObject({ fallback_layer: layers[tier], served_model: fallback ?? null, http_status: 200 });
  });
});

function expectContent(
  { text, json }: TestReply,
  format: Format,
  { name, cost, fallback, layer }: { name: string; cost: number; fallback: string | undefined; layer: number | null },
): void {
  if (format === "text") return void expect(text).toMatch(/^\p{Lu}[^\n]+\.\n$/u);
  if (format === "srt")
    return void expect(text).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n\S[^\n]+\n\n2\n[\s\S]+ --> 00:01:01,500\n\S[^\n]+\n$/);
  if (format === "vtt")
    return void expect(text).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\n\S[\s\S]+ --> 00:01:01\.500\n\S[^\n]+\n$/);
  const { segments, ...body } = json;
  const billing = { duration_sec: 61.5, billable_minutes: 2, cost_usd: cost, balance_usd: roundUsd(20 - cost) };
  expect(body).toEqual({
    task: "transcribe",
    language: layer === 3 ? "unknown" : "english",
    duration: layer === 3 ? 0 : 61.5,
    text: expect.stringMatching(/^\p{Lu}.+\.$/u),
    model: `demo/${name}`,
    billing: { ...billing, ...(fallback && { fallback }) },
  });
  if (format === "json") return void expect(segments).toBeUndefined();
  expect([segments[0].start, segments.at(-1).end]).toEqual([0, 61.5]);
  expect(Object.keys(segments[0]).sort()).toEqual(
    "avg_logprob compression_ratio end id no_speech_prob seek start temperature text tokens".split(" "),
  );
}

function svcHeaders({ headers }: TestReply): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-svc-")));
}
