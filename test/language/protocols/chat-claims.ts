// What a language model is claimed to do over /v1/chat/completions and /v1/embeddings, whichever protocol serves it.
import { expect } from "vitest";
import { costUsd, prices, recordsOf, textOf } from "../../operations/chat/chat-gateway.ts";
import { address, answered, asked, type At, bothAsked, type Claim, parameters, pdf, picture, refused, rules, schema } from "./claim.ts";
import { sentAs, stopWord, text } from "./claim.ts";
import { cacheWrite, type Purpose } from "./columns.ts";

const chat = (at: At, purpose: Purpose, body: object = {}) =>
  answered(at.post("/v1/chat/completions", { model: at.model(purpose), messages: [{ role: "user", content: text }], ...body }));
const streamed = { stream: true, stream_options: { include_usage: true } };
const toolOf = (name: string) => ({ type: "function", function: { name, parameters } });
const tools = [toolOf("get_weather")];
const two = [toolOf("get_weather"), toolOf("get_tides")];
const asking = (content: string) => ({ messages: [{ role: "user", content }] });
const namesOf = ({ json }: { json: any }) => json.choices[0].message.tool_calls?.map(({ function: { name } }: any) => name) ?? [];
const endOf = (records: any[]) => records.map((record) => record.choices?.[0]?.finish_reason).findLast((reason) => reason != null);
const shown = (url: string) => [{ role: "user", content: [{ type: "text", text: "Look" }, { type: "image_url", image_url: { url } }] }]; // prettier-ignore
const joined = (records: any[], key: string) => records.map((record) => record.choices?.[0]?.delta?.[key] ?? "").join("");
const piecesOf = (records: any[]) => records.flatMap((record) => record.choices?.[0]?.delta?.tool_calls ?? []);

export const chatClaims: Record<string, Claim> = {
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
  async "a tool that is named, no tool, some of the tools"(at) {
    const ask = async (tool_choice: unknown) => namesOf(await chat(at, "able", { ...asking(bothAsked), tools: two, tool_choice }));
    expect(await ask({ type: "function", function: { name: "get_tides" } })).toEqual(["get_tides"]);
    expect(await ask("none")).toEqual([]);
    expect(await ask({ type: "allowed_tools", allowed_tools: { mode: "required", tools: [toolOf("get_tides")] } })).toEqual(["get_tides"]);
    expect(await ask({ type: "allowed_tools", allowed_tools: { mode: "auto", tools: [toolOf("get_tides")] } })).toEqual(["get_tides"]);
  },
  async "several tools at once, whole and streamed"(at) {
    const body = { ...asking(bothAsked), tools: two };
    const whole = await chat(at, "able", body);
    expect(namesOf(whole)).toEqual(["get_weather", "get_tides"]);
    const parts = piecesOf(recordsOf(await chat(at, "able", { ...body, ...streamed })));
    const told = [0, 1].map((place) => parts.filter(({ index }: any) => index === place));
    expect(told.map(([first]: any[]) => first.function.name)).toEqual(["get_weather", "get_tides"]);
    const { message } = whole.json.choices[0];
    for (const [place, call] of message.tool_calls.entries())
      expect(JSON.parse(told[place]!.map((piece: any) => piece.function.arguments ?? "").join(""))).toEqual(
        JSON.parse(call.function.arguments),
      );
    const results = message.tool_calls.map(({ id }: any) => ({ role: "tool", tool_call_id: id, content: "Rain." }));
    const after = await chat(at, "able", { messages: [...body.messages, message, ...results], tools: two });
    expect(after.json.choices[0].finish_reason).toBe("stop");
  },
  async "one tool at a time"(at) {
    const body = { ...asking(bothAsked), tools: two, parallel_tool_calls: false };
    expect(namesOf(await chat(at, "able", body))).toEqual(["get_weather"]);
  },
  async "instructions: system and developer messages"(at) {
    const plain = (await chat(at, "able")).json;
    for (const role of ["system", "developer"]) {
      const messages = [{ role, content: rules }, ...asking(text).messages]; // prettier-ignore
      const told = (await chat(at, "able", { messages })).json;
      expect(told.usage.prompt_tokens).toBeGreaterThan(plain.usage.prompt_tokens + 10);
      expect(JSON.stringify(at.sent().at(-1))).toContain(rules);
    }
  },
  async "a cap ends it, whole and streamed: length"(at) {
    for (const name of ["max_tokens", "max_completion_tokens"]) {
      const { json } = await chat(at, "able", { [name]: 5 });
      expect([json.choices[0].finish_reason, json.usage.completion_tokens]).toEqual(["length", 5]);
      expect(endOf(recordsOf(await chat(at, "able", { [name]: 5, ...streamed })))).toBe("length");
    }
  },
  async "a stop sequence ends it, whole and streamed: stop"(at) {
    const { json } = await chat(at, "able", { stop: ["never said", stopWord] });
    const [{ message, finish_reason }] = json.choices;
    expect([finish_reason, message.content.includes(stopWord)]).toEqual(["stop", false]);
    expect(json.usage.completion_tokens).toBeLessThan((await chat(at, "able")).json.usage.completion_tokens);
    const stream = await chat(at, "able", { stop: stopWord, ...streamed });
    expect([textOf(stream), endOf(recordsOf(stream))]).toEqual([message.content, "stop"]);
  },
  async "a filter ends it, whole and streamed: content_filter"(at) {
    expect((await chat(at, "filtered")).json.choices[0].finish_reason).toBe("content_filter");
    expect(endOf(recordsOf(await chat(at, "filtered", streamed)))).toBe("content_filter");
  },
  async "several answers, each billed, whole and streamed"(at) {
    const { json } = await chat(at, "able", { n: 2 });
    expect(json.choices.map(({ index }: any) => index)).toEqual([0, 1]);
    expect(json.usage.completion_tokens).toBeGreaterThan((await chat(at, "able")).json.usage.completion_tokens);
    const stream = recordsOf(await chat(at, "able", { n: 2, ...streamed }));
    const said = (place: number) =>
      stream
        .flatMap(({ choices = [] }: any) => choices.filter(({ index }: any) => index === place))
        .map(({ delta }: any) => delta.content ?? "");
    expect([0, 1].map((place) => said(place).join(""))).toEqual(json.choices.map(({ message }: any) => message.content));
  },
  async "log probabilities, whole and streamed"(at) {
    const body = { logprobs: true, top_logprobs: 2, max_tokens: 3 };
    const [{ logprobs }] = (await chat(at, "able", body)).json.choices;
    expect(logprobs?.content.map(({ top_logprobs }: any) => top_logprobs.length)).toEqual([2, 2, 2]);
    const records = recordsOf(await chat(at, "able", { ...body, ...streamed }));
    expect(records.flatMap(({ choices }: any) => choices?.[0]?.logprobs?.content ?? [])).toEqual(logprobs.content);
  },
  async "temperature and top_p reach the host"(at) {
    await chat(at, "able", { temperature: 0.5, top_p: 0.9 });
    expect([sentAs(at, /^temperature$/), sentAs(at, /^(?:top_?p|p)$/i)]).toEqual([[0.5], [0.9]]);
  },
  async "seed reaches the host"(at) {
    await chat(at, "able", { seed: 7 });
    expect(sentAs(at, /^seed$/)).toEqual([7]);
  },
  async "penalties reach the host"(at) {
    await chat(at, "able", { frequency_penalty: 0.5 });
    expect(sentAs(at, /^frequency_?penalty$/i)).toEqual([0.5]);
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
  async "cache writes at their own price"(at) {
    const { usage } = (await chat(at, "written")).json;
    expect(usage.prompt_tokens_details).toMatchObject({ cached_tokens: 0, cache_write_tokens: 400 });
    expect(usage.cost).toBe(written(usage));
  },
  async "usage in a stream only where it is asked for, charged either way"(at) {
    expect(recordsOf(await chat(at, "able", { stream: true })).filter((record) => record.usage != null)).toEqual([]);
    expect(await at.spent()).toBeCloseTo((await chat(at, "able")).json.usage.cost, 8);
  },
  async "a host that counts nothing: counted here, whole and streamed"(at) {
    const { usage } = (await chat(at, "uncounted")).json;
    expect(usage.cost).toBe(costUsd(usage, prices));
    expect(usage.completion_tokens).toBeGreaterThan(10);
    expect(recordsOf(await chat(at, "uncounted", streamed)).at(-2).usage).toEqual(usage);
  },
  async "a caller who leaves pays for what was written"(at) {
    const row = await at.leave("/v1/chat/completions", { model: at.model("paced"), ...asking(text), stream: true }, /"content":"[^"]/g);
    expect(row).toMatchObject({ status: "aborted", http_status: 499 });
    expect(Number(row["output_tokens"])).toBeGreaterThan(0);
    expect(Number(row["output_tokens"])).toBeLessThan(400);
    expect(await at.spent()).toBe(Number(row["cost"]) / 1e8);
  },
  async "another protocol answers in its place, and it in another's, whole and streamed"(at) {
    for (const purpose of ["helped", "helping"] as const)
      for (const body of [{}, streamed]) {
        const { headers, text: said } = await chat(at, purpose, body);
        expect([headers["x-svc-fallback-layer"], said.length > 100]).toEqual(["1", true]);
      }
  },
  "a model that the host lacks, free": (at) =>
    refused(at, at.post("/v1/chat/completions", { model: at.model("lacking"), ...asking(text) }), 503, "code", "model_unavailable"), // prettier-ignore
  "a prompt that a filter stops, free": (at) =>
    refused(at, at.post("/v1/chat/completions", { model: at.model("stopped"), ...asking(text) }), 403, "code", "route_refused"), // prettier-ignore
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
  async "embeddings of the width that is asked for"(at) {
    const { json } = await answered(at.post("/v1/embeddings", { model: at.model("vectors"), input: "low", dimensions: 256 }));
    expect(json.data[0].embedding).toHaveLength(256);
  },
};

/** Of tokens that were written to the prompt cache, in USD rounded up to eight decimals. */
function written({ prompt_tokens: prompt, completion_tokens: output, prompt_tokens_details: { cache_write_tokens: wrote } }: any): number {
  const { input, output: perOutput } = prices;
  return Math.ceil(((prompt - wrote) * input + wrote * cacheWrite + output * perOutput) * 100 - 1e-6) / 1e8;
}
