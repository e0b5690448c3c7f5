// What a language model is claimed to do, in the OpenAI and in the Anthropic dialect, whichever protocol serves it.
import { expect } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { costUsd, prices, recordsOf, textOf } from "../../operations/chat/chat-gateway.ts";
import type { Purpose } from "./columns.ts";

/** One column of the matrix. */
export interface At {
  account: TestAccount;
  model(purpose: Purpose): string;
  post(path: string, body: object): Promise<TestReply>;
  spent(): Promise<number>;
}

type Claim = (at: At) => Promise<void>;

const text = "Tell me about the sea.";
const picture = "iVBORw0KGgo=";
const pdf = "JVBERi0=";
const address = "https://example.com/sea.png";
const schema = {
  type: "object",
  properties: { title: { type: "string" }, stars: { type: "integer" } },
  required: ["title", "stars"],
  additionalProperties: false,
};
const parameters = { type: "object", properties: { place: { type: "string" } } };
const asked = "Call get_weather, please.";

async function answered(asking: Promise<TestReply>): Promise<TestReply> {
  const reply = await asking;
  expect(reply.status, reply.text).toBe(200);
  return reply;
}

// The OpenAI dialect.

const chat = (at: At, purpose: Purpose, body: object = {}) =>
  answered(at.post("/v1/chat/completions", { model: at.model(purpose), messages: [{ role: "user", content: text }], ...body }));
const streamed = { stream: true, stream_options: { include_usage: true } };
const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
const shown = (url: string) => [{ role: "user", content: [{ type: "text", text: "Look" }, { type: "image_url", image_url: { url } }] }]; // prettier-ignore
const joined = (records: any[], key: string) => records.map((record) => record.choices?.[0]?.delta?.[key] ?? "").join("");
const piecesOf = (records: any[]) => records.flatMap((record) => record.choices?.[0]?.delta?.tool_calls ?? []);

const chatClaims: Record<string, Claim> = {
  async "an answer, charged to the last digit"(at) {
    const { json } = await chat(at, "able");
    expect(json.choices[0]).toMatchObject({ message: { role: "assistant", content: expect.stringMatching(/./) }, finish_reason: "stop" });
    expect(json.usage.cost).toBe(costUsd(json.usage, prices));
    expect(await at.spent()).toBeCloseTo(json.usage.cost, 8);
  },
  async "the same streamed"(at) {
    const whole = await chat(at, "able");
    const stream = await chat(at, "able", streamed);
    expect(textOf(stream)).toBe(whole.json.choices[0].message.content);
    expect(recordsOf(stream).at(-2).usage).toEqual(whole.json.usage);
  },
  async "tools, whole and streamed"(at) {
    const body = { messages: [{ role: "user", content: asked }], tools };
    const [choice] = (await chat(at, "able", body)).json.choices;
    expect([choice.finish_reason, choice.message.tool_calls[0].function.name]).toEqual(["tool_calls", "get_weather"]);
    const pieces = piecesOf(recordsOf(await chat(at, "able", { ...body, ...streamed })));
    const told = JSON.parse(pieces.map((piece: any) => piece.function.arguments ?? "").join(""));
    expect(told).toEqual(JSON.parse(choice.message.tool_calls[0].function.arguments));
    const result = { role: "tool", tool_call_id: choice.message.tool_calls[0].id, content: "Rain." };
    const after = await chat(at, "able", { messages: [...body.messages, choice.message, result], tools });
    expect(after.json.choices[0].finish_reason).toBe("stop");
  },
  async "a tool that has to be called"(at) {
    expect((await chat(at, "able", { tools, tool_choice: "required" })).json.choices[0].finish_reason).toBe("tool_calls");
  },
  async "structured output"(at) {
    const response_format = { type: "json_schema", json_schema: { name: "film", strict: true, schema } };
    const { json } = await chat(at, "able", { response_format });
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ title: expect.any(String), stars: expect.any(Number) });
  },
  async image(at) {
    expect((await chat(at, "able", { messages: shown(`data:image/png;base64,${picture}`) })).json.choices[0].finish_reason).toBe("stop");
  },
  async "image at an address"(at) {
    expect((await chat(at, "able", { messages: shown(address) })).json.choices[0].finish_reason).toBe("stop");
  },
  async "a PDF"(at) {
    const file = { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` };
    const messages = [{ role: "user", content: [{ type: "text", text: "Read" }, { type: "file", file }] }]; // prettier-ignore
    expect((await chat(at, "able", { messages })).json.choices[0].finish_reason).toBe("stop");
  },
  async "reasoning, whole and streamed"(at) {
    const whole = await chat(at, "thinking", { reasoning_effort: "high" });
    const thought = whole.json.choices[0].message.reasoning_content;
    expect(thought).toMatch(/./);
    expect(joined(recordsOf(await chat(at, "thinking", { reasoning_effort: "high", ...streamed })), "reasoning_content")).toBe(thought);
  },
  async caching(at) {
    const { usage } = (await chat(at, "cached")).json;
    expect(usage).toMatchObject({ prompt_tokens: 1_000, prompt_tokens_details: { cached_tokens: 700 } });
    expect(usage.cost).toBe(costUsd(usage, prices));
  },
  "a refusal of the request, in the provider's words, free": (at) =>
    refused(at, at.post("/v1/chat/completions", { model: at.model("rejecting"), messages: [{ role: "user", content: text }] }), 400, "code", "request_rejected"), // prettier-ignore
  "a provider that is busy, free": (at) =>
    refused(at, at.post("/v1/chat/completions", { model: at.model("busy"), messages: [{ role: "user", content: text }] }), 503, "type", "upstream_error"), // prettier-ignore
  async "a stream that breaks, free"(at) {
    for (const purpose of ["breaking", "torn"] as const)
      expect(recordsOf(await chat(at, purpose, { stream: true })).at(-2)).toMatchObject({ error: { code: "stream_interrupted" } });
    expect(await at.spent()).toBe(0);
  },
  async embeddings(at) {
    const { json } = await answered(at.post("/v1/embeddings", { model: at.model("vectors"), input: ["low", "high"] }));
    expect(json.data.map(({ index, embedding }: any) => [index, embedding.length > 3])).toEqual([[0, true], [1, true]]); // prettier-ignore
    expect(await at.spent()).toBeGreaterThan(0);
  },
};

async function refused(at: At, reply: Promise<TestReply>, status: number, key: string, word: string): Promise<void> {
  const { status: told, json } = await reply;
  expect([told, json.error[key]]).toEqual([status, word]);
  expect(await at.spent()).toBe(0);
}

// The Anthropic dialect.

const message = (at: At, purpose: Purpose, body: object = {}) =>
  answered(at.post("/v1/messages", { model: at.model(purpose), max_tokens: 2_000, messages: [{ role: "user", content: text }], ...body }));
const eventsOf = ({ text: said }: TestReply): any[] =>
  [...said.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!) as unknown);
const pieces = (events: any[], key: string) => events.map(({ delta }) => delta?.[key] ?? "").join("");
const blockOf = (json: any, type: string) => json.content.find((block: any) => block.type === type);
const messageTools = [{ name: "get_weather", input_schema: parameters }];
const looking = (source: object) => [
  {
    role: "user",
    content: [
      { type: "text", text: "Look" },
      { type: "image", source },
    ],
  },
];

const messageClaims: Record<string, Claim> = {
  async "an answer, charged to the last digit"(at) {
    const { json } = await message(at, "able");
    expect([json.stop_reason, blockOf(json, "text").text]).toEqual(["end_turn", expect.stringMatching(/./)]);
    expect(await at.spent()).toBeCloseTo(json.usage.cost, 8);
  },
  async "the same streamed"(at) {
    const whole = await message(at, "able");
    const events = eventsOf(await message(at, "able", { stream: true }));
    expect(pieces(events, "text")).toBe(blockOf(whole.json, "text").text);
    expect(events.find(({ type }) => type === "message_delta").usage.output_tokens).toBe(whole.json.usage.output_tokens);
    expect(events.at(-1)).toEqual({ type: "message_stop" });
  },
  async "tools, whole and streamed"(at) {
    const body = { messages: [{ role: "user", content: asked }], tools: messageTools };
    const { json } = await message(at, "able", body);
    const { id, name, input } = blockOf(json, "tool_use");
    expect([json.stop_reason, name]).toEqual(["tool_use", "get_weather"]);
    expect(JSON.parse(pieces(eventsOf(await message(at, "able", { ...body, stream: true })), "partial_json"))).toEqual(input);
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "Rain." }] };
    const history = [...body.messages, { role: "assistant", content: json.content }, result];
    expect((await message(at, "able", { messages: history, tools: messageTools })).json.stop_reason).toBe("end_turn");
  },
  async "a tool that has to be called"(at) {
    expect((await message(at, "able", { tools: messageTools, tool_choice: { type: "any" } })).json.stop_reason).toBe("tool_use");
  },
  async "structured output"(at) {
    const { json } = await message(at, "able", { output_config: { format: { type: "json_schema", schema } } });
    expect(JSON.parse(blockOf(json, "text").text)).toEqual({ title: expect.any(String), stars: expect.any(Number) });
  },
  async image(at) {
    const messages = looking({ type: "base64", media_type: "image/png", data: picture });
    expect((await message(at, "able", { messages })).json.stop_reason).toBe("end_turn");
  },
  async "image at an address"(at) {
    expect((await message(at, "able", { messages: looking({ type: "url", url: address }) })).json.stop_reason).toBe("end_turn");
  },
  async "a PDF"(at) {
    const source = { type: "base64", media_type: "application/pdf", data: pdf };
    const messages = [{ role: "user", content: [{ type: "text", text: "Read" }, { type: "document", source }] }]; // prettier-ignore
    expect((await message(at, "able", { messages })).json.stop_reason).toBe("end_turn");
  },
  async "reasoning, whole and streamed"(at) {
    const body = { thinking: { type: "enabled", budget_tokens: 1_024 } };
    const { thinking } = blockOf((await message(at, "thinking", body)).json, "thinking");
    expect(thinking).toMatch(/./);
    expect(pieces(eventsOf(await message(at, "thinking", { ...body, stream: true })), "thinking")).toBe(thinking);
  },
  async caching(at) {
    const { usage } = (await message(at, "cached")).json;
    expect(usage).toMatchObject({ input_tokens: 300, cache_read_input_tokens: 700 });
  },
  "a refusal of the request, in the provider's words, free": (at) =>
    refused(at, at.post("/v1/messages", { model: at.model("rejecting"), max_tokens: 100, messages: [{ role: "user", content: text }] }), 400, "type", "invalid_request_error"), // prettier-ignore
  "a provider that is busy, free": (at) =>
    refused(at, at.post("/v1/messages", { model: at.model("busy"), max_tokens: 100, messages: [{ role: "user", content: text }] }), 503, "type", "overloaded_error"), // prettier-ignore
  async "a stream that breaks, free"(at) {
    for (const purpose of ["breaking", "torn"] as const)
      expect(eventsOf(await message(at, purpose, { stream: true })).at(-1)).toMatchObject({ type: "error" });
    expect(await at.spent()).toBe(0);
  },
};

export const claims: readonly { dialect: string; name: string; holds: Claim }[] = [
  ...Object.entries(chatClaims).map(([name, holds]) => ({ dialect: "OpenAI", name, holds })),
  ...Object.entries(messageClaims).map(([name, holds]) => ({ dialect: "Anthropic", name, holds })),
];
