// What a language model is claimed to do over /v1/messages, whichever protocol serves it.
import { expect } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { address, answered, asked, type At, bothAsked, type Claim, parameters, pdf, picture, refused, rules, schema } from "./claim.ts";
import { sentAs, stopWord, text } from "./claim.ts";
import type { Purpose } from "./columns.ts";

const message = (at: At, purpose: Purpose, body: object = {}) =>
  answered(at.post("/v1/messages", { model: at.model(purpose), max_tokens: 2_000, messages: [{ role: "user", content: text }], ...body }));
const eventsOf = ({ text: said }: TestReply): any[] =>
  [...said.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!) as unknown);
const pieces = (events: any[], key: string) => events.map(({ delta }) => delta?.[key] ?? "").join("");
const blockOf = (json: any, type: string) => json.content.find((block: any) => block.type === type);
const messageTools = [{ name: "get_weather", input_schema: parameters }];
const two = [...messageTools, { name: "get_tides", input_schema: parameters }];
const asking = (content: string) => ({ messages: [{ role: "user", content }] });
const namesOf = ({ json }: { json: any }) => json.content.flatMap(({ type, name }: any) => (type === "tool_use" ? [name] : []));
const deltaOf = (events: any[]) => events.find(({ type }) => type === "message_delta");
const looking = (source: object) => [
  {
    role: "user",
    content: [
      { type: "text", text: "Look" },
      { type: "image", source },
    ],
  },
];

export const messageClaims: Record<string, Claim> = {
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
  async "a tool that is named, no tool"(at) {
    const ask = async (tool_choice: object) => namesOf(await message(at, "able", { ...asking(bothAsked), tools: two, tool_choice }));
    expect(await ask({ type: "tool", name: "get_tides" })).toEqual(["get_tides"]);
    expect(await ask({ type: "none" })).toEqual([]);
  },
  async "several tools at once, whole and streamed"(at) {
    const body = { ...asking(bothAsked), tools: two };
    const { json } = await message(at, "able", body);
    expect(namesOf({ json })).toEqual(["get_weather", "get_tides"]);
    const events = eventsOf(await message(at, "able", { ...body, stream: true }));
    const started = events.flatMap(({ content_block: block }) => (block?.type === "tool_use" ? [block.name] : []));
    expect(started).toEqual(["get_weather", "get_tides"]);
    const content = json.content.flatMap(({ type, id }: any) =>
      type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: "Rain." }] : [],
    );
    const messages = [...body.messages, { role: "assistant", content: json.content }, { role: "user", content }];
    expect((await message(at, "able", { messages, tools: two })).json.stop_reason).toBe("end_turn");
  },
  async "one tool at a time"(at) {
    const tool_choice = { type: "auto", disable_parallel_tool_use: true };
    expect(namesOf(await message(at, "able", { ...asking(bothAsked), tools: two, tool_choice }))).toEqual(["get_weather"]);
  },
  async instructions(at) {
    const plain = (await message(at, "able")).json;
    for (const system of [rules, [{ type: "text", text: rules }]]) {
      expect((await message(at, "able", { system })).json.usage.input_tokens).toBeGreaterThan(plain.usage.input_tokens + 10);
      expect(JSON.stringify(at.sent().at(-1))).toContain(rules);
    }
  },
  async "a cap ends it, whole and streamed: max_tokens"(at) {
    const { json } = await message(at, "able", { max_tokens: 5 });
    expect([json.stop_reason, json.usage.output_tokens]).toEqual(["max_tokens", 5]);
    expect(deltaOf(eventsOf(await message(at, "able", { max_tokens: 5, stream: true }))).delta.stop_reason).toBe("max_tokens");
  },
  async "a stop sequence ends it, whole and streamed"(at) {
    const body = { stop_sequences: ["never said", stopWord] };
    const said = blockOf((await message(at, "able", body)).json, "text").text;
    expect(said).not.toContain(stopWord);
    expect(pieces(eventsOf(await message(at, "able", { ...body, stream: true })), "text")).toBe(said);
  },
  async "the stop sequence is named, whole and streamed"(at) {
    const body = { stop_sequences: ["never said", stopWord] };
    const ended = { stop_reason: "stop_sequence", stop_sequence: stopWord };
    expect((await message(at, "able", body)).json).toMatchObject(ended);
    expect(deltaOf(eventsOf(await message(at, "able", { ...body, stream: true }))).delta).toMatchObject(ended);
  },
  async "a filter ends it, whole and streamed: refusal"(at) {
    expect((await message(at, "filtered")).json.stop_reason).toBe("refusal");
    expect(deltaOf(eventsOf(await message(at, "filtered", { stream: true }))).delta.stop_reason).toBe("refusal");
  },
  async "temperature and top_p reach the host"(at) {
    await message(at, "able", { temperature: 0.5, top_p: 0.9 });
    expect([sentAs(at, /^temperature$/), sentAs(at, /^(?:top_?p|p)$/i)]).toEqual([[0.5], [0.9]]);
  },
  async "a count of tokens, of which no host is asked"(at) {
    const { json } = await answered(at.post("/v1/messages/count_tokens", { model: at.model("able"), ...asking(text) }));
    expect([json.input_tokens > 0, at.sent().length, await at.spent()]).toEqual([true, 0, 0]);
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
  async "cache writes"(at) {
    const { usage } = (await message(at, "written")).json;
    expect(usage).toMatchObject({ cache_creation_input_tokens: 400, cache_read_input_tokens: 0 });
    expect(deltaOf(eventsOf(await message(at, "written", { stream: true }))).usage.cache_creation_input_tokens).toBe(400);
  },
  async "a host that counts nothing: counted here, whole and streamed"(at) {
    const { usage } = (await message(at, "uncounted")).json;
    expect(await at.spent()).toBeCloseTo(usage.cost, 8);
    expect(usage.output_tokens).toBeGreaterThan(10);
    expect(deltaOf(eventsOf(await message(at, "uncounted", { stream: true }))).usage.output_tokens).toBe(usage.output_tokens);
  },
  async "a caller who leaves pays for what was written"(at) {
    const body = { model: at.model("paced"), max_tokens: 2_000, ...asking(text), stream: true };
    const row = await at.leave("/v1/messages", body, /"text":"[^"]/g);
    expect(row).toMatchObject({ status: "aborted", http_status: 499 });
    expect(Number(row["output_tokens"])).toBeGreaterThan(0);
    expect(Number(row["output_tokens"])).toBeLessThan(400);
    expect(await at.spent()).toBe(Number(row["cost"]) / 1e8);
  },
  async "another protocol answers in its place, and it in another's, whole and streamed"(at) {
    for (const purpose of ["helped", "helping"] as const)
      for (const stream of [false, true]) {
        const { headers, text: said } = await message(at, purpose, { stream });
        expect([headers["x-svc-fallback-layer"], said.length > 100]).toEqual(["1", true]);
      }
  },
  "a prompt that a filter stops, free": (at) =>
    refused(at, at.post("/v1/messages", { model: at.model("stopped"), max_tokens: 100, ...asking(text) }), 403, "type", "permission_error"), // prettier-ignore
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
