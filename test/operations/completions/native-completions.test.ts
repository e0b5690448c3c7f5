// POST /v1/completions at routes whose provider has completions of its own: several prompts, token ids, suffix, best_of, log probabilities and a
// streamed echo.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { costUsd, prices, recordsOf } from "../chat/chat-gateway.ts";
import { answersIn, completeAt, nativeWorld } from "./native-world.ts";

const world = nativeWorld();
const complete = completeAt(world);
const spentBy = async (account: TestAccount) => (await world.gateway.balance(account)).spent;

describe("several prompts", () => {
  test("each has n answers, the first prompt's first; one request, its usage summed, charged to the unit", async () => {
    const account = await world.account();
    const prompts = ["Once upon a time", "The lighthouse", "Salt"];
    const alone = await Promise.all(prompts.map((prompt) => complete(account, { prompt, n: 2 })));
    const before = await spentBy(account);
    const { json, status } = await complete(account, { prompt: prompts, n: 2 });
    expect(status).toBe(200);
    expect(world.sent().at(-1)).toEqual({ model: "base", prompt: prompts, n: 2, max_tokens: 12 });
    expect(json.choices.map(({ index }: any) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(json.choices.map(({ text }: any) => text)).toEqual(alone.flatMap((one) => one.json.choices.map(({ text }: any) => text)));
    expect(json.id).toMatch(/^cmpl-/);
    const sum = (field: string) => alone.reduce((total, one) => total + one.json.usage[field], 0);
    for (const field of ["prompt_tokens", "completion_tokens", "total_tokens"]) expect(json.usage[field]).toBe(sum(field));
    expect(json.usage.completion_tokens).toBe(72);
    expect(json.usage.cost).toBe(costUsd(json.usage, prices));
    expect((await spentBy(account)) - before).toBeCloseTo(json.usage.cost, 8);
  });

  test("streamed, the answers take turns by their index, and say and cost the same", async () => {
    const account = await world.account();
    const asked = { prompt: ["Once upon a time", "Salt"], n: 2 };
    const whole = await complete(account, asked);
    const reply = await complete(account, { ...asked, stream: true, stream_options: { include_usage: true } });
    const records = recordsOf(reply);
    expect(records.at(-2)).toMatchObject({ choices: [], usage: whole.json.usage });
    expect(answersIn(reply).map(({ text, finish }) => [text, finish])).toEqual(
      whole.json.choices.map(({ text, finish_reason }: any) => [text, finish_reason]),
    );
    const turns = records.slice(0, 4).map(({ choices }) => choices[0].index);
    expect(turns).toEqual([0, 1, 2, 3]);
  });

  test("the hold covers all prompts: with money for two, three are refused and two are answered", async () => {
    const two = ["Once upon a time", "The lighthouse"];
    const rich = await world.account();
    const quote = async (prompt: string[]) => {
      const body = { operation: "createCompletion", body: { model: "demo/base", prompt, max_tokens: 1 } };
      const { json } = await world.gateway.request("POST", "/v1/quote", { key: rich.key, body });
      return json;
    };
    const [ofTwo, ofThree] = [await quote(two), await quote([...two, "Salt"])];
    expect(ofThree.reserve_usd).toBeGreaterThan(ofTwo.reserve_usd);
    const account = await world.account({ deposit: ofTwo.reserve_usd.toFixed(8) });
    const refused = await complete(account, { prompt: [...two, "Salt"], max_tokens: 1 });
    expect([refused.status, refused.json.error.code]).toEqual([402, "insufficient_credits"]);
    await world.expectUntouched(account, ofTwo.reserve_usd);
    const { status, json } = await complete(account, { prompt: two, max_tokens: 1 });
    expect([status, json.choices.length]).toEqual([200, 2]);
    expect(await spentBy(account)).toBeCloseTo(json.usage.cost, 8);
  });

  test("token ids: one list, several lists", async () => {
    const account = await world.account();
    const one = await complete(account, { prompt: [11, 12, 13] });
    expect(one.json.usage.prompt_tokens).toBe(3);
    const several = await complete(account, { prompt: [[11, 12, 13], [5]] });
    expect(several.json.usage.prompt_tokens).toBe(4);
    expect(several.json.choices).toHaveLength(2);
    expect(world.sent().map(({ prompt }) => prompt)).toEqual([
      [11, 12, 13],
      [[11, 12, 13], [5]],
    ]);
  });

  test("a host that reports no usage: every prompt and every answer counts, and no echo does", async () => {
    const account = await world.account();
    const asked = (length: number) => ({
      model: "demo/uncounted",
      prompt: Array.from({ length }, () => "Once upon a time, on a small island"),
    });
    const [two, four] = [(await complete(account, asked(2))).json.usage, (await complete(account, asked(4))).json.usage];
    expect(two.completion_tokens).toBe(24);
    expect([four.prompt_tokens, four.completion_tokens]).toEqual([2 * two.prompt_tokens, 48]);
    for (const stream of [false, true]) {
      const echoed = await complete(account, { ...asked(2), echo: true, stream, stream_options: { include_usage: true } });
      expect(stream ? recordsOf(echoed).at(-2).usage : echoed.json.usage).toEqual(two);
    }
  });

  test("of a prompt that came as tokens nothing passes for an echo: what a host without usage generates counts", async () => {
    const account = await world.account();
    const asked = { model: "demo/uncounted", prompt: Array.from({ length: 40 }, () => 7), echo: true };
    const reply = await complete(account, { ...asked, stream: true, stream_options: { include_usage: true } });
    for (const { usage } of [recordsOf(reply).at(-2), (await complete(account, asked)).json]) {
      expect(usage.prompt_tokens).toBe(40);
      expect(usage.completion_tokens).toBeGreaterThanOrEqual(12);
    }
  });
});

describe("echo, suffix, best_of", () => {
  test("echo repeats each prompt before its text, whole and streamed, and is not billed as output", async () => {
    const account = await world.account();
    const prompt = ["Once upon a time", "See https://example.com/a?key=1 now"];
    const plain = await complete(account, { prompt });
    const texts = plain.json.choices.map(({ text }: any, at: number) => prompt[at] + text);
    const echoed = await complete(account, { prompt, echo: true });
    expect(echoed.json.choices.map(({ text }: any) => text)).toEqual(texts);
    expect(echoed.json.usage).toEqual(plain.json.usage);
    const streamed = await complete(account, { prompt, echo: true, stream: true });
    expect(answersIn(streamed).map(({ text }) => text)).toEqual(texts);
  });

  test("a suffix goes to the host, which reads it as a part of the prompt", async () => {
    const account = await world.account();
    const plain = await complete(account, { prompt: "def f(x):" });
    const { json } = await complete(account, { prompt: "def f(x):", suffix: "    return y\n" });
    expect(world.sent().at(-1)).toMatchObject({ prompt: "def f(x):", suffix: "    return y\n" });
    expect(json.usage.prompt_tokens).toBeGreaterThan(plain.json.usage.prompt_tokens);
  });

  test("best_of: n are returned, all that were made are held for and billed", async () => {
    const account = await world.account();
    const reply = await complete(account, { n: 2, best_of: 5 });
    expect(reply.json.choices).toHaveLength(2);
    expect(world.sent().at(-1)).toMatchObject({ n: 2, best_of: 5 });
    expect(reply.json.usage.completion_tokens).toBe(60);
    expect(reply.json.usage.cost).toBe(costUsd(reply.json.usage, prices));
    const { reserved, cost } = (await world.logOf(reply))!;
    expect(BigInt(reserved)).toBeGreaterThanOrEqual(BigInt(cost));
    expect(await spentBy(account)).toBeCloseTo(reply.json.usage.cost, 8);
  });

  test("best_of at a host that reports no usage: those that are not shown count as much as those that are", async () => {
    const account = await world.account();
    const model = "demo/uncounted";
    const shown = (await complete(account, { model, n: 2 })).json.usage.completion_tokens;
    const made = (await complete(account, { model, n: 2, best_of: 4 })).json.usage.completion_tokens;
    expect(made).toBe(2 * shown);
  });
});

describe("log probabilities", () => {
  test.each([["demo/base"], ["demo/chat"]])("%s: of each token, with where it begins, whole and streamed", async (model) => {
    const account = await world.account();
    const whole = (await complete(account, { model, logprobs: 2, n: 2 })).json.choices;
    for (const { text, logprobs } of whole) {
      expect(logprobs.tokens.join("")).toBe(text);
      expect(logprobs.text_offset).toEqual(logprobs.tokens.map((_: string, at: number) => logprobs.tokens.slice(0, at).join("").length));
      expect(logprobs.token_logprobs.every((one: number) => one < 0)).toBe(true);
      expect(logprobs.top_logprobs.every((top: object) => Object.keys(top).length === 2)).toBe(true);
      expect(logprobs.top_logprobs[0][logprobs.tokens[0]]).toBe(logprobs.token_logprobs[0]);
    }
    const streamed = answersIn(await complete(account, { model, logprobs: 2, n: 2, stream: true }));
    expect(streamed.map(({ text, tokens, offsets }) => [text, tokens, offsets])).toEqual(
      whole.map(({ text, logprobs }: any) => [text, logprobs.tokens, logprobs.text_offset]),
    );
  });

  test("0: those of the tokens alone", async () => {
    const { logprobs } = (await complete(await world.account(), { model: "demo/chat", logprobs: 0 })).json.choices[0];
    expect(world.sent()[0]).toMatchObject({ logprobs: true });
    expect(world.sent()[0]).not.toHaveProperty("top_logprobs");
    expect(logprobs.token_logprobs).toHaveLength(12);
    expect(logprobs.top_logprobs).toBeNull();
  });

  test("with echo, those of the prompt too: the first token has none", async () => {
    const account = await world.account();
    for (const stream of [false, true]) {
      const reply = await complete(account, { prompt: "Once upon a time", echo: true, logprobs: 1, stream });
      const [first, ...others] = stream
        ? recordsOf(reply)
            .slice(0, -1)
            .flatMap(({ choices }) => choices[0].logprobs?.token_logprobs ?? [])
        : reply.json.choices[0].logprobs.token_logprobs;
      expect(first).toBeNull();
      expect(others).toHaveLength(15);
      expect(others.every((one: number) => one < 0)).toBe(true);
    }
  });

  test("a model that shows none says null", async () => {
    const { status, json } = await complete(await world.account(), { model: "demo/quiet", logprobs: 1 });
    expect([status, json.choices[0].logprobs]).toEqual([200, null]);
  });
});
