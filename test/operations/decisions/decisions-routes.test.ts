// POST /v1/decisions with imperfect routes: without log probabilities or usage, with a fault in one question, aborted by the client.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { provider } from "../chat/chat-gateway.ts";
import { parcel, questionsOf, withRoutes, type World } from "./decisions.ts";

describe("200, a route without log probabilities", () => {
  test("without log probabilities: a document over the options' names, no probabilities; both calls are charged as one", () =>
    withRoutes(["decide+sim-no-logprobs"], async ({ account, decide, sent, logOf, gateway }) => {
      const asking = await account();
      const reply = await decide(asking);
      expect(reply.json.answers.next_step).toEqual({
        type: "choice",
        choice: expect.stringMatching(/^(refund|resend|ask)$/),
        confidence: expect.any(Number),
      });
      const [labels, document] = sent();
      expect([labels.logprobs, document.logprobs]).toEqual([true, undefined]);
      expect(document.response_format.json_schema).toMatchObject({
        strict: true,
        schema: { properties: { choice: { enum: ["refund", "resend", "ask"] } }, required: ["choice", "confidence"] },
      });
      expect(document.messages[1]).toEqual({ role: "user", content: parcel.state });
      expect(sent()).toHaveLength(2);
      expect(Number((await logOf(reply)).input_tokens)).toBe(reply.json.usage.input_tokens);
      expect(reply.json.usage.output_tokens).toBeGreaterThan(1);
      expect((await gateway.balance(asking)).spent).toBe(reply.json.usage.cost);
    }));

  test("that refuses the parameter: the same, and the refused calls are free", () =>
    withRoutes(["decide+sim-reject-logprobs+sim-prompt-tokens-1000"], async ({ account, decide, logOf }) => {
      const reply = await decide(await account());
      expect(reply.json.answers.next_step).not.toHaveProperty("probabilities");
      expect(reply.json.usage).toMatchObject({ input_tokens: 1000, cost: 0.0003 });
      expect((await logOf(reply)).attempts).toMatchObject([{ outcome: "ok" }]);
    }));

  test("is not asked for them by every question", () =>
    withRoutes(["decide+sim-no-logprobs"], async ({ account, decide, sent }) => {
      const reply = await decide(await account(), { questions: questionsOf(60) });
      expect(Object.keys(reply.json.answers)).toHaveLength(60);
      expect(sent().filter(({ logprobs }) => logprobs === true).length).toBeLessThanOrEqual(16);
      expect(sent().filter(({ response_format }) => response_format !== undefined)).toHaveLength(60);
    }));
});

describe("200, usage that no upstream says", () => {
  test("is counted: the state once a question; an estimate, never above the hold", () =>
    withRoutes(["decide+sim-no-usage"], async ({ account, decide, logOf }) => {
      const asking = await account();
      const state = "The parcel was returned. ".repeat(300);
      const one = await decide(asking, { state, questions: questionsOf(1) });
      const three = await decide(asking, { state, questions: questionsOf(3) });
      expect(one.json.usage.input_tokens).toBeGreaterThan(1500);
      expect(three.json.usage.input_tokens / one.json.usage.input_tokens).toBeCloseTo(3, 1);
      expect(three.json.usage.output_tokens).toBe(3);
      const row = await logOf(three);
      expect(row.estimated).toBe(true);
      expect(row.cost % 10_000n).toBe(0n);
      expect(row.cost).toBeLessThanOrEqual(row.reserved);
    }));
});

describe("200, a fault", () => {
  test("of a route: the next answers all questions, and is alone paid for", () =>
    withRoutes(["decide+sim-fail-503", "decide-copy"], async ({ account, decide, logOf, sent }) => {
      const reply = await decide(await account(), { questions: questionsOf(3) });
      expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
      expect((await logOf(reply)).attempts).toMatchObject([{ outcome: "unavailable", status: 503 }, { outcome: "ok" }]);
      expect(sent().filter(({ model }) => model === "decide-copy")).toHaveLength(3);
    }));
});

describe("a host that fails in one question of many", () => {
  let host: Server;
  let seen: { answered: number; aborted: number; begun: number };
  /** Question 5 fails, those after it hang, the others answer for 1000 tokens each. */
  beforeAll(async () => {
    host = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const number = Number(/Number (\d+)\?/.exec(Buffer.concat(chunks).toString())![1]);
        seen.begun += 1;
        response.on("close", () => (seen.aborted += response.writableFinished ? 0 : 1));
        if (number > 5) return;
        // The failure comes once the hanging ones are in.
        const hurry = () => (seen.begun < 16 ? setTimeout(hurry, 5) : void response.writeHead(500).end("{}"));
        if (number === 5) return hurry();
        seen.answered += 1;
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answerOfHost));
      });
    });
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => void host.close());

  test("the others are cancelled, the next route answers everything, and what the first had answered is free", () => {
    seen = { answered: 0, aborted: 0, begun: 0 };
    const base_url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    return withRoutes(
      [
        { provider: "host", model: "m" },
        { provider: "north", model: "decide+sim-prompt-tokens-10" },
      ],
      async ({ account, decide, logOf, sent }) => {
        const reply = await decide(await account(), { questions: questionsOf(40) });
        expect(Object.keys(reply.json.answers)).toHaveLength(40);
        expect(reply.json.usage).toEqual({ input_tokens: 400, output_tokens: 40, cost: 0.0002 });
        expect(sent()).toHaveLength(40);
        await expect.poll(() => seen.begun - seen.answered - 1).toBe(seen.aborted);
        expect(seen.begun).toBeLessThanOrEqual(5 + 16);
        expect((await logOf(reply)).attempts).toMatchObject([{ outcome: "unavailable", status: 500 }, { outcome: "ok" }]);
      },
      { providers: [{ id: "host", protocol: "openai", base_url }] },
    );
  });
});

const answerOfHost = {
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "A" },
      finish_reason: "length",
      logprobs: {
        content: [
          {
            token: "A",
            logprob: -0.1,
            top_logprobs: [
              { token: "A", logprob: -0.1 },
              { token: "B", logprob: -3 },
            ],
          },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 1000, completion_tokens: 1, total_tokens: 1001 },
};

test("a disconnect, at a provider that is told to stop: no more than 16 were asked at once, and the prompts of those are paid", () => {
  const routes = [{ provider: "cancels", model: "decide+sim-hang" }];
  const providers = [provider("cancels", { on_disconnect: "cancel" })];
  const asked = async ({ account, gateway }: World) => {
    const asking = await account();
    const leaving = new AbortController();
    const left = fetch(`${gateway.url}/v1/decisions`, {
      method: "POST",
      headers: { authorization: `Bearer ${asking.key}`, "content-type": "application/json" },
      body: JSON.stringify({ state: "s", questions: questionsOf(200) }),
      signal: leaving.signal,
    }).catch(() => "left");
    await expect.poll(() => gateway.simulator.calls().length).toBe(16);
    leaving.abort();
    expect(await left).toBe("left");
    await expect.poll(() => gateway.simulator.counters().aborted).toBe(16);
    await expect.poll(async () => (await gateway.balance(asking)).reserved).toBe(0);
    expect((await gateway.balance(asking)).spent).toBeGreaterThan(0);
    expect(gateway.simulator.calls()).toHaveLength(16);
  };
  return withRoutes(routes, asked, { providers });
});
