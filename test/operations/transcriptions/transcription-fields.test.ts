// POST /v1/audio/transcriptions: the effect of each field in both modes, and what is refused before anything is counted or held.
import { describe, expect, test } from "vitest";
import { language } from "../chat/chat-gateway.ts";
import { formOf, recording, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const world = transcriptionWorld(
  [
    transcriber("demo/stt", ["stt"], { fallbacks: ["demo/plain"] }),
    transcriber("demo/quality", ["quality"]),
    transcriber("demo/plain", ["plain"], { supports_timestamps: false }),
    transcriber("demo/codes", ["codes+sim-language-code"]),
    transcriber("demo/bare", ["bare+sim-bare-segments"]),
    transcriber("demo/paused", ["paused"], { state: { paused: true } }),
    transcriber("demo/retired", ["retired"], { state: { retired: true, replacement: "demo/stt" } }),
    language("demo/chat", ["chat"]),
  ],
  { aliases: { transcribe: "demo/stt", "transcribe-quality": "demo/quality" } },
);

const modes = ["file", "address"] as const;
type Mode = (typeof modes)[number];
const ask = (mode: Mode, account: { key: string }, fields: Record<string, unknown>) =>
  mode === "file" ? world.send(account, fields as Record<string, string>) : world.fetch(account, fields);

describe.each(modes)("200: a %s", (mode) => {
  test("without a model or a format is transcribed by `transcribe`, as verbose_json", async () => {
    const reply = await ask(mode, await world.account(), {});
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/stt", "content-type": "application/json" });
    expect(reply.headers).not.toHaveProperty("x-svc-alias");
    expect(reply.json).toMatchObject({ model: "demo/stt", segments: expect.any(Array) });
    expect(world.sent()).toEqual([
      { model: "stt", temperature: "0", response_format: "verbose_json", "timestamp_granularities[]": "segment" },
    ]);
  });

  test("by an alias: x-svc-alias says it, everything else names the model", async () => {
    const reply = await ask(mode, await world.account(), { model: "transcribe-quality" });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/quality", "x-svc-alias": "transcribe-quality" });
    expect(reply.json.model).toBe("demo/quality");
    expect(await world.logOf(reply)).toMatchObject({
      model: "demo/quality",
      alias: "transcribe-quality",
      operation: "createTranscription",
    });
  });

  test("language in lower case, temperature and prompt go to the model", async () => {
    const temperature = mode === "file" ? "0.4" : 0.4;
    const reply = await ask(mode, await world.account(), {
      model: "demo/stt",
      language: "DE",
      temperature,
      prompt: "Kirchheim, Nürtingen",
    });
    expect(reply.json.language).toBe("german");
    expect(world.sent()).toMatchObject([{ language: "de", temperature: "0.4", prompt: "Kirchheim, Nürtingen" }]);
  });

  test("a pinned model without timestamps serves json and text, and is asked for nothing else", async () => {
    const account = await world.account();
    const json = await ask(mode, account, { model: "demo/plain", response_format: "json", language: "fr" });
    expect(json.json).toMatchObject({ language: "french", duration: 61.5 });
    expect(json.headers).not.toHaveProperty("x-svc-fallback-layer");
    expect((await ask(mode, account, { model: "demo/plain", response_format: "text" })).text).toBe(`${json.json.text}\n`);
    expect(world.sent().map((form) => form["response_format"])).toEqual(["json", "json"]);
  });

  test("stream: false is nothing, and so are timestamp granularities", async () => {
    const granularities = mode === "file" ? { "timestamp_granularities[]": "word" } : { timestamp_granularities: ["word", "segment"] };
    const reply = await ask(mode, await world.account(), {
      model: "demo/stt",
      stream: mode === "file" ? "false" : false,
      ...granularities,
    });
    expect(reply.status).toBe(200);
    expect(world.sent()[0]).toMatchObject({ "timestamp_granularities[]": "segment" });
  });
});

test("200: in JSON, null means not given", async () => {
  const account = await world.account();
  const names = ["model", "language", "response_format", "temperature", "prompt", "timestamp_granularities", "stream"];
  const reply = await world.fetch(account, Object.fromEntries(names.map((name) => [name, null])));
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({ "x-svc-model": "demo/stt", "content-type": "application/json" });
  expect(reply.headers).not.toHaveProperty("x-svc-alias");
  expect(world.sent()).toEqual([
    { model: "stt", temperature: "0", response_format: "verbose_json", "timestamp_granularities[]": "segment" },
  ]);
});

describe("200: what an upstream says otherwise", () => {
  test("a code in place of a language's name becomes the name", async () => {
    expect((await ask("file", await world.account(), { model: "demo/codes", language: "pt" })).json.language).toBe("portuguese");
  });

  test("segments of start, end and text alone are filled: seek too, without which the AI SDK fails", async () => {
    const { json } = await ask("file", await world.account(), { model: "demo/bare" });
    expect(json.segments[0]).toEqual({
      ...{ id: 0, seek: 0, start: 0, end: expect.any(Number), text: expect.any(String) },
      ...{ tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 },
    });
  });
});

describe("the form", () => {
  test("200: the file last, fields that were left empty, unknown ones, and a file whose name says nothing", async () => {
    const { key } = await world.account();
    const form = new FormData();
    for (const [name, value] of Object.entries({
      model: "demo/stt",
      language: "",
      prompt: "",
      response_format: "",
      temperature: "",
      user: "me",
    }))
      form.append(name, value);
    form.append("file", new Blob([new Uint8Array(recording)], { type: "text/html" }), "page.html");
    const written = new Response(form);
    const body = Buffer.from(await written.arrayBuffer());
    const headers = { "content-type": written.headers.get("content-type")! };
    const reply = await world.gateway.request("POST", "/v1/audio/transcriptions", { key, body, headers });
    expect(reply.status).toBe(200);
    expect(reply.json.segments.length).toBeGreaterThan(5);
    const [call] = world.gateway.simulator.calls();
    expect(call!.parts!.find(({ name }) => name === "file")).toMatchObject({ contentType: "audio/wav", bytes: recording.length });
  });

  test.each([
    ["missing_parameter", "file", { model: "demo/stt" }, null],
    ["invalid_parameter", "response_format", { response_format: "xml" }, recording],
    ["invalid_parameter", "language", { language: "english" }, recording],
    ["invalid_parameter", "temperature", { temperature: "1.1" }, recording],
    ["invalid_parameter", "temperature", { temperature: "warm" }, recording],
    ["invalid_parameter", "stream", { stream: "yes" }, recording],
    ["invalid_parameter", "response_format", { stream: "true", response_format: "verbose_json" }, recording],
    ["invalid_parameter", "model", { model: "demo/chat" }, recording],
    ["invalid_parameter", "timestamp_granularities[]", { "timestamp_granularities[]": "syllable" }, recording],
  ])("400 %s: %s", async (code, param, fields, file) => {
    const account = await world.account();
    const { status, json } = await world.send(account, fields as Record<string, string>, file);
    expect([status, json.error.code, json.error.param?.replace(/\[\d+\]$/, "")]).toEqual([400, code, param]);
    await world.expectUntouched(account);
  });
});

describe("the address", () => {
  test.each([
    ["missing_parameter", "audio_url", { audio_url: undefined }],
    ["invalid_parameter", "audio_url", { audio_url: "http://example.com/a.mp3" }],
    ["invalid_parameter", "audio_url", { audio_url: "file:///etc/passwd" }],
    ["invalid_parameter", "audio_url", { audio_url: "data:audio/mpeg;base64,AAAA" }],
    ["invalid_parameter", "audio_url", { audio_url: 5 }],
    ["invalid_parameter", "response_format", { response_format: "xml" }],
    ["invalid_parameter", "language", { language: "eng" }],
    ["invalid_parameter", "temperature", { temperature: -0.1 }],
    ["invalid_parameter", "stream", { stream: "yes" }],
    ["invalid_parameter", "response_format", { stream: true, response_format: "srt" }],
    ["invalid_parameter", "model", { model: "demo/chat" }],
    ["invalid_parameter", "timestamp_granularities[0]", { timestamp_granularities: ["syllable"] }],
  ])("400 %s: %s (%j)", async (code, param, body) => {
    const account = await world.account();
    const asked = world.files.requests.length;
    const { status, json } = await world.fetch(account, body);
    expect([status, json.error.code, json.error.param]).toEqual([400, code, param]);
    expect(world.files.requests).toHaveLength(asked);
    await world.expectUntouched(account);
  });
});

describe.each(modes)("refused before anything is counted or held: a %s", (mode) => {
  test.each(["demo/none", "demo/paused", "demo/retired"])("404 model_not_found: %s", async (model) => {
    const account = await world.account();
    const { status, json } = await ask(mode, account, { model });
    expect([status, json.error.code, json.error.param]).toEqual([404, "model_not_found", "model"]);
    await world.expectUntouched(account);
  });

  test.each(["verbose_json", "srt", "vtt", undefined])("400 segments_unsupported: %s of a model without timestamps", async (format) => {
    const account = await world.account();
    const reply = await ask(mode, account, { model: "demo/plain", ...(format && { response_format: format }) });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "segments_unsupported", "response_format"]);
    expect(reply.json.error.message).toBe("demo/plain cannot return timestamps; use response_format json or text.");
    expect(reply.headers).not.toHaveProperty("x-should-retry");
    expect(world.gateway.simulator.counters().received).toBe(0);
    expect(await world.logOf(reply)).toBeUndefined();
    await world.expectUntouched(account);
  });
});

describe("order of refusals", () => {
  test("415 before a field, a field before the model, the model before its formats", async () => {
    const account = await world.account();
    const codeOf = async (fields: Record<string, string>, file?: Buffer) => (await world.send(account, fields, file)).json.error.code;
    const bad = { language: "english", model: "demo/none", response_format: "srt" };
    expect(await codeOf(bad, Buffer.from("no audio"))).toBe("unsupported_audio_type");
    expect(await codeOf(bad)).toBe("invalid_parameter");
    expect(await codeOf({ ...bad, language: "en" })).toBe("model_not_found");
    expect(await codeOf({ ...bad, language: "en", model: "demo/plain" })).toBe("segments_unsupported");
  });

  test("415 unsupported_audio_type names the kinds that are taken", async () => {
    const account = await world.account();
    const { status, json } = await world.send(account, {}, Buffer.from("no audio"));
    expect([status, json.error.code]).toEqual([415, "unsupported_audio_type"]);
    for (const kind of ["mp3", "wav", "m4a", "ogg", "webm", "flac"]) expect(json.error.message).toContain(kind);
    await world.expectUntouched(account);
  });

  test("401 before the file is read", async () => {
    const { body, type } = await formOf({}, recording);
    const reply = await world.gateway.request("POST", "/v1/audio/transcriptions", { body, headers: { "content-type": type } });
    expect([reply.status, reply.json.error.code]).toEqual([401, "missing_api_key"]);
  });
});
