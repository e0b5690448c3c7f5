// Streams in numbers and at length: fifty side by side, long ones, large ones, slow first tokens, readers that lag, and
// silences. Whatever their pace, the words are whole and the books are right.
import { streamText } from "ai";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { costIn, costOf, quiet, userMessage, useClients } from "./clients.ts";
import { readRaw } from "./raw-streams.ts";
import { clientsCatalog } from "./upstreams.ts";

/** A host that falls silent for longer than the gateway's 10 s between two keep-alives; the simulator's pace is per record. */
const silenceMs = 10_500;
const silentHost = createServer((_request, response) => void speak(response));
const record = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-silent", object: "chat.completion.chunk", created: 1_790_000_000, model: "silent", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

async function speak(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(record({ role: "assistant", content: "Wait" }, null));
  await new Promise((resolve) => setTimeout(resolve, silenceMs));
  response.end(`${record({ content: " for it" }, null)}${record({}, "stop")}data: [DONE]\n\n`);
}

await new Promise<void>((resolve) => silentHost.listen(0, "127.0.0.1", resolve));
const clients = useClients(withSilentHost());
afterAll(() => void silentHost.close());

describe("side by side", () => {
  test("fifty streams of one account: each has its own words, and the balance falls by the sum of their costs", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const { completions } = customer.openai().chat;
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, at) =>
        completions
          .stream({ model: "plain/chat", messages: userMessage(`I am number ${at}.`), stream_options: { include_usage: true } })
          .finalChatCompletion(),
      ),
    );
    expect(answers.map(({ choices }) => /I am number (\d+)\./.exec(choices[0]!.message.content!)?.[1])).toEqual(
      answers.map((_, at) => String(at)),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(50);
    const sum = answers.reduce((total, { usage }) => total + costIn(usage), 0);
    expect(await customer.spent()).toBeCloseTo(sum, 8);
    expect(clients.gateway.simulator.counters()).toMatchObject({ received: 50, answered: 50 });
  });

  test("fifty accounts, some leaving, some on broken streams: each pays for its own", async () => {
    clients.gateway.simulator.reset();
    const paid = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const customer = await clients.customer();
        const kind = (["plain/unhurried", "broken/cut", "plain/chat"] as const)[at % 3]!;
        const stream = await customer
          .openai()
          .chat.completions.create({ model: kind, messages: userMessage("hello"), stream: true, stream_options: { include_usage: true } });
        let cost = 0;
        let chunks = 0;
        try {
          for await (const { usage } of stream) {
            cost = usage ? costIn(usage) : cost;
            if (kind === "plain/unhurried" && ++chunks === 10) break;
          }
        } catch {
          expect(kind).toBe("broken/cut");
        }
        return { kind, customer, cost };
      }),
    );
    await quiet(clients.gateway);
    for (const { kind, customer, cost } of paid) {
      const spent = await customer.spent();
      if (kind === "plain/unhurried") expect(spent).toBeGreaterThanOrEqual(costOf({ input: 1, output: 9 }));
      else expect(spent).toBe(kind === "plain/chat" ? cost : 0);
    }
  });
});

test("fifty streams on a small balance: some are refused with 402, none is lost, the balance stays above zero", async () => {
  const customer = await clients.customer({ deposit: "0.002" });
  const { completions } = customer.openai({ maxRetries: 0 }).chat;
  const request = { model: "plain/unhurried", messages: userMessage("hello"), max_tokens: 100, stream_options: { include_usage: true } };
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => completions.stream(request).finalChatCompletion()));
  const answered = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  expect(answered.length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  for (const error of refused) expect(error).toMatchObject({ status: 402, code: "insufficient_credits" });
  expect(await customer.spent()).toBeCloseTo(
    answered.reduce((sum, { usage }) => sum + costIn(usage), 0),
    8,
  );
  expect((await clients.gateway.balance(customer.account)).balance).toBeGreaterThanOrEqual(0);
});

test("callers who disconnect at any moment, before the first byte or after the last: no hold stays, no upstream call stays open", async () => {
  const customer = await clients.customer();
  clients.gateway.simulator.reset();
  const { completions } = customer.openai({ maxRetries: 0 }).chat;
  const models = ["plain/unhurried", "plain/chat", "plain/second-route", "plain/slow-start", "broken/cut", "think/plain"];
  const outcomes = await Promise.all(
    Array.from({ length: 120 }, async (_, at) => {
      const request = { model: models[at % models.length]!, messages: userMessage("hello"), stream: at % 4 !== 0 };
      try {
        const stays = at % 10 === 9;
        const answer = await completions.create(request, stays ? {} : { signal: AbortSignal.timeout((at * 37) % 600) });
        if (Symbol.asyncIterator in answer) for await (const _chunk of answer);
        return "ended";
      } catch {
        return "left";
      }
    }),
  );
  expect(outcomes.filter((_, at) => at % 10 === 9)).toEqual(Array(12).fill("ended"));
  await quiet(clients.gateway);
  await customer.spent();
  expect(await clients.gateway.balance(customer.account)).toMatchObject({ reserved: 0 });
});

describe("at length", () => {
  test("three thousand chunks arrive in order, with the words of the whole answer", async () => {
    const customer = await clients.customer();
    const request = { model: "plain/long", messages: userMessage("hello") };
    const whole = await customer.openai().chat.completions.create(request);
    const { chunks } = await readRaw(clients.gateway.url, customer.account.key, request);
    expect(chunks.length).toBeGreaterThan(3000);
    expect(chunks.map(({ choices }) => choices[0].delta.content ?? "").join("")).toBe(whole.choices[0]!.message.content);
  });

  test("twenty megabytes for a reader that lags: nothing is lost, and the cost is the tokens', not the bytes'", async () => {
    const customer = await clients.customer();
    const stream = await customer.openai().chat.completions.create({
      model: "plain/large-chunks",
      messages: userMessage("hello"),
      stream: true,
      stream_options: { include_usage: true },
    });
    let characters = 0;
    let usage: unknown = null;
    let chunks = 0;
    for await (const chunk of stream) {
      characters += chunk.choices[0]?.delta.content?.length ?? 0;
      usage = chunk.usage ?? usage;
      if (++chunks % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(characters).toBe(300 * 65_536);
    expect(usage).toMatchObject({ completion_tokens: 300 });
    expect(await customer.spent()).toBe(costIn(usage));
  });
});

describe("slowly", () => {
  test("a first token that is late harms no client", async () => {
    const customer = await clients.customer();
    const text = "You said:";
    const prompt = "hello";
    const model = "plain/slow-start";
    const [openai, ai, langchain] = await Promise.all([
      customer
        .openai()
        .chat.completions.stream({ model, messages: userMessage(prompt) })
        .finalContent(),
      streamText({ model: customer.aiSdk()(model), prompt }).text,
      customer.langchain(model).invoke(prompt),
    ]);
    expect([openai, ai, langchain.text]).toEqual([1, 2, 3].map(() => expect.stringContaining(text)));
  });

  test("a silence is filled with keep-alive comments, and every client reads on", async () => {
    const customer = await clients.customer();
    const model = "plain/silent";
    const [raw, openai, ai, langchain] = await Promise.all([
      readRaw(clients.gateway.url, customer.account.key, { model, messages: userMessage("hello") }),
      customer
        .openai()
        .chat.completions.stream({ model, messages: userMessage("hello") })
        .finalContent(),
      streamText({ model: customer.aiSdk()(model), prompt: "hello" }).text,
      Array.fromAsync(await customer.langchain(model).stream("hello"), ({ text }) => text),
    ]);
    expect(raw.comments).toEqual([": keep-alive"]);
    expect([openai, ai, langchain.join("")]).toEqual(["Wait for it", "Wait for it", "Wait for it"]);
    expect(await customer.spent()).toBeGreaterThan(0);
  });
});

function withSilentHost(): string {
  const catalog = JSON.parse(clientsCatalog) as { providers: object[]; models: Record<string, unknown>[] };
  const { port } = silentHost.address() as AddressInfo;
  catalog.providers.push({ id: "silent", protocol: "openai", base_url: `http://127.0.0.1:${port}/v1` });
  const like = catalog.models.find(({ id }) => id === "plain/chat")!;
  catalog.models.push({ ...like, id: "plain/silent", routes: [{ provider: "silent", model: "silent" }] });
  return JSON.stringify(catalog);
}
