// The packaged client against the real gateway: answers, streams, refusals, and what comes with each.
import { describe, expect, test } from "vitest";
import { costOf, Svc, SvcError } from "../../generated/sdk/index.js";
import { createChatCompletion, createClient } from "../../generated/sdk/functions.js";
import { useClients } from "../clients/clients.ts";

const clients = useClients();
const messages = [{ role: "user" as const, content: "Hello" }];

async function caller(options?: Parameters<typeof clients.customer>[0]) {
  const customer = await clients.customer(options);
  const settings = { apiKey: customer.account.key, baseURL: clients.gateway.url, fetch: customer.fetch, maxRetries: 0 };
  return { ...customer, settings, svc: new Svc(settings) };
}

describe("a whole answer", () => {
  test("is awaited; with its head, its request's id and its cost when asked", async () => {
    const { svc, spent } = await caller();
    const answer = await svc.chat.completions.create({ model: "plain/chat", messages });
    expect(answer.choices[0]!.message.content).toMatch(/\w/);
    const { data, response, requestId, cost } = await svc.chat.completions.create({ model: "best", messages }).withResponse();
    expect(response.headers.get("x-svc-alias")).toBe("best");
    expect(requestId).toMatch(/^req_/);
    expect(cost).toBe(data.usage.cost);
    expect(costOf(answer)).toBe(answer.usage.cost);
    expect(await spent()).toBeCloseTo(answer.usage.cost + data.usage.cost, 8);
  });

  test("of the function alone is the same as of the client", async () => {
    const { settings } = await caller();
    const answer = await createChatCompletion(createClient(settings), { model: "plain/chat", messages });
    expect(answer.object).toBe("chat.completion");
  });
});

describe("a stream", () => {
  test("gives its records as typed objects, without [DONE], and knows its cost at the end", async () => {
    const { svc, spent } = await caller();
    const body = { model: "plain/commented", messages, stream: true } as const;
    const stream = await svc.chat.completions.create(body);
    expect(stream.cost).toBeNull();
    let text = "";
    let usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toMatch(/\w/);
    expect(stream.cost).toBe(usage!.cost);
    expect(await spent()).toBeCloseTo(usage!.cost, 8);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(TypeError);
  });

  test("that breaks throws stream_interrupted after what came, and nothing is charged", async () => {
    const { svc, spent } = await caller();
    const stream = await svc.chat.completions.create({ model: "broken/error-record", messages, stream: true });
    let records = 0;
    const reading = (async () => {
      for await (const _ of stream) records += 1;
    })();
    await expect(reading).rejects.toMatchObject({
      code: "stream_interrupted",
      retryable: true,
      status: null,
      requestId: expect.stringMatching(/^req_/),
    });
    expect(records).toBeGreaterThan(0);
    expect(await spent()).toBe(0);
  });

  test("of messages and of responses is read by the same loop", async () => {
    const { svc } = await caller();
    const types = [];
    for await (const event of await svc.messages.create({ model: "plain/chat", max_tokens: 50, messages, stream: true }))
      types.push(event.type);
    expect([types[0], types.at(-1)]).toEqual(["message_start", "message_stop"]);
    const response = await svc.responses.create({ model: "plain/chat", input: "Hello", stream: true });
    let last;
    for await (const event of response) last = event;
    expect(last!.type).toBe("response.completed");
    expect(response.cost).toBeGreaterThan(0);
  });

  test.each(["messages", "responses"] as const)("of %s that breaks throws too", async (kind) => {
    const { svc } = await caller();
    const stream =
      kind === "messages"
        ? await svc.messages.create({ model: "broken/cut", max_tokens: 50, messages, stream: true })
        : await svc.responses.create({ model: "broken/cut", input: "Hello", stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toMatchObject({ code: "stream_interrupted", retryable: true });
  });

  test("that is left early ends the request: only what was made is charged", async () => {
    const { svc, spent } = await caller();
    const stream = await svc.chat.completions.create({ model: "plain/unhurried", messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    expect(stream.controller.signal.aborted).toBe(true);
    const whole = 400 * 1.5e-6;
    expect(await spent()).toBeLessThan(whole / 2);
  });
});

describe("a refusal", () => {
  test("402 model_requires_paid: narrowed by its code, with everything that the gateway said", async () => {
    const { svc } = await caller({});
    const thrown: unknown = await svc.chat.completions.create({ model: "plain/chat", messages }).catch((error: unknown) => error);
    if (!SvcError.is(thrown, "model_requires_paid")) throw thrown;
    expect(thrown.body.need_usd).toBeGreaterThan(0);
    expect(thrown).toMatchObject({ status: 402, httpStatus: 402, type: "billing_error", param: "model", retryable: false });
    expect(thrown.requestId).toMatch(/^req_/);
    expect(thrown.docUrl).toMatch(/\/docs\/errors#model_requires_paid$/);
    expect(thrown.headers!.get("x-should-retry")).toBe("false");
    expect(thrown.message).toContain(thrown.requestId!);
    expect(SvcError.is(thrown)).toBe(true);
    expect(SvcError.is(thrown, "insufficient_credits")).toBe(false);
    expect([SvcError.is(new Error("x")), SvcError.is(null)]).toEqual([false, false]);
  });

  test("as a result throws nothing, and status and code narrow it", async () => {
    const { svc } = await caller();
    const result = await svc.chat.completions.create({ model: "nobody/nothing", messages }).result();
    if (result.ok) throw new Error("it answered");
    if (result.error.status !== 404) throw result.error;
    expect(result.error.code).toBe("model_not_found");
    expect(result.error.body).toHaveProperty("suggested_models");
    const good = await svc.models.list({ type: ["language"] }).result();
    expect(good).toMatchObject({ ok: true, data: { object: "list" }, requestId: expect.stringMatching(/^req_/), cost: null });
  });

  test.each([
    ["messages", "missing_parameter"],
    ["rerank", "invalid_request"],
    ["genmedia", "missing_parameter"],
    ["images", "invalid_model"],
    ["balance", "invalid_credentials"],
  ] as const)("in the words of %s is read alike", async (kind, code) => {
    const { svc, settings } = await caller();
    const nothing = {} as never;
    const calls = {
      messages: () => svc.messages.create(nothing),
      rerank: () => svc.rerank.create(nothing),
      genmedia: () => svc.genmedia.run(nothing),
      images: () => svc.images.generate(nothing),
      balance: () => new Svc({ ...settings, apiKey: "svc_wrong" }).credits.balance(),
    };
    const result = (await calls[kind]().result()) as { ok: false; error: SvcError };
    expect(result.error).toMatchObject({
      code,
      message: expect.stringMatching(/\w/),
      requestId: expect.stringMatching(/^req_/),
      httpStatus: kind === "balance" ? 401 : 400,
    });
  });
});
