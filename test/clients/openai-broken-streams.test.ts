// Streams that end early, as the OpenAI SDK shows them: the upstream breaks (docs/behaviour/streams.md#interrupted) or the caller
// disconnects (docs/behaviour/streams.md#disconnects), and what either costs.
import OpenAI from "openai";
import { describe, expect, test, vi } from "vitest";
import { until } from "../support/eventually.ts";
import { costOf, quiet, userMessage, useClients } from "./clients.ts";

const clients = useClients();
const messages = userMessage("Tell me about the sea.");
const breaks = ["broken/error-record", "broken/cut", "broken/early-end", "broken/think"];

describe.each(breaks)("%s", (model) => {
  test("iteration throws APIError stream_interrupted after the text so far; one attempt, nothing charged", async () => {
    const customer = await clients.customer();
    const stream = await customer.openai().chat.completions.create({ model, messages, stream: true });
    let deltas = 0;
    const error = await caughtOf(async () => {
      for await (const { choices } of stream) if (textIn(choices[0]?.delta)) deltas += 1;
    });
    expect(deltas).toBe(5);
    expectInterrupted(error);
    expect(customer.exchanges.map(({ status }) => status)).toEqual([200]);
    expect(error.requestID).toBe(customer.exchanges[0]!.headers.get("x-request-id"));
    expect(await customer.spent()).toBe(0);
  });

  test("the helper rejects with the same error, and has kept the text so far", async () => {
    const customer = await clients.customer();
    const stream = customer.openai().chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
    let text = "";
    stream.on("chunk", ({ choices }) => void (text += textIn(choices[0]?.delta)));
    expectInterrupted(await caughtOf(() => stream.finalChatCompletion()));
    expect(text).not.toBe("");
    expect(await customer.spent()).toBe(0);
  });
});

test("a stream that breaks inside a tool call is an error, never a call with half its arguments", async () => {
  const customer = await clients.customer();
  const parameters = {
    type: "object",
    properties: { city: { type: "string" }, country: { type: "string" } },
    required: ["city", "country"],
  };
  const weather = { type: "function" as const, function: { name: "get_weather", parameters } };
  const stream = customer
    .openai()
    .chat.completions.stream({ model: "broken/tool-call", messages: userMessage("Use get_weather"), tools: [weather] });
  const finished: string[] = [];
  stream.on("tool_calls.function.arguments.done", ({ name }) => void finished.push(name));
  expectInterrupted(await caughtOf(() => stream.finalChatCompletion()));
  expect(finished).toEqual([]);
  expect(await customer.spent()).toBe(0);
});

test("a charge that cannot be written breaks the stream with the same error, never with a dead socket or an uncharged end", async () => {
  const customer = await clients.customer();
  const { ledger } = clients.gateway.context;
  const settle = vi.spyOn(ledger, "settle").mockRejectedValueOnce(new Error("the database is away"));
  const stream = customer.openai().chat.completions.stream({ model: "plain/chat", messages });
  expectInterrupted(await caughtOf(() => stream.finalChatCompletion()));
  const [unsettled] = settle.mock.calls[0]!;
  settle.mockRestore();
  expect((await clients.gateway.balance(customer.account)).spent).toBe(0);
  await ledger.settle(unsettled); // its hold would end by itself, but not before this file does
});

describe("a caller who disconnects", () => {
  test("by break: pays for what was delivered, and the upstream is left at once", async () => {
    const customer = await clients.customer();
    const stream = await customer.openai().chat.completions.create({ model: "plain/unhurried", messages, stream: true });
    await leftAfter(stream, 20);
    await expectLeft(customer, "unhurried", { least: 19, most: 390 });
  });

  test("by AbortController: iteration ends without an error, and the same is paid", async () => {
    const customer = await clients.customer();
    const controller = new AbortController();
    const stream = await customer
      .openai()
      .chat.completions.create({ model: "plain/unhurried", messages, stream: true }, { signal: controller.signal });
    let chunks = 0;
    for await (const _ of stream) if (++chunks === 20) controller.abort();
    await expectLeft(customer, "unhurried", { least: 19, most: 390 });
  });

  test("the helper's abort(): APIUserAbortError, and the same is paid", async () => {
    const customer = await clients.customer();
    const stream = customer.openai().chat.completions.stream({ model: "plain/unhurried", messages });
    let chunks = 0;
    stream.on("chunk", () => void (++chunks === 20 && stream.abort()));
    await expect(stream.done()).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await expectLeft(customer, "unhurried", { least: 19, most: 390 });
  });

  const leavesBeforeTheFirstByte = async (model: string, stream: boolean) => {
    const customer = await clients.customer();
    const controller = new AbortController();
    clients.gateway.simulator.reset();
    const call = customer.openai().chat.completions.create({ model, messages, stream }, { signal: controller.signal });
    await until(() => clients.gateway.simulator.counters().received === 1);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    return customer;
  };

  test("before the first byte of a stream: APIUserAbortError, the upstream is left, the prompt is paid", async () => {
    const customer = await leavesBeforeTheFirstByte("plain/slow-start", true);
    await until(() => clients.gateway.simulator.counters().aborted === 1);
    await until(async () => (await customer.spent()) > 0);
  });

  test("before a whole answer: APIUserAbortError, it is read to its end and paid", async () => {
    const customer = await leavesBeforeTheFirstByte("plain/slow-start", false);
    await until(() => clients.gateway.simulator.counters().answered === 1);
    await until(async () => (await customer.spent()) > 0);
  });

  test("while the first of two routes is slow: the second is not tried", async () => {
    const customer = await leavesBeforeTheFirstByte("plain/slow-then-second", true);
    await until(() => clients.gateway.simulator.counters().aborted === 1);
    await until(async () => (await customer.spent()) > 0);
    expect(clients.gateway.simulator.counters().received).toBe(1);
  });

  test("by its own time-out: APIConnectionTimeoutError, and each attempt is read to its end and paid", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const client = customer.openai({ timeout: 700, maxRetries: 1 });
    await expect(client.chat.completions.create({ model: "plain/slow-start", messages })).rejects.toBeInstanceOf(
      OpenAI.APIConnectionTimeoutError,
    );
    await until(() => clients.gateway.simulator.counters().answered === 2);
    await until(async () => (await customer.spent()) > 0);
  });
});

/** Stops as a caller does who has read enough. */
async function leftAfter(stream: AsyncIterable<unknown>, chunks: number): Promise<void> {
  for await (const _ of stream) if (--chunks === 0) break;
}

/** `least` and `most`: output tokens that may be charged. */
async function expectLeft(
  customer: Awaited<ReturnType<typeof clients.customer>>,
  upstream: string,
  { least, most }: { least: number; most: number },
) {
  await quiet(clients.gateway);
  expect(clients.gateway.simulator.calls().findLast(({ model }) => model?.startsWith(upstream))).toMatchObject({ outcome: "aborted" });
  await until(async () => (await clients.gateway.balance(customer.account)).spent > 0);
  const spent = await customer.spent();
  expect(spent).toBeGreaterThanOrEqual(costOf({ input: 1, output: least }));
  expect(spent).toBeLessThan(costOf({ input: 100, output: most }));
}

function expectInterrupted(error: InstanceType<typeof OpenAI.APIError>): void {
  expect(error).toMatchObject({ status: undefined, code: "stream_interrupted", type: "upstream_error" });
  expect(error.error).toMatchObject({ retryable: true, request_id: error.requestID, message: expect.any(String) });
}

async function caughtOf(work: () => Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error: unknown = await work().then(
    () => "no error",
    (cause: unknown) => cause,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error("the stream did not end with an APIError", { cause: error });
  return error;
}

function textIn(delta: unknown): string {
  const { content, reasoning_content } = (delta ?? {}) as { content?: string | null; reasoning_content?: string };
  return (content ?? "") + (reasoning_content ?? "");
}
