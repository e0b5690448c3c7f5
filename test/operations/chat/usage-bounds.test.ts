// Bounds that bind: what images and files reserve, what absurd usage is charged (docs/behaviour/billing.md#reservation, #usage).
import { describe, expect, test } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { scrape } from "../../telemetry/scrape.ts";
import { chatWorld, language, provider } from "./chat-gateway.ts";

/** USD per million tokens: a token of input is 250 units of 1e-8 USD, one of output 1,000. */
const pricing = { mode: "per-token", input: 2.5, output: 10 };
const sees = { pricing, supports_vision: true, input_modalities: ["text", "image", "file", "audio", "video"], max_output_tokens: 100 };
const reads = { context_window: 128_000, pricing: { mode: "per-token", input: 2.5 } };
const world = chatWorld(
  [
    ...[36_835, 48_169, 16_384].map((tokens) => language(`image/${tokens}`, [`chat+sim-prompt-tokens-${tokens}`], sees)),
    language("image/small", ["chat"], { ...sees, image_tokens_max: 1_000 }),
    language("image/falls", ["chat+sim-fail-503"], { ...sees, image_tokens_max: 1_000, fallbacks: ["image/36835"] }),
    language("absurd/output", ["chat+sim-completion-tokens-90000000"], sees),
    language("absurd/both", ["chat+sim-prompt-tokens-90000000+sim-completion-tokens-90000000"], sees),
    language("as/reserved", ["chat"], sees),
    { ...reads, id: "as/embedding", type: "embedding", routes: [{ provider: "north", model: "embed" }] },
    { ...reads, id: "as/ranking", type: "reranking", routes: [{ provider: "ranks", model: "rank" }] },
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("ranks", { protocol: "rerank", base_url: "simulator:/rerank" }),
    ],
    tiers: highTiers(),
  },
);

const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const user = (...content: object[]) => [{ role: "user", content: [{ type: "text", text: "What is this?" }, ...content] }];
const reservedOf = async (reply: TestReply) => {
  expect(reply.status).toBe(200);
  return Number((await world.logOf(reply))!.reserved);
};

describe("reserved", () => {
  test.each(["image/36835", "image/48169", "image/16384"])(
    "R5, %s: 25 calls at once with an image each leave no balance of 1.00 below 0",
    async (model) => {
      const account = await world.account({ deposit: "1" });
      const asks = Array.from({ length: 25 }, () => world.chat(account, { model, messages: user(image) }));
      const statuses = (await Promise.all(asks)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 402]));
      expect((await world.gateway.balance(account)).balance).toBeGreaterThanOrEqual(0);
    },
  );

  test("an image: the model's image_tokens_max, else the most of every known family; with a fallback that takes more, what that takes", async () => {
    const account = await world.account();
    const reserved = async (model: string, ...parts: object[]) =>
      reservedOf(await world.chat(account, { model, messages: user(...parts), max_tokens: 1 }));
    const plain = await reserved("as/reserved");
    const word = image.type.length; // text, like every other member of a part
    expect((await reserved("as/reserved", image)) - plain).toBe((48_169 + word) * 250);
    expect((await reserved("as/reserved", image, image)) - plain).toBe(2 * (48_169 + word) * 250);
    expect((await reserved("image/small", image)) - plain).toBe((1_000 + word) * 250);
    expect((await reserved("image/falls", image)) - plain).toBe((48_169 + word) * 250);
  });

  const address = "https://example.com/a.png";
  test.each<[string, number, object]>([
    ["images that a model made", 1, { images: [image] }],
    ["images by their addresses", 2, { images: [{ image_url: { url: address } }, { image_url: { url: address } }] }],
    ["one image by its address", 1, { image_url: { url: address } }],
    ["an address alone", 1, { image_url: address }],
    ["images as base64", 2, { images: ["iVBORw0KGgo=", { data: "iVBORw0KGgo=" }] }],
    ["several addresses in one part", 3, { content: [{ type: "image_url", image_url: { url: address, urls: [address, address] } }] }],
    ["an image in a part of text", 1, { content: [{ type: "text", text: "See", image_url: { url: address } }] }],
    ["an image in a tool's own result", 1, { content: "See", executed_tools: [{ output: [image] }] }],
    ["pages that a search read, and their addresses", 0, { content: "See", executed_tools: [{ results: [{ title: "A", url: address }] }] }],
    ["what a citation says", 0, { content: "See", annotations: [{ type: "url_citation", url_citation: { url: address, title: "A" } }] }],
  ])("in a message, wherever a host may look: %s: %i times an image", async (_, images, said) => {
    const account = await world.account();
    const messages = [...user(), { role: "assistant", content: "See", ...said }, ...user()];
    const reply = await world.chat(account, { model: "as/reserved", messages, max_tokens: 1 });
    expect(Math.floor((await reservedOf(reply)) / (40_000 * 250))).toBe(Math.min(images, 3));
  });

  test.each<[string, object]>([
    ["a recording", { audio_url: { url: "https://example.com/a.wav" } }],
    ["a file", { file: { file_data: "JVBERi0=" } }],
    ["a file that a host has read", { annotations: [{ type: "file", file: { hash: "a", content: [] } }] }],
  ])("in a message, beside its content, %s: the whole context window", async (_, beside) => {
    const messages = [{ role: "user", content: "Hear", ...beside }];
    const reply = await world.chat(await world.account(), { model: "as/reserved", messages, max_tokens: 1 });
    expect(await reservedOf(reply)).toBe(128_000 * 250 + 1_000);
  });

  test.each<[string, string, object]>([
    ["chat", "/v1/chat/completions", { model: "as/reserved", messages: user(), max_tokens: 1 }],
    ["messages", "/v1/messages", { model: "as/reserved", messages: user(), max_tokens: 1 }],
    ["embeddings", "/v1/embeddings", { model: "as/embedding", input: "Hello" }],
    ["embeddings of tokens", "/v1/embeddings", { model: "as/embedding", input: [[1, 2]] }],
    ["rerank", "/v1/rerank", { model: "as/ranking", query: "Sea", documents: ["Rain", "Snow"] }],
  ])("%s: an image in a field that no contract knows", async (_, path, body) => {
    const account = await world.account();
    const reserved = async (more: object) =>
      reservedOf(await world.gateway.request("POST", path, { key: account.key, body: { ...body, ...more } }));
    const plain = await reserved({});
    const images = [{ image_url: address }];
    expect((await reserved({ images })) - plain).toBe((48_169 + Buffer.byteLength(JSON.stringify(images))) * 250);
  });

  test("messages: an image in a block of text", async () => {
    const account = await world.account();
    const reserved = async (more: object) => {
      const messages = [{ role: "user", content: [{ type: "text", text: "See", ...more }] }];
      return reservedOf(
        await world.gateway.request("POST", "/v1/messages", { key: account.key, body: { model: "as/reserved", messages, max_tokens: 1 } }),
      );
    };
    expect((await reserved({ image_url: { url: address } })) - (await reserved({}))).toBe((48_169 + address.length) * 250);
  });

  test.each([
    ["a file", { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=" } }],
    ["a recording", { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } }],
    ["a video", { type: "video_url", video_url: { url: "data:video/mp4;base64,AAAA" } }],
    ["frames of a video", { type: "video", video: ["data:image/png;base64,AAAA"] }],
  ])("%s, however small: the whole context window", async (_, part) => {
    const reply = await world.chat(await world.account(), { model: "as/reserved", messages: user(part), max_tokens: 1 });
    expect(await reservedOf(reply)).toBe(128_000 * 250 + 1_000);
  });

  test("fields beside the messages that no contract knows: each of their bytes, since some hosts put them into the prompt", async () => {
    const account = await world.account();
    const reserved = async (more: object) => reservedOf(await world.chat(account, { model: "as/reserved", max_tokens: 1, ...more }));
    const plain = await reserved({});
    const documents = [{ title: "Sea", text: "\u00fc".repeat(500) }];
    expect((await reserved({ documents })) - plain).toBe(Buffer.byteLength(JSON.stringify(documents)) * 250);
    expect((await reserved({ context: "rain" })) - plain).toBe('"rain"'.length * 250);
    const guided_json = { type: "object", properties: { url: { type: "string" }, images: { type: "array" } } };
    expect((await reserved({ guided_json })) - plain).toBe(JSON.stringify(guided_json).length * 250);
    expect((await reserved({ min_p: 0.1, ignore_eos: false })) - plain).toBe(0);
    const unread = {
      stop: ["a", "b"],
      user: "me",
      logit_bias: { 1: 2 },
      stream_options: {},
      metadata: { a: "b" },
      reasoning_effort: "low",
    };
    expect((await reserved(unread)) - plain).toBe(0);
  });

  test("a balance is never below 0 through documents that stand beside the messages", async () => {
    const account = await world.account({ deposit: "0.05" });
    const body = { model: "image/16384", documents: [{ text: "word ".repeat(16_384) }], max_tokens: 1 };
    expect((await world.chat(account, body)).status).toBe(402);
    await world.expectUntouched(account, 0.05);
  });
});

describe("measured usage above what window and output allow is charged at that bound, logged and counted", () => {
  const overruns = async (model: string, kind: string) => (await scrape(world.gateway)).figure("svc_usage_overruns_total", { model, kind });

  test("an output of 90 million tokens: the model's longest answer, for each answer that was asked for", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "absurd/output", max_tokens: 5, n: 2 });
    expect(reply.status).toBe(200);
    expect(reply.json.usage.cost).toBe((reply.json.usage.prompt_tokens * 250 + 200 * 1_000) / 1e8);
    expect(await overruns("absurd/output", "bounds")).toBe(1);
  });

  test("streamed, both sides: the window and the longest answer, and no more", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "absurd/both", stream: true });
    expect(reply.status).toBe(200);
    expect((await world.logOf(reply))!.cost).toBe(BigInt(128_000 * 250 + 100 * 1_000));
    expect([await overruns("absurd/both", "bounds"), await overruns("absurd/both", "hold")]).toEqual([1, 1]);
  });

  test("usage within both, and within its hold, is none of it", async () => {
    expect((await world.chat(await world.account(), { model: "as/reserved" })).status).toBe(200);
    expect([await overruns("as/reserved", "bounds"), await overruns("as/reserved", "hold")]).toEqual([undefined, undefined]);
  });
});
