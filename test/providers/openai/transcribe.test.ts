// Transcriptions over the `openai` protocol: the form that is sent, and answers of all kinds of hosts.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Transcript, TranscriptionOrder } from "../../../src/providers/verbs/audio.ts";
import { openaiTranscribe } from "../../../src/providers/openai/audio.ts";
import { until } from "../../support/eventually.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { expectFault, json } from "./chat-fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "transcribe-"));
const path = join(folder, "recording");
writeFileSync(path, "the recording");
afterAll(() => rmSync(folder, { recursive: true }));

const order: TranscriptionOrder = {
  task: "transcribe",
  file: { path, bytes: 13, contentType: "audio/mpeg", extension: "mp3" },
  seconds: 10,
  language: null,
  prompt: null,
  temperature: 0,
  timestamps: true,
};

interface Ask {
  signal?: AbortSignal;
  timeoutMs?: number;
}

function transcribe(host: Host, change: Partial<TranscriptionOrder> = {}, ask: Ask = {}): Promise<Transcript> {
  const { signal = new AbortController().signal, timeoutMs = 5_000 } = ask;
  const call = { route: routeTo(`${host.url}/v1`, { timeoutMs }), signal, requestId: "req_test", publicModel: "demo/stt" };
  return openaiTranscribe(useUpstream())({ ...call, order: { ...order, ...change } });
}

const heard = async (answer: unknown, change: Partial<TranscriptionOrder> = {}) =>
  transcribe(await startHost(typeof answer === "function" ? (answer as Answer) : json(200, JSON.stringify(answer))), change);

async function formOf(host: Host): Promise<[string, string][]> {
  const { headers, body } = host.requests[0]!;
  const form = await new Response(body, { headers: { "content-type": headers["content-type"]! } }).formData();
  const text = async (value: string | File) => (typeof value === "string" ? value : `${value.name} ${value.type} ${await value.text()}`);
  return Promise.all([...form].map(async ([name, value]) => [name, await text(value)] as [string, string]));
}

const full = {
  id: 0,
  seek: 0,
  start: 0,
  end: 2.5,
  text: " Hello.",
  tokens: [50364, 2425],
  temperature: 0.2,
  avg_logprob: -0.3,
  compression_ratio: 0.9,
  no_speech_prob: 0.01,
};

describe("what is sent", () => {
  test("a form with every field that was given, the file last, with an extension that shows its kind", async () => {
    const host = await startHost(json(200, '{"text":"Hello."}'));
    await transcribe(host, { language: "en", prompt: "Names: Zoë", temperature: 0.4 });
    expect(host.requests).toMatchObject([{ method: "POST", url: "/v1/audio/transcriptions" }]);
    expect(host.requests[0]!.headers).toMatchObject({ authorization: "Bearer sk-demo-secret-0001", "x-request-id": "req_test" });
    expect(host.requests[0]!.headers).not.toHaveProperty("transfer-encoding");
    expect(await formOf(host)).toEqual([
      ["model", "upstream-model"],
      ["language", "en"],
      ["prompt", "Names: Zoë"],
      ["temperature", "0.4"],
      ["response_format", "verbose_json"],
      ["timestamp_granularities[]", "segment"],
      ["file", "audio.mp3 audio/mpeg the recording"],
    ]);
  });

  test("of a model without timestamps `json` is asked, and nothing that was not given", async () => {
    const host = await startHost(json(200, '{"text":"Hello."}'));
    await transcribe(host, { timestamps: false });
    expect((await formOf(host)).map(([name, value]) => (name === "file" ? name : `${name}=${value}`))).toEqual([
      "model=upstream-model",
      "temperature=0",
      "response_format=json",
      "file",
    ]);
  });

  test("a long recording has more time to the first byte than the provider's own", async () => {
    const host = await startHost((_request, response) => void setTimeout(() => response.end('{"text":"Hello."}'), 300));
    await expect(transcribe(host, { seconds: 1 }, { timeoutMs: 20 })).rejects.toMatchObject({ reason: "no answer within 250 ms" });
    expect((await transcribe(host, { seconds: 3_600 }, { timeoutMs: 20 })).text).toBe("Hello.");
  });

  test("an abort reaches the host's socket", async () => {
    const host = await startHost(() => undefined);
    const abort = new AbortController();
    const sent = transcribe(host, {}, { signal: abort.signal });
    await until(() => host.requests.length === 1);
    abort.abort(new Error("the client disconnected"));
    await expect(sent).rejects.toThrow("the client disconnected");
    await until(() => host.sockets.size === 0);
  });
});

describe("answers", () => {
  test("a complete one is unchanged", async () => {
    const answer = { task: "transcribe", language: "english", duration: 9.9, text: "Hello.", segments: [full], words: [] };
    expect(await heard(answer)).toEqual({ language: "english", text: "Hello.", segments: [full] });
  });

  test("fields that a host leaves out, or fills with something else, are filled", async () => {
    const bare = { start: 0, end: 2.5, text: "Hello." };
    const odd = {
      ...bare,
      seek: null,
      tokens: ["a", 7, 1.5],
      temperature: "0",
      avg_logprob: null,
      compression_ratio: {},
      no_speech_prob: [],
    };
    const filled = { seek: 0, temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 };
    expect((await heard({ text: "Hello.", segments: [bare, odd] })).segments).toEqual([
      { ...bare, ...filled, id: 0, tokens: [] },
      { ...bare, ...filled, id: 1, tokens: [7] },
    ]);
  });

  test("segments out of order are put in order and numbered anew; times outside of the recording are cut to it", async () => {
    const times = [
      [8, 99],
      [-1, 3],
      [5, 4],
      [30, 31],
    ];
    const segments = times.map(([start, end], id) => ({ ...full, id: 7 - id, start, end }));
    const read = (await heard({ text: "Hello.", segments })).segments!;
    expect(read.map(({ id, start, end }) => [id, start, end])).toEqual([
      [0, 0, 3],
      [1, 5, 5],
      [2, 8, 10],
      [3, 10, 10],
    ]);
  });

  test.each([
    ["none", undefined],
    ["null", null],
    ["one without times", [full, { text: "Hello." }]],
    ["one that is no object", [full, "Hello."]],
    ["one without a text", [{ start: 0, end: 1 }]],
  ])("unusable segments (%s) are dropped", async (_what, segments) => {
    expect(await heard({ text: "Hello.", language: "en", segments })).toEqual({ text: "Hello.", language: "en", segments: null });
  });

  test("silence: an empty text, no segments", async () => {
    expect(await heard({ text: "", segments: [] })).toEqual({ text: "", language: null, segments: [] });
  });

  test("a text that is only in the segments", async () => {
    const segments = [{ ...full }, { ...full, start: 3, end: 4, text: " World." }];
    expect((await heard({ segments })).text).toBe(" Hello. World.");
  });

  test("a model that is priced by tokens: text and usage", async () => {
    const usage = { type: "tokens", total_tokens: 40, input_tokens: 30, output_tokens: 10 };
    expect(await heard({ text: "Hello.", usage }, { timestamps: false })).toEqual({ text: "Hello.", language: null, segments: null });
  });
});

describe("failures", () => {
  test.each([
    ["no JSON", (_request: unknown, response: any) => response.end("Hello."), "unreadable"],
    ["nothing", (_request: unknown, response: any) => response.end(""), "unreadable"],
    ["a page", (_request: unknown, response: any) => response.writeHead(502).end("<html><title>Bad gateway</title>"), "unavailable"],
    ["no text", { segments: null }, "unreadable"],
    [
      "more segments than ten seconds of speech have",
      { text: "a", segments: Array(1_051).fill({ start: 0, end: 1, text: "a" }) },
      "unreadable",
    ],
    ["two megabytes about ten seconds", { text: "a".repeat(2_000_000) }, "unreadable"],
    ["a text that is not a string", { text: 7 }, "unreadable"],
    ["200 with an error", { error: { message: "busy", type: "server_error" } }, "unavailable"],
    ["200 with an error of the caller's", { error: { message: "Bad file.", type: "invalid_request_error" } }, "rejected"],
    ["400", json(400, '{"error":{"message":"Invalid file format.","param":"file"}}'), "rejected"],
    ["413", json(413, '{"error":{"message":"At most 25 MB."}}'), "rejected"],
    ["415", json(415, "{}"), "rejected"],
    ["429", json(429, '{"error":{"message":"Slow down."}}', { "retry-after": "7" }), "rate_limited"],
    ["500", json(500, "{}"), "unavailable"],
    ["404", json(404, "{}"), "gone"],
    ["401", json(401, "{}"), "our_fault"],
  ] as const)("%s", async (_what, answer, fault) => {
    const error = await expectFault(heard(answer), fault);
    if (fault === "rate_limited") expect(error.retryAfterMs).toBe(7_000);
  });

  test("a form of answer that the model lacks is not the caller's mistake", async () => {
    const body = { error: { message: "response_format 'verbose_json' is not compatible with this model.", param: "response_format" } };
    const error = await expectFault(heard(json(400, JSON.stringify(body))), "our_fault");
    expect(error).toMatchObject({ status: 400, param: "response_format" });
  });
});
