// POST /v1/audio/transcriptions with `stream`: the events, the models that can't stream, and what each end of a stream costs.
import { describe, expect, test } from "vitest";
import { wavFile } from "../../simulator/audio-check.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { provider } from "../chat/chat-gateway.ts";
import { formOf, recording, settled, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const streams = { supports_streaming: true, supports_timestamps: false };
const world = transcriptionWorld(
  [
    transcriber("demo/live", ["gpt-4o-live"], streams),
    transcriber("demo/uncounted", ["gpt-4o+sim-no-usage"], streams),
    transcriber("demo/whole", ["whole"]),
    transcriber("demo/ignores", ["whisper-live"], streams),
    transcriber("demo/down", ["gpt-4o-down+sim-fail-503"], { ...streams, fallbacks: ["demo/whole"] }),
    transcriber("demo/late", ["gpt-4o-late+sim-cut-after-0", "gpt-4o-second"], streams),
    transcriber("demo/cut", ["gpt-4o-cut+sim-cut-after-5", "gpt-4o-second"], streams),
    transcriber("demo/ended", ["gpt-4o-ended+sim-end-after-5"], streams),
    transcriber("demo/error", ["gpt-4o-error+sim-error-after-5"], streams),
    transcriber("demo/begun-with-error", ["gpt-4o-error+sim-200-error"], streams),
    transcriber("demo/rejects", ["gpt-4o-rejects+sim-reject-422"], streams),
    transcriber("demo/paced", ["gpt-4o-paced+sim-pace-100ms"], streams),
    transcriber("demo/listening", ["gpt-4o-listening+sim-slow-1500ms"], streams),
    transcriber("demo/whole-listening", ["listening+sim-slow-1500ms"]),
    {
      ...{ id: "demo/azure", type: "transcription", routes: [{ provider: "azure", model: "gpt-4o-deployed" }] },
      ...{ pricing: { mode: "per-minute", usd_per_minute: 0.0009 }, ...streams },
    },
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("azure", { protocol: "azure-openai", base_url: "simulator:/azure", api_key_env: "AZURE_KEY" }),
    ],
  },
  { env: { AZURE_KEY: "azure-key-0123456789" } },
);

/** Two minutes of 61.5 seconds. */
const cost = 0.0018;
const ask = (account: TestAccount, model: string, more: Record<string, string> = {}, file = recording) =>
  world.send(account, { model, stream: "true", ...more }, file);

interface Events {
  deltas: string[];
  last: any;
}

/** Of server-sent events without names, but for an error's. */
function eventsOf({ text }: Pick<TestReply, "text">): Events {
  const events = text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => /^(?:event: error\n)?data: (\{.*\})$/.exec(block)![1]!)
    .map((data) => JSON.parse(data) as any);
  return { deltas: events.slice(0, -1).map(({ type, delta }) => (type === "transcript.text.delta" ? delta : type)), last: events.at(-1) };
}

async function expectPaid(account: TestAccount, usd = cost): Promise<void> {
  expect(await world.gateway.balance(account)).toEqual({ balance: Number((20 - usd).toFixed(8)), reserved: 0, spent: usd });
}

describe("200", () => {
  test.each(["file", "address"])(
    "a %s: the text in deltas, then all of it with its usage and its cost, once it is charged",
    async (mode) => {
      const account = await world.account();
      const reply = mode === "file" ? await ask(account, "demo/live") : await world.fetch(account, { model: "demo/live", stream: true });
      expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
      const { deltas, last } = eventsOf(reply);
      expect(deltas.length).toBeGreaterThan(100);
      expect(deltas.join("")).toBe(last.text);
      expect(last).toEqual({
        ...{ type: "transcript.text.done", text: expect.stringMatching(/^\w/), model: "demo/live" },
        usage: { type: "tokens", input_tokens: 615, output_tokens: deltas.length, total_tokens: 615 + deltas.length },
        billing: { duration_sec: 61.5, billable_minutes: 2, cost_usd: cost, balance_usd: 20 - cost },
      });
      expect(reply.headers).toMatchObject({
        ...{ "x-svc-model": "demo/live", "x-svc-duration-sec": "61.5", "x-svc-billable-minutes": "2" },
        ...{ "x-svc-cost-usd": "0.0018", "x-svc-balance-usd": "19.9982", "x-accel-buffering": "no" },
      });
      expect(world.sent()).toEqual([{ model: "gpt-4o-live", temperature: "0", response_format: "json", stream: "true" }]);
      expect(await world.logOf(reply)).toMatchObject({ status: "success", stream: true, cost: 180_000n });
      await expectPaid(account);
      await world.expectNothingOnDisk();
    },
  );

  test("without tokens from the provider the usage is the length", async () => {
    const { last } = eventsOf(await ask(await world.account(), "demo/uncounted"));
    expect(last.usage).toEqual({ type: "duration", seconds: 61.5 });
  });

  test.each([
    ["demo/whole", "a model that can't stream", undefined],
    ["demo/ignores", "a host that ignores `stream`", "true"],
  ])("%s, %s: all of it in one delta", async (model, _why, stream) => {
    const account = await world.account();
    const whole = await world.send(account, { model: "demo/whole", response_format: "json" });
    const { deltas, last } = eventsOf(await ask(account, model));
    expect(deltas).toEqual([whole.json.text]);
    expect(last).toMatchObject({ text: whole.json.text, usage: { type: "duration", seconds: 61.5 }, billing: { cost_usd: cost } });
    expect(world.sent().at(-1)!["stream"]).toBe(stream);
    await expectPaid(account, 2 * cost);
  });

  test("a fallback that can't stream answers in one delta, and is named", async () => {
    const reply = await ask(await world.account(), "demo/down");
    const { deltas, last } = eventsOf(reply);
    expect(deltas).toEqual([last.text]);
    expect(last).toMatchObject({ model: "demo/down", billing: { fallback: "demo/whole" } });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/down", "x-svc-fallback": "demo/whole", "x-svc-fallback-layer": "2" });
  });

  test("a stream that breaks before its first word: the next route answers", async () => {
    const account = await world.account();
    const reply = await ask(account, "demo/late");
    expect(eventsOf(reply).last.type).toBe("transcript.text.done");
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
    expect((await world.logOf(reply))!.attempts.map(({ outcome }) => outcome)).toEqual(["unavailable", "unavailable", "ok"]);
    await expectPaid(account);
  });

  test("azure-openai streams from the deployment", async () => {
    const { deltas, last } = eventsOf(await ask(await world.account(), "demo/azure"));
    expect(deltas.join("")).toBe(last.text);
    expect(world.gateway.simulator.calls()[0]!.path).toBe("/azure/openai/v1/audio/transcriptions");
  });
});

describe("an interrupted stream", () => {
  test.each(["demo/cut", "demo/ended", "demo/error"])("%s: an error as the last event, nothing charged, no other route", async (model) => {
    const account = await world.account();
    const reply = await ask(account, model);
    const { deltas, last } = eventsOf(reply);
    expect(deltas).toHaveLength(5);
    expect(last).toEqual({
      error: {
        ...{ code: "stream_interrupted", type: "upstream_error", param: null, retryable: true, message: expect.any(String) },
        ...{ request_id: reply.headers["x-request-id"], doc_url: expect.stringMatching(/#stream_interrupted$/) },
      },
    });
    expect(reply.text).toMatch(/\n\nevent: error\ndata: /);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: 200, error_code: "stream_interrupted", cost: 0n });
    expect(world.gateway.simulator.counters().received).toBe(1);
    await world.expectUntouched(account);
  });
});

describe("refused before a stream begins", () => {
  test.each([
    [422, "no_speech_detected", "demo/live", {}, wavFile(3, { isSilent: true })],
    [422, "no_speech_detected", "demo/whole", {}, wavFile(3, { isSilent: true })],
    [400, "invalid_parameter", "demo/live", { response_format: "verbose_json" }, recording],
    [400, "invalid_parameter", "demo/whole", { response_format: "srt" }, recording],
    [400, "invalid_parameter", "demo/live", { stream: "yes" }, recording],
    [422, "request_rejected", "demo/rejects", {}, recording],
    [503, "provider_unavailable", "demo/begun-with-error", {}, recording],
  ])("%i %s: %s, %j", async (status, code, model, more, file) => {
    const account = await world.account();
    const reply = await ask(account, model, more as Record<string, string>, file);
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    if ("response_format" in more) expect(reply.json.error.param).toBe("response_format");
    await world.expectUntouched(account);
  });
});

describe("a caller who disconnects", () => {
  test("midway: pays what a whole transcript costs, and the upstream is cancelled", async () => {
    const account = await world.account();
    const { body, type } = await formOf({ model: "demo/paced", stream: "true" }, recording);
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${account.key}`, "content-type": type };
    const address = `${world.gateway.url}/v1/audio/transcriptions`;
    const response = await fetch(address, { method: "POST", body: new Uint8Array(body), headers, signal: controller.signal });
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toContain("transcript.text.delta");
    controller.abort();
    expect(await settled(world, account)).toMatchObject({ status: "aborted", http_status: 499, error_code: null, cost: 180_000n });
    await expect.poll(() => world.gateway.simulator.counters().aborted).toBe(1);
    await expectPaid(account);
    await world.expectNothingOnDisk();
  });

  test.each([
    ["demo/listening", "is told to stop", { aborted: 1, answered: 0 }],
    ["demo/whole-listening", "is heard to its end: what can't stream may still fail", { aborted: 0, answered: 1 }],
  ])("before the first word of %s: pays it, and the upstream %s", async (model, _what, counters) => {
    const account = await world.account();
    const controller = new AbortController();
    const asking = world.send(account, { model, stream: "true" }, recording, { signal: controller.signal });
    const left = expect(asking).rejects.toThrow();
    await expect.poll(() => world.gateway.simulator.counters().received).toBe(1);
    controller.abort();
    await left;
    expect(await settled(world, account)).toMatchObject({ status: "aborted", http_status: 499, cost: 180_000n });
    await expect.poll(() => world.gateway.simulator.counters()).toMatchObject(counters);
    await expectPaid(account);
  });
});
