// POST /v1/completions, deprecated and served by chat: one prompt in, its continuation out.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, costUsd, hello, language, prices, recordsOf } from "../chat/chat-gateway.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/reason", ["reason-1"], { supports_reasoning: true }),
    language("demo/second", ["first+sim-fail-503", "second"]),
    language("demo/down", ["down+sim-fail-503"]),
    language("demo/gone", ["gone+sim-404"]),
    language("demo/unreadable", ["unreadable+sim-html"]),
    language("demo/refused", ["refused+sim-refuse"]),
    ...[400, 413, 422].map((status) => language(`reject/${status}`, [`chat+sim-reject-${status}`])),
    language("demo/cut", ["chat+sim-cut-after-5"]),
    language("demo/long", ["chat+sim-tokens-40"]),
    { id: "demo/embed", type: "embedding", pricing: { mode: "per-token", input: 0.02 }, routes: [{ provider: "north", model: "embed" }] },
  ],
  { aliases: { best: "demo/chat" } },
);

const complete = (account: TestAccount, body: object) =>
  world.gateway.request("POST", "/v1/completions", {
    key: account.key,
    body: { model: "demo/chat", prompt: "Once upon a time", ...body },
  });
const textsOf = (records: any[]) =>
  records.flatMap((record) => (record === "[DONE]" ? [] : record.choices.map(({ text }: { text: string }) => text))).join("");

describe("200", () => {
  test("one prompt is one user's message; the answer is its text, its usage and cost those of chat", async () => {
    const account = await world.account();
    const reply = await complete(account, { model: "best", max_tokens: 9, temperature: 0.3 });
    expect(reply.status).toBe(200);
    expect(world.sent()).toEqual([
      { model: "chat", messages: [{ role: "user", content: "Once upon a time" }], max_tokens: 9, temperature: 0.3 },
    ]);
    const chat = await world.chat(account, {
      model: "best",
      max_tokens: 9,
      temperature: 0.3,
      messages: [{ role: "user", content: "Once upon a time" }],
    });
    expect(reply.json).toEqual({
      id: chat.json.id.replace("chatcmpl-", "cmpl-"),
      object: "text_completion",
      created: chat.json.created,
      model: "demo/chat",
      choices: [{ text: chat.json.choices[0].message.content, index: 0, logprobs: null, finish_reason: "length" }],
      usage: chat.json.usage,
    });
    expect(reply.json.usage.cost).toBe(costUsd(reply.json.usage, prices));
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * reply.json.usage.cost, 8);
    expect(await world.logOf(reply)).toMatchObject({ operation: "createCompletion", model: "demo/chat", alias: "best", stream: false });
  });

  test("the headers of chat, and that the endpoint is deprecated and what follows it", async () => {
    const { headers } = await complete(await world.account(), { model: "demo/second" });
    expect(headers).toMatchObject({
      "x-svc-model": "demo/second",
      "x-svc-fallback": "true",
      "x-svc-fallback-layer": "1",
      deprecation: "true",
      link: '</v1/chat/completions>; rel="successor-version"',
    });
  });

  test("an array of one prompt is that prompt; null is a field that was left out", async () => {
    const nulls = { max_tokens: null, temperature: null, suffix: null, echo: null, stream: null, stream_options: null, stop: null };
    expect((await complete(await world.account(), { prompt: ["Once"], ...nulls })).status).toBe(200);
    expect(world.sent()).toEqual([{ model: "chat", messages: [{ role: "user", content: "Once" }] }]);
  });

  test("echo repeats the prompt before the text", async () => {
    const account = await world.account();
    const plain = await complete(account, {});
    const echoed = await complete(account, { echo: true });
    expect(echoed.json.choices[0].text).toBe(`Once upon a time${plain.json.choices[0].text}`);
    expect(echoed.json.usage).toEqual(plain.json.usage);
  });

  test("stop ends it, as one text and as four", async () => {
    const account = await world.account();
    const { text } = (await complete(account, {})).json.choices[0];
    const word = text.trim().split(" ").at(-1);
    for (const stop of [word, ["\u0001", "\u0002", "\u0003", word]]) {
      const { json } = await complete(account, { stop });
      expect(json.choices[0]).toMatchObject({ text: text.slice(0, text.indexOf(word)), finish_reason: "stop" });
    }
    expect((await complete(account, { stop: [] })).status).toBe(200);
    expect(world.sent().at(-1)).not.toHaveProperty("stop");
  });

  test("fields that chat shares go on as sent, all others stay here", async () => {
    const shared = { top_p: 0.5, seed: 7, presence_penalty: 0.1, frequency_penalty: 0.2, logit_bias: { "5": 1 }, user: "u" };
    const own = { tools: [{}], messages: "no", store: true, reasoning_effort: "high" };
    const { status, json } = await complete(await world.account(), { ...shared, ...own, stream_options: { include_usage: true } });
    expect([status, json.choices.length]).toEqual([200, 1]);
    expect(world.sent()).toEqual([{ model: "chat", messages: [{ role: "user", content: "Once upon a time" }], ...shared }]);
  });

  test("n answers are n choices, whole and streamed, each billed, at the cost of the same chat", async () => {
    const account = await world.account();
    const { json } = await complete(account, { n: 3, echo: true });
    const chat = await world.chat(account, { model: "demo/chat", n: 3, messages: [{ role: "user", content: "Once upon a time" }] });
    const texts: string[] = chat.json.choices.map(({ message }: any) => message.content);
    expect(json.choices.map(({ index, text }: any) => [index, text])).toEqual(texts.map((text, at) => [at, `Once upon a time${text}`]));
    expect(json.usage).toEqual(chat.json.usage);
    expect(world.sent()[0]).toHaveProperty("n", 3);
    const records = recordsOf(await complete(account, { n: 3, stream: true })).slice(0, -1);
    const said = (at: number) => records.flatMap(({ choices }) => choices.filter(({ index }: any) => index === at));
    expect(
      texts.map((_, at) =>
        said(at)
          .map(({ text }: any) => text)
          .join(""),
      ),
    ).toEqual(texts);
    expect(texts.map((_, at) => said(at).at(-1).finish_reason)).toEqual(["stop", "stop", "stop"]);
  });

  test.each([[{ n: 1, best_of: 1, logprobs: null }], [{ n: null, best_of: null, logprobs: false }], [{ n: 2, best_of: 2 }]])(
    "%j asks for nothing that isn't done; best_of and logprobs stay here",
    async (body) => {
      expect((await complete(await world.account(), body)).status).toBe(200);
      for (const name of ["best_of", "logprobs"]) expect(world.sent()[0]).not.toHaveProperty(name);
    },
  );

  test("what a model thinks is no part of the text, whole and streamed, and is charged", async () => {
    const account = await world.account();
    const { json } = await complete(account, { model: "demo/reason" });
    expect(json.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const streamed = recordsOf(await complete(account, { model: "demo/reason", stream: true }));
    expect(textsOf(streamed)).toBe(json.choices[0].text);
    expect(json.choices[0].text).toMatch(/^You said: "Once upon a time"/);
    expect(JSON.stringify(streamed)).not.toContain("reasoning");
  });
});

describe("200, a stream", () => {
  test("says what the whole answer says in records of text alone; the last carries the finish, then usage, then [DONE]", async () => {
    const account = await world.account();
    const whole = await complete(account, {});
    const reply = await complete(account, { stream: true, stream_options: { include_usage: true } });
    expect(reply.headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8", deprecation: "true" });
    const records = recordsOf(reply);
    expect(records.at(-1)).toBe("[DONE]");
    expect(textsOf(records)).toBe(whole.json.choices[0].text);
    const { id, object, created, model } = whole.json;
    for (const record of records.slice(0, -1)) expect(record).toMatchObject({ id, object, created, model });
    const sent = records.slice(0, -2).flatMap(({ choices }) => choices);
    expect(sent.at(-1).finish_reason).toBe("stop");
    for (const choice of sent.slice(0, -1)) {
      expect(choice).toEqual({ text: expect.any(String), index: 0, logprobs: null, finish_reason: null });
      expect(choice.text).not.toBe("");
    }
    expect(records.at(-2)).toMatchObject({ choices: [], usage: whole.json.usage });
  });

  test("shows no usage that was not asked for, and it is charged", async () => {
    const account = await world.account();
    const reply = await complete(account, { stream: true });
    expect(reply.text).not.toContain("usage");
    expect((await world.gateway.balance(account)).spent).toBeGreaterThan(0);
    expect(await world.logOf(reply)).toMatchObject({ stream: true, status: "success" });
  });

  test("that is interrupted ends with finish_reason error and error, is not charged", async () => {
    const account = await world.account();
    const reply = await complete(account, { model: "demo/cut", stream: true });
    const records = recordsOf(reply);
    expect(records.at(-1)).toBe("[DONE]");
    expect(records.at(-2)).toMatchObject({
      object: "text_completion",
      choices: [{ text: "", index: 0, logprobs: null, finish_reason: "error" }],
      error: { code: "stream_interrupted", type: "upstream_error", retryable: true, request_id: reply.headers["x-request-id"] },
    });
    await world.expectUntouched(account);
  });

  test("whose client disconnects is charged for what was delivered", async () => {
    const account = await world.account();
    const leaving = new AbortController();
    const response = await fetch(`${world.gateway.url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo/long", prompt: "Once", stream: true }),
      signal: leaving.signal,
    });
    await response.body!.getReader().read();
    leaving.abort();
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
    expect((await world.gateway.balance(account)).spent).toBeGreaterThan(0);
  });
});

describe("400, with the name of the endpoint that does it", () => {
  test.each([
    ["no prompt", { prompt: undefined }, "missing_parameter", "prompt"],
    ["a prompt of null", { prompt: null }, "missing_parameter", "prompt"],
    ["two prompts", { prompt: ["Once", "Twice"] }, "invalid_parameter", "prompt"],
    ["no prompt in the array", { prompt: [] }, "invalid_parameter", "prompt"],
    ["a prompt as tokens", { prompt: [1, 2, 3] }, "invalid_parameter", "prompt"],
    ["prompts as tokens", { prompt: [[1, 2, 3]] }, "invalid_parameter", "prompt"],
    ["a suffix", { suffix: "the end" }, "invalid_parameter", "suffix"],
    ["echo with stream", { echo: true, stream: true }, "invalid_parameter", "echo"],
    ["echo with log probabilities", { echo: true, logprobs: 4 }, "invalid_parameter", "echo"],
    ["log probabilities of more tokens than any model gives", { logprobs: 21 }, "invalid_parameter", "logprobs"],
    ["the best of several", { best_of: 3 }, "invalid_parameter", "best_of"],
    ["some of more", { best_of: 3, n: 2 }, "invalid_parameter", "best_of"],
    ["more than the best", { best_of: 1, n: 2 }, "invalid_parameter", "best_of"],
    ["five stop sequences", { stop: ["a", "b", "c", "d", "e"] }, "invalid_parameter", "stop"],
  ])("%s", async (_, body, code, param) => {
    const account = await world.account();
    const { status, json } = await complete(account, body);
    expect([status, json.error.code, json.error.param]).toEqual([400, code, param]);
    expect(json.error.message).toContain("POST /v1/chat/completions");
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
  });
});

describe("refusals, as in chat", () => {
  test.each([
    ["prompt of another type", { prompt: 5 }, 400, "invalid_parameter"],
    ["no model", { model: undefined }, 400, "missing_parameter"],
    ["a temperature of 3", { temperature: 3 }, 400, "invalid_parameter"],
    ["no answer at all", { n: 0 }, 400, "invalid_parameter"],
    ["more answers than chat gives", { n: 129 }, 400, "invalid_parameter"],
    ["a model of another kind", { model: "demo/embed" }, 400, "wrong_endpoint"],
    ["an unknown model", { model: "demo/chatt" }, 404, "model_not_found"],
    ["a route that rejects: 400", { model: "reject/400" }, 400, "request_rejected"],
    ["a route that rejects: 413", { model: "reject/413" }, 413, "request_rejected"],
    ["a route that rejects: 422", { model: "reject/422" }, 422, "request_rejected"],
    ["routes that refuse the content", { model: "demo/refused" }, 403, "route_refused"],
    ["an unreadable answer", { model: "demo/unreadable" }, 502, "upstream_invalid_response"],
    ["no route that serves", { model: "demo/down" }, 503, "provider_unavailable"],
    ["no route that knows the model", { model: "demo/gone" }, 503, "model_unavailable"],
    ["the same before a stream", { model: "demo/down", stream: true }, 503, "provider_unavailable"],
  ])("%s", async (_, body, status, code) => {
    const account = await world.account();
    const reply = await complete(account, body);
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });

  test("400 invalid_parameter that names max_tokens: the prompt alone, by an echo of no tokens", async () => {
    const account = await world.account();
    for (const body of [{ max_tokens: 0, echo: true }, { max_tokens: 0 }]) {
      const { status, json } = await complete(account, body);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "max_tokens"]);
      expect(json.error.message).toMatch(/max_tokens.*at least 1/);
    }
    await world.expectUntouched(account);
  });

  test("402: credits that do not pay for it, and a model that needs some", async () => {
    const poor = await complete(await world.account({ deposit: "0.00000001" }), {});
    expect([poor.status, poor.json.error.code]).toEqual([402, "insufficient_credits"]);
    const free = await complete(await world.account({ signupCredit: true }), {});
    expect([free.status, free.json.error.code]).toEqual([402, "model_requires_paid"]);
  });

  test("402: a key whose budget does not reach", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 0 where account_id = $1", [account.accountId]);
    const { status, json } = await complete(account, {});
    expect([status, json.error.code]).toEqual([402, "key_limit_reached"]);
  });

  test("the same prompt costs as much here as in chat", async () => {
    const account = await world.account();
    const chat = await world.chat(account, { model: "demo/chat", messages: hello });
    const completion = await complete(account, { prompt: "Hello" });
    expect(completion.json.usage).toEqual(chat.json.usage);
  });
});
