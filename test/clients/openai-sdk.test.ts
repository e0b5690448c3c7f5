// The official OpenAI SDK against the gateway: what works at a vendor works here (docs/behaviour/endpoints.md#chat).
import { zodResponseFormat } from "openai/helpers/zod";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { costIn, costOf, userMessage, useClients } from "./clients.ts";

const clients = useClients();
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("models", () => {
  test("list gives every row with id, object, created and owned_by", async () => {
    const { data } = await (await clients.customer()).openai().models.list();
    expect(data.map(({ id }) => id)).toContain("plain/chat");
    for (const row of data) {
      expect(row).toMatchObject({ object: "model", owned_by: expect.any(String) });
      expect(Number.isInteger(row.created)).toBe(true);
    }
  });

  test("retrieve finds an id with a slash, which the SDK sends as %2F, and an alias", async () => {
    const { models } = (await clients.customer()).openai();
    expect(await models.retrieve("plain/chat")).toMatchObject({ id: "plain/chat", object: "model" });
    expect(await models.retrieve("best")).toMatchObject({ id: "plain/chat" });
  });

  test("a base address with a slash at its end works too", async () => {
    const { models } = (await clients.customer()).openai({ baseURL: `${clients.gateway.url}/v1/` });
    const ids = await Array.fromAsync(models.list(), ({ id }) => id);
    expect(ids).toContain("vectors/small");
  });
});

describe("chat", () => {
  test("whole, by iteration and by the helper: the same words, and each costs what the balance falls by", async () => {
    const customer = await clients.customer();
    const { completions } = customer.openai().chat;
    const request = { model: "plain/chat", messages: userMessage("Grüße an das Meer 🌊") };
    const stream_options = { include_usage: true };
    const whole = await completions.create(request);
    const text = whole.choices[0]!.message.content;
    expect(text).toContain("Grüße an das Meer 🌊");
    expect(whole).toMatchObject({ object: "chat.completion", model: "plain/chat", choices: [{ index: 0, finish_reason: "stop" }] });

    const iterated = await readAll(await completions.create({ ...request, stream: true, stream_options }));
    expect(iterated.text).toBe(text);
    expect(iterated.usage).toEqual(whole.usage);

    const helped = await completions.stream({ ...request, stream_options }).finalChatCompletion();
    expect(helped.choices[0]!.message.content).toBe(text);
    expect(helped.usage).toEqual(whole.usage);

    const { prompt_tokens, completion_tokens } = whole.usage!;
    expect(costIn(whole.usage)).toBeCloseTo(costOf({ input: prompt_tokens, output: completion_tokens }), 8);
    expect(await customer.spent()).toBeCloseTo(3 * costIn(whole.usage), 8);
  });

  test("usage is not shown to a stream that did not ask, and charged anyway", async () => {
    const customer = await clients.customer();
    const request = { model: "plain/chat", messages: userMessage("hello") };
    const { usage, withoutChoices } = await readAll(await customer.openai().chat.completions.create({ ...request, stream: true }));
    expect(usage).toBeNull();
    expect(withoutChoices).toBe(0);
    const silently = await customer.spent();
    const asked = await customer.openai().chat.completions.create(request);
    expect(silently).toBe(costIn(asked.usage));
  });

  test("a key with stream_usage: its streams end with the usage, asked for or not; include_usage: false holds", async () => {
    const customer = await clients.customer();
    const session = await clients.gateway.createSession(customer.account);
    const made = await clients.gateway.request("POST", "/v1/auth/keys", {
      key: session.token,
      body: { name: "agents", stream_usage: true },
    });
    const client = customer.openai({ apiKey: made.json.api_key });
    const request = { model: "plain/chat", messages: userMessage("hello") };
    const { usage } = await client.chat.completions.create(request);
    const read = async (more: object) => readAll(await client.chat.completions.create({ ...request, stream: true, ...more }));
    for (const more of [{}, { stream_options: {} }, { stream_options: null }, { stream_options: { include_usage: null } }])
      expect(await read(more)).toMatchObject({ usage, withoutChoices: 1 });
    expect(await read({ stream_options: { include_usage: false } })).toMatchObject({ usage: null, withoutChoices: 0 });

    const chunks = await Array.fromAsync(await client.completions.create({ model: "plain/chat", prompt: "hello", stream: true }));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    const langchain = customer.langchain("plain/chat", { streamUsage: false, apiKey: made.json.api_key });
    const told = (await Array.fromAsync(await langchain.stream("hello"))).flatMap(({ usage_metadata }) => usage_metadata ?? []);
    expect(told).toMatchObject([{ input_tokens: usage!.prompt_tokens, output_tokens: usage!.completion_tokens }]);

    const path = `/v1/auth/keys/${made.json.id}`;
    const changed = await clients.gateway.request("PATCH", path, { key: session.token, body: { stream_usage: false } });
    expect(changed.json.stream_usage).toBe(false);
    await expect.poll(async () => (await read({})).usage, { interval: 20 }).toBeNull(); // everywhere within a second
  });

  test("cached tokens are shown and saved, whole and streamed", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const request = { model: "plain/cached", messages: userMessage("hello") };
    const { usage } = await completions.create(request);
    expect(usage).toMatchObject({
      prompt_tokens: 1000,
      prompt_tokens_details: { cached_tokens: 600 },
      cache_discount: (600 * 0.375) / 1e6,
    });
    expect(costIn(usage)).toBeCloseTo(costOf({ input: 400, cached: 600, output: usage!.completion_tokens }), 8);
    const streamed = await readAll(await completions.create({ ...request, stream: true, stream_options: { include_usage: true } }));
    expect(streamed.usage).toEqual(usage);
  });

  test("withResponse gives x-request-id and the x-svc headers, whole and streamed", async () => {
    const customer = await clients.customer();
    const { completions } = customer.openai().chat;
    const messages = userMessage("hello");
    const direct = await completions.create({ model: "best", messages }).withResponse();
    expect(direct.request_id).toMatch(/^req_/);
    expect(svcHeaders(direct.response)).toEqual({ "x-svc-model": "plain/chat", "x-svc-alias": "best" });
    expect((direct.data as { _request_id?: string })._request_id).toBe(direct.request_id);
    const second = await completions.create({ model: "plain/second-route", messages, stream: true }).withResponse();
    expect(svcHeaders(second.response)).toEqual({
      "x-svc-model": "plain/second-route",
      "x-svc-fallback": "true",
      "x-svc-fallback-layer": "1",
    });
    expect((await readAll(second.data)).model).toBe("plain/second-route");
  });

  test("another model that answers is named in the headers alone, and never costs more than the one asked for", async () => {
    const customer = await clients.customer();
    const request = { model: "plain/other-model", messages: userMessage("hello") };
    const { data, response } = await customer.openai().chat.completions.create(request).withResponse();
    expect(svcHeaders(response)).toEqual({
      "x-svc-model": "plain/other-model",
      "x-svc-fallback": "true",
      "x-svc-fallback-layer": "3",
      "x-svc-served-model": "plain/cheap",
    });
    expect(data.model).toBe("plain/other-model");
    const { prompt_tokens, completion_tokens } = data.usage!;
    expect(costIn(data.usage)).toBeCloseTo(costOf({ input: prompt_tokens, output: completion_tokens }) / 5, 8);
    expect(await customer.spent()).toBe(costIn(data.usage));
  });

  test("a balance that cannot pay for a long answer lowers max_tokens and says so; it never falls below zero", async () => {
    const customer = await clients.customer({ deposit: "0.0003" });
    const request = { model: "plain/long", messages: userMessage("hello"), stream: true as const };
    const { data, response } = await customer.openai().chat.completions.create(request).withResponse();
    const { "x-svc-max-tokens-clamped": clamped, ...headers } = svcHeaders(response);
    expect(headers).toEqual({ "x-svc-model": "plain/long", "x-svc-credits-have": "0.0003" });
    const { finish } = await readAll(data);
    expect(finish).toBe("length");
    expect(clients.gateway.simulator.calls().findLast(({ model }) => model?.startsWith("long"))!.json).toMatchObject({
      max_tokens: Number(clamped),
    });
    await customer.spent();
    expect((await clients.gateway.balance(customer.account)).balance).toBeGreaterThanOrEqual(0);
  });

  test("fields are forwarded as they were sent, unknown ones too; store and metadata are not", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const messages = [
      { role: "developer" as const, content: "Be brief." },
      { role: "user" as const, content: "forwarding" },
    ];
    const kept = { messages, top_k: 40, stop: ["\n\n"], seed: 1, user: "u-1", logit_bias: { "50256": -100 }, temperature: 0.2 };
    await completions.create({ model: "plain/cached", ...kept, store: true, metadata: { a: "b" } });
    const { model, ...sent } = clients.gateway.simulator.calls().at(-1)!.json as Record<string, unknown>;
    expect(model).toContain("cached");
    expect(sent).toEqual(kept);
  });

  test("null is as good as absent for the fields that vendors let be null", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const nulls = {
      temperature: null,
      top_p: null,
      n: null,
      stop: null,
      max_tokens: null,
      max_completion_tokens: null,
      seed: null,
      logprobs: null,
    };
    const more = {
      stream: null,
      stream_options: null,
      frequency_penalty: null,
      presence_penalty: null,
      reasoning_effort: null,
      logit_bias: null,
    };
    const completion = await completions.create({ model: "plain/chat", messages: userMessage("hello"), ...nulls, ...more } as never);
    expect((completion as OpenAI.ChatCompletion).choices[0]!.message.content).toContain("hello");
  });

  test("a vision model reads image parts, which arrive at the upstream as they were sent", async () => {
    const customer = await clients.customer();
    const content = [
      { type: "text" as const, text: "What is in this picture?" },
      { type: "image_url" as const, image_url: { url: pixel, detail: "low" as const } },
    ];
    const completion = await customer.openai().chat.completions.create({ model: "see/plain", messages: [{ role: "user", content }] });
    expect(completion.choices[0]!.message.content).toContain("What is in this picture?");
    const sent = clients.gateway.simulator.calls().findLast(({ model }) => model === "vision")!.json;
    expect(sent).toMatchObject({ messages: [{ role: "user", content }] });
  });

  test("n choices, logprobs, stop and seed go through, streamed as whole", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const request = { model: "plain/chat", messages: userMessage("hello"), n: 2, logprobs: true, top_logprobs: 2, seed: 7 };
    const whole = await completions.create(request);
    const streamed = await completions.stream(request).finalChatCompletion();
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(whole.choices[0]!.logprobs!.content!.length).toBeGreaterThan(1);
    expect(streamed.choices.map(({ message }) => message.content)).toEqual(whole.choices.map(({ message }) => message.content));
    expect(streamed.choices.map(({ logprobs }) => logprobs!.content)).toEqual(whole.choices.map(({ logprobs }) => logprobs!.content));
  });

  test("max_completion_tokens ends an answer with finish_reason length", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const completion = await completions.create({ model: "plain/long", messages: userMessage("hello"), max_completion_tokens: 5 });
    expect(completion).toMatchObject({ choices: [{ finish_reason: "length" }], usage: { completion_tokens: 5 } });
  });
});

describe("structured output", () => {
  const shape = z.object({
    title: z.string(),
    mood: z.enum(["calm", "wild"]),
    waves: z.array(z.object({ metres: z.number().min(0).max(30) })),
    note: z.string().nullable(),
  });

  test("parse and stream give a value of the caller's zod schema", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const request = { model: "plain/chat", messages: userMessage("The sea"), response_format: zodResponseFormat(shape, "sea") };
    const parsed = (await completions.parse(request)).choices[0]!.message.parsed;
    expect(shape.parse(parsed)).toEqual(parsed);
    const streamed = await completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]!.message.parsed).toEqual(parsed);
  });
});

describe("reasoning", () => {
  for (const model of ["think/plain", "think/other-field"]) {
    test(`${model}: the thinking is in reasoning_content, and its tokens are counted inside completion_tokens`, async () => {
      const customer = await clients.customer();
      const { completions } = customer.openai().chat;
      const request = { model, messages: userMessage("Think about the sea"), reasoning_effort: "low" as const };
      const whole = await completions.create(request);
      const { usage } = whole;
      expect((whole.choices[0]!.message as { reasoning_content?: string }).reasoning_content).toEqual(expect.any(String));
      expect(usage!.completion_tokens_details!.reasoning_tokens).toBe(16);
      expect(usage!.completion_tokens).toBeGreaterThan(16);
      const streamed = await readAll(await completions.create({ ...request, stream: true, stream_options: { include_usage: true } }));
      expect(streamed.reasoning).toBe((whole.choices[0]!.message as { reasoning_content?: string }).reasoning_content);
      expect(streamed.usage).toEqual(usage);
      expect(await customer.spent()).toBeCloseTo(2 * costIn(usage), 8);
    });
  }
});

function svcHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-svc-")));
}

async function readAll(stream: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  const read = { text: "", reasoning: "", usage: null as OpenAI.CompletionUsage | null, withoutChoices: 0, model: "", finish: "" };
  for await (const { choices, usage, model } of stream) {
    const delta = choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined;
    read.text += delta?.content ?? "";
    read.reasoning += delta?.reasoning_content ?? "";
    read.usage = usage ?? read.usage;
    read.model = model;
    read.finish = choices[0]?.finish_reason ?? read.finish;
    if (choices.length === 0) read.withoutChoices += 1;
  }
  return read;
}
