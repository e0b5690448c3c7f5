// What the refusals of audio requests say about common mistakes: which field, what it allows, where to look.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wavFile } from "../../simulator/audio-check.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { formOf } from "../transcriptions/transcription-gateway.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.createAccount({ deposit: "100" });
});
afterAll(() => gateway.stop());

interface Refusal {
  message: string;
  param: string | null;
}

async function refusalOf(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Refusal & { json: any }> {
  const { json } = await gateway.request("POST", `/v1/audio/${path}`, { key: account.key, body, headers });
  return { message: json.error.message, param: json.error.param, json };
}

const sound = wavFile(1);

async function refusalOfForm(fields: Record<string, string>, file: Buffer | null) {
  const { body, type } = await formOf(fields, file);
  return await refusalOf("transcriptions", body, { "content-type": type });
}

describe("transcriptions", () => {
  test.each([
    ["a recording inside JSON", { file: "UklGRg==" }, "audio_url", "is required; a recording itself is sent as multipart/form-data"],
    ["an http address", { audio_url: "http://example.com/a.mp3" }, "audio_url", "it must be an https:// address"],
    ["a language by its name", { audio_url: "https://example.com/a.mp3", language: "english" }, "language", "two-letter ISO 639-1 code"],
  ])("%s", async (_, body, param, words) => {
    expect(await refusalOf("transcriptions", body)).toMatchObject({ param, message: expect.stringContaining(words) });
  });

  test.each<[string, Record<string, string>, Buffer | null, string, string]>([
    ["a language by its name", { language: "english" }, sound, "language", "two-letter ISO 639-1 code"],
    ["a file that is no audio", {}, Buffer.from("dear diary"), "file", "mp3, wav, m4a, ogg, webm, flac"],
    ["a file of 26 MB", {}, Buffer.alloc(26 * 1024 * 1024), "file", "at most 25 MB are taken as file"],
    ["a field of another name", { audio: "x" }, null, "file", "file is required"],
  ])("%s in a form", async (_, fields, file, param, words) => {
    expect(await refusalOfForm(fields, file)).toMatchObject({ param, message: expect.stringContaining(words) });
  });

  test("the bare file as the body: both forms are named", async () => {
    const { message } = await refusalOf("transcriptions", sound, { "content-type": "audio/wav" });
    expect(message).toContain("the content-type must be multipart/form-data or application/json");
  });

  test("a model that makes speech: where it is served", async () => {
    const { message, param } = await refusalOfForm({ model: "lyra/flash" }, sound);
    expect([message, param]).toEqual(["model is not valid: lyra/flash is served by /v1/audio/speech.", "model"]);
  });
});

describe("speech", () => {
  test.each([
    ["lyra/flash", "calm-woman", "provider_a"],
    ["mimir/speech-hd", "lyra-narrator", "provider_b"],
  ])("%s and a voice of the other family: the field that was sent, and where this family's are", async (model, voice, family) => {
    for (const [field, sent] of [
      ["voice", { voice }],
      ["voice_id", { voice_id: voice }],
      ["voice.id", { voice: { id: voice } }],
    ] as const) {
      const { message, param } = await refusalOf("speech", { model, input: "Hello", ...sent });
      expect(param).toBe(field);
      expect(message).toBe(
        `The request is not valid: ${model} can't speak with the voice ${voice}; GET /v1/audio/voices?provider=${family} lists those that it can.`,
      );
    }
  });

  test("a model of another kind: where it is served", async () => {
    const { message, param } = await refusalOf("speech", { model: "lyra/music", input: "Hello" });
    expect([message, param]).toEqual(["lyra/music is not a text-to-speech model; it is served by /v1/audio/music.", "model"]);
  });

  test("an unknown model: only models that speak are suggested", async () => {
    const { json } = await refusalOf("speech", { model: "tts-1", input: "Hello" });
    expect(json.suggested_models).toEqual(["lyra/multilingual-quality"]);
  });
});

test("an empty model id can be seen in the message", async () => {
  expect((await refusalOf("speech", { model: "", input: "Hello" })).message).toBe('The model "" is not served here.');
});

describe("music", () => {
  test("an unknown model: only models that make music are suggested", async () => {
    const { json } = await refusalOf("music", { model: "suno", prompt: "Calm piano" });
    expect(json.suggested_models).toEqual(["lyra/music"]);
  });
});

test.each([
  ["sfx", "for sound effects"],
  ["voice-clone", "for cloning voices"],
  ["voice-design", "for designing voices"],
])("%s while paused: says so, and suggests nothing that does something else", async (path, purpose) => {
  const { message, json } = await refusalOf(path, {});
  expect(message).toBe(`The model ${purpose} is not served here: it is paused.`);
  expect(json).toMatchObject({ did_you_mean: null, suggested_models: [] });
});
