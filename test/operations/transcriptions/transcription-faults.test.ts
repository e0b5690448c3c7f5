// POST /v1/audio/transcriptions when an upstream fails: which faults end the chain, which lead to the next tier, and the error once all have
// failed.
import { describe, expect, test } from "vitest";
import { wavFile } from "../../simulator/audio-check.ts";
import { provider } from "../chat/chat-gateway.ts";
import { priced, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

/** Upstream faults that are the request's: the caller's code and status. */
const ending: [string, string, number][] = [
  ["reject", "request_rejected", 400],
  ["reject-413", "request_rejected", 413],
  ["reject-415", "request_rejected", 415],
  ["reject-422", "request_rejected", 422],
  ["fail-415", "request_rejected", 415],
  ["refuse", "request_rejected", 400],
  ["429", "rate_limit_exceeded", 429],
];
/** Faults that another route may not have. */
const passing = ["fail-500", "401", "402", "403", "404", "408", "quota", "html", "empty", "bad-json", "200-error", "reset", "refuse-403"];
const timeless = ["no-segments", "empty-segments", "untimed-segments"];

const world = transcriptionWorld(
  [
    transcriber("second/fine", ["second"]),
    transcriber("third/fine", ["plain"], { supports_timestamps: false }),
    ...ending.flatMap(([fault]) => [
      transcriber(`demo/${fault}`, [`stt+sim-${fault}`], { fallbacks: ["second/fine"] }),
      transcriber(`demo/then-${fault}`, [`then-${fault}+sim-fail-503`], { fallbacks: [`second/${fault}`, "third/fine"] }),
      transcriber(`second/${fault}`, [`second+sim-${fault}`]),
    ]),
    ...passing.map((fault) => transcriber(`demo/${fault}`, [`stt+sim-${fault}`], { fallbacks: ["second/fine"] })),
    ...timeless.map((fault) => transcriber(`demo/${fault}`, [`stt+sim-${fault}`], { fallbacks: ["second/fine"] })),
    transcriber("demo/wait", ["wait+sim-429+sim-retry-after-17"]),
    transcriber("demo/slow", ["stt"], { routes: [{ provider: "impatient", model: "stt+sim-hang" }], fallbacks: ["second/fine"] }),
    transcriber("demo/routes", ["one+sim-fail-503", "two+sim-fail-503", "three"], { fallbacks: ["second/fine"] }),
    transcriber("demo/third-first", ["order+sim-fail-503"], { fallbacks: ["third/fine", "second/fine"] }),
    transcriber("demo/unreadable", ["unreadable+sim-bad-json", "unreadable-2+sim-html"]),
    transcriber("demo/gone", ["gone+sim-404", "gone-2+sim-404"]),
    transcriber("demo/down", ["down+sim-fail-503", "down-2+sim-404"]),
    transcriber("demo/refused", ["refused+sim-refuse-403"]),
    transcriber("demo/no-adapter", ["x"], { routes: [{ provider: "ranker", model: "x" }], fallbacks: ["second/fine"] }),
    transcriber("demo/breaking", ["breaking+sim-fail-503"], { fallbacks: ["second/fine"] }),
    transcriber("silent/first", ["silent+sim-no-speech"], { fallbacks: ["second/fine"] }),
    transcriber("silent/segments", ["silent+sim-no-speech-segments"], { fallbacks: ["second/fine"] }),
    transcriber("silent/secondary", ["s2+sim-fail-503"], { fallbacks: ["silent/first"] }),
    transcriber("silent/tertiary", ["s3+sim-fail-503"], { fallbacks: ["silent/plain"] }),
    transcriber("silent/retry", ["s1+sim-no-speech+sim-flaky-1"]),
    transcriber("silent/plain", ["plain+sim-no-speech"], { ...priced(0.0001), supports_timestamps: false }),
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("impatient", { timeout_ms: 100 }),
      provider("ranker", { protocol: "rerank", base_url: "simulator:/rerank" }),
    ],
  },
);

const modes = ["file", "address"] as const;
type Mode = (typeof modes)[number];
const ask = (mode: Mode, account: { key: string }, fields: Record<string, string>) =>
  mode === "file" ? world.send(account, fields) : world.fetch(account, fields);
const outcomesOf = async (account: { key: string }, reply: Parameters<typeof world.receiptOf>[1]) =>
  (await world.receiptOf(account, reply)).attempts.map(({ model, outcome }: { model: string; outcome: string }) => `${model} ${outcome}`);

describe.each(modes)("errors of the request end the chain at once, free: a %s", (mode) => {
  test.each(ending)("sim-%s of the model: %s %i, no other route is asked", async (fault, code, status) => {
    const account = await world.account();
    const reply = await ask(mode, account, { model: `demo/${fault}` });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expect(world.sent()).toHaveLength(1);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: status, error_code: code, cost: 0n });
    await world.expectUntouched(account);
    await world.expectNothingOnDisk();
  });

  test.each(ending)("sim-%s of the secondary: %s %i, the tertiary is not asked", async (fault, code, status) => {
    const account = await world.account();
    const reply = await ask(mode, account, { model: `demo/then-${fault}`, response_format: "text" });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expect(world.sent().map(({ model }) => model)).toEqual([
      ...[`then-${fault}+sim-fail-503`, `then-${fault}+sim-fail-503`],
      `second+sim-${fault}`,
    ]);
    await world.expectUntouched(account);
  });
});

describe("429 rate_limit_exceeded of an upstream", () => {
  test("its own seconds are passed on, and no limit of the account's", async () => {
    const account = await world.account();
    const { status, headers, json } = await ask("file", account, { model: "demo/wait" });
    expect([status, json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(headers).toMatchObject({ "retry-after": "17", "retry-after-ms": "17000", "x-should-retry": "true" });
    expect(json.error.message).toBe("The model takes no more requests at the moment. Wait for Retry-After.");
  });
});

describe("other faults go on to the next tier", () => {
  test.each(passing)("sim-%s of the model, twice: the secondary answers", async (fault) => {
    const account = await world.account();
    const reply = await ask("file", account, { model: `demo/${fault}` });
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "second/fine", "x-svc-fallback-layer": "2" });
    expect(world.sent()).toHaveLength(3);
  });

  test.each(timeless)("sim-%s: timestamps that were promised and are not there are unreadable", async (fault) => {
    const account = await world.account();
    const reply = await ask("address", account, { model: `demo/${fault}`, response_format: "vtt" });
    expect(reply.headers["x-svc-fallback-layer"]).toBe("2");
    expect(await outcomesOf(account, reply)).toEqual([`demo/${fault} unreadable`, `demo/${fault} unreadable`, "second/fine ok"]);
    // The text alone is all that json and text want.
    const text = await ask("file", account, { model: `demo/${fault}`, response_format: "text" });
    expect(text.headers).not.toHaveProperty("x-svc-fallback");
  });

  test("a provider's time-out passes, twice", async () => {
    const account = await world.account();
    // A longer recording is given longer.
    const reply = await world.send(account, { model: "demo/slow" }, wavFile(0.3));
    expect(await outcomesOf(account, reply)).toEqual(["demo/slow unavailable", "demo/slow unavailable", "second/fine ok"]);
  });

  test("the model's other routes come before other models, as layer 1, without a header that names one", async () => {
    const reply = await ask("file", await world.account(), { model: "demo/routes" });
    expect(world.sent().map(({ model }) => model)).toEqual(["one+sim-fail-503", "one+sim-fail-503", "two+sim-fail-503", "three"]);
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
    expect(reply.headers).not.toHaveProperty("x-svc-fallback");
  });

  test("the secondary comes before the tertiary, however the catalog orders them", async () => {
    const reply = await ask("file", await world.account(), { model: "demo/third-first", response_format: "json" });
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "second/fine", "x-svc-fallback-layer": "2" });
  });

  test("a route of a protocol that transcribes nothing is as one that is gone", async () => {
    const reply = await ask("file", await world.account(), { model: "demo/no-adapter" });
    expect(reply.headers["x-svc-fallback-layer"]).toBe("2");
  });

  test("a route that failed five times in a row is passed over", async () => {
    const account = await world.account();
    for (let call = 0; call < 3; call++) expect((await ask("file", account, { model: "demo/breaking" })).status).toBe(200);
    world.gateway.simulator.reset();
    const reply = await ask("file", account, { model: "demo/breaking" });
    expect(world.sent().map(({ model }) => model)).toEqual(["second"]);
    expect(reply.headers["x-svc-fallback-layer"]).toBe("2");
    const passed = "demo/breaking breaker_open";
    expect(await outcomesOf(account, reply)).toEqual([passed, passed, "second/fine ok"]);
  });
});

describe("when every tier failed", () => {
  test.each([
    ["demo/unreadable", 502, "upstream_invalid_response"],
    ["demo/gone", 503, "model_unavailable"],
    ["demo/down", 503, "provider_unavailable"],
    ["demo/refused", 400, "request_rejected"],
  ])("%s: %i %s, free", async (model, status, code) => {
    const account = await world.account();
    const reply = await ask("file", account, { model });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expect(reply.text).not.toMatch(/north|south|sim-/);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: status, error_code: code });
    await world.expectUntouched(account);
  });
});

describe("422 no_speech_detected", () => {
  test.each([
    ["silent/first", "verbose_json", 1],
    ["silent/segments", "srt", 1],
    ["silent/retry", "json", 2],
    ["silent/secondary", "vtt", 3],
    ["silent/tertiary", "text", 3],
    ["silent/plain", "json", 1],
  ])("%s, %s: free, and no other model is asked", async (model, response_format, calls) => {
    const account = await world.account();
    const reply = await ask("file", account, { model, response_format });
    expect([reply.status, reply.json.error.code]).toEqual([422, "no_speech_detected"]);
    expect(reply.headers).not.toHaveProperty("x-should-retry");
    expect(world.sent()).toHaveLength(calls);
    expect((await world.receiptOf(account, reply)).attempts.at(-1)).toMatchObject({ outcome: "ok" });
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: 422, error_code: "no_speech_detected", cost: 0n });
    await world.expectUntouched(account);
  });

  test("of a silent recording at an address, which a model that works hears nothing in", async () => {
    const account = await world.account();
    const reply = await world.fetch(account, { model: "second/fine", audio_url: world.publish(wavFile(3, { isSilent: true })) });
    expect([reply.status, reply.json.error.code]).toEqual([422, "no_speech_detected"]);
    await world.expectUntouched(account);
  });
});
