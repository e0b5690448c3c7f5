// The official clients against `npm run mock`, as their users write them: only the address is another.
import Anthropic from "@anthropic-ai/sdk";
import { MPEGDecoder } from "mpg123-decoder";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import Svc, { SvcError } from "../../generated/sdk/index.js";
import { type MockServer, startMock } from "./mock-server.ts";

let mock: MockServer;
let openai: OpenAI;
let anthropic: Anthropic;
let svc: Svc;
beforeAll(async () => {
  mock = await startMock();
  openai = new OpenAI({ apiKey: "svc_any", baseURL: `${mock.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: "svc_any", baseURL: mock.url, maxRetries: 0 });
  svc = new Svc({ apiKey: "svc_any", baseURL: mock.url, maxRetries: 0 });
});
afterAll(() => mock.stop());

const messages = [{ role: "user" as const, content: "Name a lighthouse." }];
const question = { model: "north/chat-large", messages };

describe("openai", () => {
  test("chat", async () => {
    const { choices, usage } = await openai.chat.completions.create(question);
    expect([choices[0]!.message.content, usage!.completion_tokens]).toEqual(["Roter Sand.", 5]);
  });

  test("a chat's stream: text, usage, end", async () => {
    let text = "";
    let total: number | undefined;
    for await (const chunk of await openai.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      text += chunk.choices[0]?.delta.content ?? "";
      total = chunk.usage?.total_tokens ?? total;
    }
    expect([text, total]).toEqual(["Roter Sand.", 17]);
  });

  test("a response's stream", async () => {
    const stream = openai.responses.stream({ model: "north/chat-large", input: "Name a lighthouse.", store: false });
    expect((await stream.finalResponse()).output_text).toBe("Roter Sand.");
  });

  test("submitting an image: a job to poll", async () => {
    const job: unknown = await openai.images.generate({ model: "image", prompt: "A lighthouse" });
    expect(job).toMatchObject({ object: "image.job", id: expect.stringMatching(/^job_/) as unknown });
  });

  test("speech: an MP3 that decodes", async () => {
    const answer = await openai.audio.speech.create({
      model: "lyra/multilingual-quality",
      voice: "alloy",
      input: "The harbour opens at six.",
    });
    const decoder = new MPEGDecoder();
    await decoder.ready;
    const { sampleRate, samplesDecoded, errors } = decoder.decode(new Uint8Array(await answer.arrayBuffer()));
    decoder.free();
    expect({ sampleRate, errors }).toEqual({ sampleRate: 44_100, errors: [] });
    expect(samplesDecoded).toBeGreaterThan(8_000);
  });

  test("a recording's subtitles, and its text as a stream", async () => {
    const file = await toFile(Buffer.alloc(2_000, 0xff), "meeting.mp3");
    const subtitles = await openai.audio.transcriptions.create({ model: "transcribe", file, response_format: "srt" });
    expect(subtitles).toContain("--> 00:00:01,600");
    const events = await openai.audio.transcriptions.create({ model: "transcribe", file, stream: true });
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    expect(types).toEqual(["transcript.text.delta", "transcript.text.delta", "transcript.text.done"]);
  });

  test("an error that was asked for is the client's own kind of error", async () => {
    const headers = { prefer: "code=402, example=insufficient_credits" };
    const error: unknown = await openai.chat.completions.create(question, { headers }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ status: 402, code: "insufficient_credits", type: "billing_error" });
  });
});

describe("anthropic", () => {
  test("a message", async () => {
    const { content, stop_reason } = await anthropic.messages.create({ ...question, max_tokens: 100 });
    expect([content.at(-1), stop_reason]).toMatchObject([{ type: "text", text: "Roter Sand." }, "end_turn"]);
  });

  test("a message's stream", async () => {
    const { content, usage } = await anthropic.messages.stream({ ...question, max_tokens: 100 }).finalMessage();
    expect(content.at(-1)).toMatchObject({ type: "text", text: "Roter Sand." });
    expect(usage.output_tokens).toBeGreaterThan(0);
  });

  test("429 is the client's own error", async () => {
    const headers = { prefer: "code=429" };
    const error: unknown = await anthropic.messages
      .create({ ...question, max_tokens: 100 }, { headers })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
  });
});

describe("svc-sdk", () => {
  test("a chat and its stream, with what they cost", async () => {
    const answer = await svc.chat.completions.create(question);
    expect([answer.choices[0]!.message.content, answer.usage.cost]).toEqual(["Roter Sand.", 0.000064]);
    const stream = await svc.chat.completions.create({ ...question, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect([text, stream.cost]).toEqual(["Roter Sand.", 0.000064]);
  });

  test("an image: submitted, polled, there", async () => {
    const job = await svc.images.generateAndWait({ model: "image", prompt: "A lighthouse" });
    expect([job.status, job.output.url]).toEqual(["succeeded", expect.stringMatching(/^https:/)]);
  });

  test("all pages come to an end", async () => {
    const kinds: string[] = [];
    for await (const entry of svc.credits.ledger()) kinds.push(entry.type);
    for await (const job of svc.jobs.list()) kinds.push(job.object);
    for await (const log of svc.usage.logs()) kinds.push(log.endpoint);
    expect(kinds.length).toBeGreaterThan(3);
  });

  test("an error that was asked for, by its code", async () => {
    const headers = { prefer: "code=402, example=model_requires_paid" };
    const error: unknown = await svc.chat.completions.create(question, { headers }).catch((thrown: unknown) => thrown);
    expect(SvcError.is(error, "model_requires_paid")).toBe(true);
  });
});
