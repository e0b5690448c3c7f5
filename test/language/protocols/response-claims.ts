// What a language model is claimed to do over /v1/responses and /v1/completions, whichever protocol serves it.
import { expect } from "vitest";
import { costUsd, prices, recordsOf } from "../../operations/chat/chat-gateway.ts";
import { eventsOf, typesOf } from "../../operations/responses/responses-gateway.ts";
import {
  answered,
  asked,
  type At,
  bothAsked,
  type Claim,
  parameters,
  pdf,
  picture,
  refused,
  rules,
  schema,
  stopWord,
  text,
} from "./claim.ts";
import type { Purpose } from "./columns.ts";

const respond = (at: At, purpose: Purpose, body: object = {}) =>
  answered(at.post("/v1/responses", { model: at.model(purpose), input: text, ...body }));
/** The response that a stream ends with. */
const streamed = async (at: At, purpose: Purpose, body: object = {}) =>
  eventsOf(await respond(at, purpose, { ...body, stream: true })).at(-1).response;
const itemsOf = ({ output }: any, type: string): any[] => output.filter((item: any) => item.type === type);
const textOf = (response: any): string => itemsOf(response, "message")[0].content[0].text;
const toolOf = (name: string) => ({ type: "function", name, parameters });
const looking = (part: object) => [{ role: "user", content: [{ type: "input_text", text: "Look" }, part] }]; // prettier-ignore

export const responseClaims: Record<string, Claim> = {
  async "an answer, charged to the last digit"(at) {
    const { json } = await respond(at, "able");
    const { input_tokens: prompt_tokens, output_tokens: completion_tokens, cost } = json.usage;
    expect([json.status, cost]).toEqual(["completed", costUsd({ prompt_tokens, completion_tokens, ...read0 }, prices)]);
    expect(await at.spent()).toBeCloseTo(cost, 8);
  },
  async "the same streamed"(at) {
    const { json } = await respond(at, "able");
    const events = eventsOf(await respond(at, "able", { stream: true }));
    const pieces = events.flatMap(({ type, delta }) => (type === "response.output_text.delta" ? [delta] : []));
    expect([pieces.join(""), typesOf(events).at(-1)]).toEqual([textOf(json), "response.completed"]);
    expect(events.at(-1).response.usage).toEqual(json.usage);
  },
  async "tools, whole and streamed"(at) {
    const body = { input: [{ role: "user", content: asked }], tools: [toolOf("get_weather")] };
    const { json } = await respond(at, "able", body);
    const [call] = itemsOf(json, "function_call");
    expect(call.name).toBe("get_weather");
    expect(itemsOf(await streamed(at, "able", body), "function_call")[0].arguments).toBe(call.arguments);
    const result = { type: "function_call_output", call_id: call.call_id, output: "Rain." };
    expect(textOf((await respond(at, "able", { ...body, input: [...body.input, call, result] })).json)).toMatch(/./);
  },
  async "several tools at once"(at) {
    const body = { input: bothAsked, tools: [toolOf("get_weather"), toolOf("get_tides")] };
    const names = itemsOf((await respond(at, "able", body)).json, "function_call").map(({ name }) => name);
    expect(names).toEqual(["get_weather", "get_tides"]);
  },
  async "a tool that has to be called, one that is named, none"(at) {
    const ask = async (input: string, tool_choice: unknown) =>
      itemsOf(
        (await respond(at, "able", { input, tools: [toolOf("get_weather"), toolOf("get_tides")], tool_choice })).json,
        "function_call",
      );
    expect(await ask(text, "required")).toHaveLength(1);
    expect((await ask(text, { type: "function", name: "get_tides" })).map(({ name }) => name)).toEqual(["get_tides"]);
    expect(await ask(bothAsked, "none")).toEqual([]);
  },
  async "structured output"(at) {
    const format = { type: "json_schema", name: "film", strict: true, schema };
    const { json } = await respond(at, "able", { text: { format } });
    expect(JSON.parse(textOf(json))).toEqual({ title: expect.any(String), stars: expect.any(Number) });
  },
  async "reasoning, whole and streamed"(at) {
    const body = { reasoning: { effort: "high", summary: "auto" } };
    const summaryOf = (response: any) => itemsOf(response, "reasoning")[0].summary[0].text;
    const { json } = await respond(at, "thinking", body);
    expect(summaryOf(json)).toMatch(/./);
    expect(summaryOf(await streamed(at, "thinking", body))).toBe(summaryOf(json));
  },
  async instructions(at) {
    const plain = (await respond(at, "able")).json;
    const told = (await respond(at, "able", { instructions: rules })).json;
    expect(told.usage.input_tokens).toBeGreaterThan(plain.usage.input_tokens + 10);
  },
  async image(at) {
    const input = looking({ type: "input_image", detail: "auto", image_url: `data:image/png;base64,${picture}` });
    expect((await respond(at, "able", { input })).json.status).toBe("completed");
  },
  async "a PDF"(at) {
    const input = looking({ type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` });
    expect((await respond(at, "able", { input })).json.status).toBe("completed");
  },
  async "a cap ends it, whole and streamed: incomplete"(at) {
    const ended = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    expect((await respond(at, "able", { max_output_tokens: 16 })).json).toMatchObject(ended);
    expect(await streamed(at, "able", { max_output_tokens: 16 })).toMatchObject(ended);
  },
  async "a filter ends it, whole and streamed: incomplete"(at) {
    const ended = { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    expect((await respond(at, "filtered")).json).toMatchObject(ended);
    expect(await streamed(at, "filtered")).toMatchObject(ended);
  },
  async "log probabilities, whole and streamed"(at) {
    const { json } = await respond(at, "able", { top_logprobs: 2 });
    const { logprobs } = itemsOf(json, "message")[0].content[0];
    expect(logprobs.length).toBeGreaterThan(3);
    expect(itemsOf(await streamed(at, "able", { top_logprobs: 2 }), "message")[0].content[0].logprobs).toEqual(logprobs);
  },
  async caching(at) {
    const { usage } = (await respond(at, "cached")).json;
    expect(usage).toMatchObject({ input_tokens: 1_000, input_tokens_details: { cached_tokens: 700 } });
  },
  "a refusal of the request, in the provider's words, free": (at) =>
    refused(at, at.post("/v1/responses", { model: at.model("rejecting"), input: text }), 400, "code", "request_rejected"),
  "a provider that is busy, free": (at) =>
    refused(at, at.post("/v1/responses", { model: at.model("busy"), input: text }), 503, "type", "upstream_error"),
  async "a stream that breaks, free"(at) {
    for (const purpose of ["breaking", "torn"] as const)
      expect(eventsOf(await respond(at, purpose, { stream: true })).at(-1).type).toBe("response.failed");
    expect(await at.spent()).toBe(0);
  },
};

const read0 = { prompt_tokens_details: { cached_tokens: 0 } };

const complete = (at: At, purpose: Purpose, body: object = {}) =>
  answered(at.post("/v1/completions", { model: at.model(purpose), prompt: text, ...body }));

export const completionClaims: Record<string, Claim> = {
  async "an answer, charged to the last digit"(at) {
    const { json } = await complete(at, "able");
    expect([json.choices[0].finish_reason, json.usage.cost]).toEqual(["stop", costUsd(json.usage, prices)]);
    expect(await at.spent()).toBeCloseTo(json.usage.cost, 8);
  },
  async "the same streamed"(at) {
    const { json } = await complete(at, "able");
    const records = recordsOf(await complete(at, "able", { stream: true, stream_options: { include_usage: true } }));
    expect(records.map((record) => record.choices?.[0]?.text ?? "").join("")).toBe(json.choices[0].text);
    expect(records.at(-2).usage).toEqual(json.usage);
  },
  async "a stop sequence ends it"(at) {
    expect((await complete(at, "able", { stop: stopWord })).json.choices[0].text).not.toContain(stopWord);
  },
  async "a cap ends it: length"(at) {
    expect((await complete(at, "able", { max_tokens: 5 })).json.choices[0].finish_reason).toBe("length");
  },
  async "several answers, each billed, whole and streamed"(at) {
    expect((await complete(at, "able", { n: 2 })).json.choices).toHaveLength(2);
  },
  async "log probabilities of completions"(at) {
    const { json } = await complete(at, "able", { logprobs: 2, max_tokens: 3 });
    expect(json.choices[0].logprobs.tokens).toHaveLength(3);
  },
};
