// POST /v1/audio/transcriptions with `diarized_json`: who says what, whole and streamed, by which models, and what is refused.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { perMinute, priced, recording, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const tells = { supports_timestamps: false, supports_streaming: true, supports_diarization: true };
const world = transcriptionWorld([
  transcriber("demo/speakers", ["gpt-4o-diarize"], tells),
  transcriber("demo/whole", ["diarize-whole"], { ...tells, supports_streaming: false }),
  transcriber("demo/down", ["diarize-down+sim-fail-503"], { ...tells, fallbacks: ["demo/plain", "demo/second"] }),
  transcriber("demo/second", ["diarize-second"], { ...tells, ...priced(perMinute.second) }),
  transcriber("demo/plain", ["plain"]),
  transcriber("demo/nameless", ["gpt-4o-diarize+sim-no-segments"], tells),
]);

const cost = 0.0018;
const diarized = { response_format: "diarized_json" };
const voice = `data:audio/wav;base64,${Buffer.from("a voice").toString("base64")}`;
const ask = (account: TestAccount, model: string, more: object = {}) => world.fetch(account, { model, ...diarized, ...more });
const paid = async (account: TestAccount) => (await world.gateway.balance(account)).spent;

describe("200", () => {
  test.each(["file", "address"])("a %s: segments with their speakers, charged by the minute as any transcript", async (mode) => {
    const account = await world.account();
    const fields = { model: "demo/speakers", ...diarized };
    const { status, json, headers, text } = mode === "file" ? await world.send(account, fields) : await world.fetch(account, fields);
    expect(status, text).toBe(200);
    expect(json).toEqual({
      ...{ task: "transcribe", duration: 61.5, text: expect.stringMatching(/\w/), model: "demo/speakers", segments: expect.any(Array) },
      billing: { duration_sec: 61.5, billable_minutes: 2, cost_usd: cost, balance_usd: 20 - cost },
    });
    expect(json.segments[0]).toEqual({
      ...{ type: "transcript.text.segment", id: "seg_0", start: 0, end: expect.any(Number), text: expect.any(String), speaker: "A" },
    });
    expect(new Set(json.segments.map(({ speaker }: { speaker: string }) => speaker))).toEqual(new Set(["A", "B"]));
    expect(headers["x-svc-cost-usd"]).toBe("0.0018");
    const form = { model: "gpt-4o-diarize", temperature: "0", response_format: "diarized_json", chunking_strategy: "auto" };
    expect(world.sent()).toEqual([form]);
    expect(await paid(account)).toBe(cost);
  });

  test("known speakers go to the model, and have their names", async () => {
    const names = ["agent", "customer"];
    const reply = await ask(await world.account(), "demo/speakers", {
      ...{ chunking_strategy: "auto", known_speaker_names: names, known_speaker_references: [voice, voice] },
    });
    expect(reply.json.segments.slice(0, 2).map(({ speaker }: { speaker: string }) => speaker)).toEqual(names);
    const parts = world.gateway.simulator.calls()[0]!.parts!.filter(({ name }) => name.startsWith("known_speaker"));
    expect(parts.map(({ text }) => text)).toEqual(["agent", voice, "customer", voice]);
  });

  test("of a form as OpenAI's SDKs write it", async () => {
    const fields = { model: "demo/speakers", ...diarized, "known_speaker_names[]": "agent", "known_speaker_references[]": voice };
    const { json } = await world.send(await world.account(), fields);
    expect(json.segments[0].speaker).toBe("agent");
  });

  test.each(["demo/speakers", "demo/whole"])("streamed, %s: segments between the text and its end", async (model) => {
    const account = await world.account();
    const whole = await ask(account, model);
    const { text } = await ask(account, model, { stream: true });
    const events = text
      .trim()
      .split("\n\n")
      .map((event) => JSON.parse(event.slice("data: ".length)) as any);
    const of = (type: string) => events.filter((event) => event.type === `transcript.text.${type}`);
    expect(of("segment")).toEqual(whole.json.segments);
    expect(
      of("delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(whole.json.text);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: whole.json.text, billing: { cost_usd: cost } });
    expect(await paid(account)).toBe(2 * cost);
  });

  test("only a model that tells speakers apart stands in, at its own lower price", async () => {
    const { json } = await ask(await world.account(), "demo/down");
    expect(json).toMatchObject({ model: "demo/down", billing: { fallback: "demo/second", cost_usd: 2 * perMinute.second } });
    expect(world.sent().map(({ model }) => model)).not.toContain("plain");
  });

  test("such a model gives a plain text as well, and known speakers are nothing to other formats that are null", async () => {
    const json = await ask(await world.account(), "demo/speakers", { response_format: "json", known_speaker_names: null });
    expect(json.json).toMatchObject({ task: "transcribe", text: expect.stringMatching(/\w/) });
    expect(json.json).not.toHaveProperty("segments");
  });
});

describe("refused, and nothing is charged", () => {
  test.each([
    ["response_format", { model: "demo/plain" }, "do: demo/speakers, demo/whole"],
    ["known_speaker_names", { response_format: "json", known_speaker_names: ["a"], known_speaker_references: [voice] }, "diarized_json"],
    ["known_speaker_references", { known_speaker_names: ["a", "b"], known_speaker_references: [voice] }, "one recording for each"],
    ["known_speaker_references[0]", { known_speaker_names: ["a"], known_speaker_references: ["https://example.com/a.wav"] }, "data: URL"],
    ["known_speaker_names", { known_speaker_names: [..."abcde"], known_speaker_references: [..."abcde"].map(() => voice) }, ""],
    ["chunking_strategy", { chunking_strategy: "manual" }, ""],
  ])("400 invalid_parameter: %s, %j", async (param, more, words) => {
    const account = await world.account();
    const { status, json } = await ask(account, "demo/speakers", more);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect(json.error.message).toContain(words);
    await world.expectUntouched(account);
  });

  test("502 upstream_invalid_response: words, but nobody who says them", async () => {
    const account = await world.account();
    const { status, json } = await ask(account, "demo/nameless");
    expect([status, json.error.code]).toEqual([502, "upstream_invalid_response"]);
    await world.expectUntouched(account);
  });

  test("a translation is never diarized", async () => {
    const account = await world.account();
    const { status, json } = await world.send(account, { model: "demo/speakers", ...diarized }, recording, {
      path: "/v1/audio/translations",
    });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "response_format"]);
  });
});
