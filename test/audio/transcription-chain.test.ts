// In which order models and routes are asked for a transcription, and what a provider's 429 becomes. What each tier answers and costs is in
// test/operations/transcriptions/transcription-chain.test.ts.
import { describe, expect, test } from "vitest";
import { type Ask, GatewayStopping } from "../../src/calls/ask.ts";
import { chainOf, transcribeOverChain } from "../../src/audio/transcribe.ts";
import { transcriptionRequest } from "../../src/audio/transcription-request.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Model } from "../../src/catalog/types.ts";
import { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import type { Transcribe } from "../../src/providers/verbs/audio.ts";
import type { Attempt } from "../../src/routing/attempt.ts";
import { createBreakers } from "../../src/routing/breaker.ts";
import { transcriber } from "../operations/transcriptions/transcription-gateway.ts";

const providers = ["north", "south", "west"].map((id) => ({ id, protocol: "openai", base_url: `https://${id}.test/v1` }));
const models = [
  transcriber("demo/stt", ["one", "two"], { fallbacks: ["demo/plain", "demo/second", "demo/paused", "demo/other-plain"] }),
  transcriber("demo/plain", ["plain"], { supports_timestamps: false }),
  transcriber("demo/second", ["second", "second-2"]),
  transcriber("demo/other-plain", ["other-plain"], { supports_timestamps: false }),
  transcriber("demo/paused", ["paused"], { state: { paused: true } }),
];
const { catalog } = loadCatalog({ text: JSON.stringify({ providers, models }), environment: {}, simulatorUrl: "" });
const model = catalog.models.get("demo/stt")!;

const shown = (mayStandIn: (other: Model) => boolean) =>
  chainOf(catalog, model, mayStandIn, "req_test").candidates.map(({ routeId, layer }) => `${layer} ${routeId}`);

describe("the order", () => {
  test("the first route twice, the model's others, models with timestamps, models without", () => {
    expect(shown(() => true)).toEqual([
      ...["0 north/one", "1 north/one", "1 south/two"],
      ...["2 north/second", "2 south/second-2"],
      ...["3 north/plain", "3 north/other-plain"],
    ]);
  });

  test("models that may not serve as fallbacks are left out", () => {
    expect(shown(({ media }) => media.supportsTimestamps)).toHaveLength(5);
    expect(shown(() => false)).toEqual(["0 north/one", "1 north/one", "1 south/two"]);
  });
});

async function run(transcribe: Transcribe, form: { fields?: object; signal?: AbortSignal } = {}) {
  const attempts: Attempt[] = [];
  const signal = form.signal ?? new AbortController().signal;
  const ask = {
    signal,
    stopping: () => new AbortController().signal,
    requestId: "req_test",
    caller: { purchased: 1n, policy: null },
  } as Ask;
  const call: Parameters<typeof transcribeOverChain>[2] = {
    ask,
    attempts,
    admitted: { model, alias: null },
    stream: false,
    connection: null,
  };
  const request = transcriptionRequest({ response_format: "text", ...form.fields }, { kind: "file", path: "/nowhere", bytes: 1 });
  const file = { path: "/nowhere", bytes: 1, contentType: "audio/wav", extension: "wav" };
  const order = { task: "transcribe" as const, file, seconds: 1, language: null, prompt: null, temperature: 0 };
  const context = { catalog, breakers: createBreakers(), providers: { transcribe: { openai: transcribe } } } as unknown as Parameters<
    typeof transcribeOverChain
  >[0];
  const error = await transcribeOverChain(context, ask, call, request, order).catch((error: unknown) => error);
  return { error, attempts: attempts.map(({ candidate, outcome }) => `${candidate.layer} ${outcome}`) };
}

const failing =
  (error: UpstreamError): Transcribe =>
  () =>
    Promise.reject(error);

test("a 429 without a time is passed on with five seconds; one with a time, with that", async () => {
  const bare = await run(failing(new UpstreamError("rate_limited", "slow down", { status: 429 })));
  expect(bare).toMatchObject({ error: { code: "rate_limit_exceeded", details: { retryAfterMs: 5_000 } }, attempts: ["0 rate_limited"] });
  const named = await run(failing(new UpstreamError("rate_limited", "slow down", { status: 429, retryAfterMs: 61_500 })));
  expect(named.error).toMatchObject({ details: { retryAfterMs: 61_500 } });
});

test("models are asked for timestamps where they have them, whatever the format", async () => {
  const asked: boolean[] = [];
  await run(({ order }) => {
    asked.push(order.timestamps);
    return Promise.reject(new UpstreamError("unavailable", "away"));
  });
  expect(asked).toEqual([true, true, true, true, true, false, false]);
});

test("an abort between the first attempt and the second ends it there, with the abort's reason", async () => {
  const controller = new AbortController();
  const left = await run(
    () => {
      setTimeout(() => controller.abort(new GatewayStopping()), 20);
      return Promise.reject(new UpstreamError("unavailable", "away"));
    },
    { signal: controller.signal },
  );
  expect(left).toMatchObject({ error: expect.any(GatewayStopping), attempts: ["0 unavailable", "1 aborted"] });
});
