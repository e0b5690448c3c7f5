// Which routes serve a text completion that a chat can't, what is refused with its field's name at no cost, and how such a call ends.
import { describe, expect, test } from "vitest";
import { checkCatalog } from "../../../src/catalog/load.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { language, prices, provider, recordsOf } from "../chat/chat-gateway.ts";
import { answersIn, completeAt, native, nativeWorld } from "./native-world.ts";

const world = nativeWorld();
const complete = completeAt(world);
const spentBy = async (account: TestAccount) => (await world.gateway.balance(account)).spent;

describe("routes", () => {
  test("a request that a chat can serve goes to the first route, one that it can't to the first that can, which is no fallback", async () => {
    const account = await world.account();
    await complete(account, { model: "demo/either" });
    const { headers } = await complete(account, { model: "demo/either", prompt: ["a", "b"] });
    expect(world.sent().map(({ model, prompt }) => [model, prompt])).toEqual([
      ["first", undefined],
      ["second", ["a", "b"]],
    ]);
    expect(headers).not.toHaveProperty("x-svc-fallback");
  });

  test("a route that fails is followed by the next that can; a fallback model that only chats is passed over", async () => {
    const account = await world.account();
    const next = await complete(account, { model: "demo/falls", prompt: ["a", "b"] });
    expect([next.status, next.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    const spare = await complete(account, { model: "demo/spare", prompt: ["a", "b"] });
    expect([spare.status, spare.headers["x-svc-served-model"]]).toEqual([200, "demo/base"]);
    expect(world.sent().map(({ model }) => model)).toEqual(["first+sim-fail-503", "second", "spare+sim-fail-503", "base"]);
  });

  test("log probabilities pass over a route of another protocol", async () => {
    const { json } = await complete(await world.account(), { model: "demo/mixed", logprobs: 1 });
    expect(json.choices[0].logprobs.tokens).toHaveLength(12);
    expect(world.sent().map(({ model }) => model)).toEqual(["chat"]);
  });

  test.each([
    ["over another protocol", "anthropic", "language"],
    ["of another kind", "openai", "embedding"],
  ])("the catalog refuses completions: true on a model %s", (_, protocol, type) => {
    const { max_output_tokens: _most, ...model } = language("demo/base", [native("base")]) as Record<string, unknown>;
    const { problems } = checkCatalog(JSON.stringify({ providers: [provider("north", { protocol })], models: [{ ...model, type }] }));
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/routes\[0\]\.completions: belongs to language models over openai and azure-openai/),
    ]);
  });
});

describe("400, with the name of the field and of the endpoint that does it; nothing is sent or charged", () => {
  test.each([
    ["demo/chat", { prompt: ["Once", "Twice"] }, "prompt"],
    ["demo/chat", { prompt: [1, 2, 3] }, "prompt"],
    ["demo/chat", { prompt: [[1], [2]] }, "prompt"],
    ["demo/chat", { suffix: "the end" }, "suffix"],
    ["demo/chat", { echo: true, stream: true }, "echo"],
    ["demo/chat", { echo: true, logprobs: 1 }, "echo"],
    ["demo/chat", { best_of: 3 }, "best_of"],
    ["demo/claude", { logprobs: 1 }, "logprobs"],
    ["demo/base", { prompt: [] }, "prompt"],
    ["demo/base", { prompt: [[]] }, "prompt"],
    ["demo/base", { prompt: ["a", 1] }, "prompt"],
    ["demo/base", { prompt: [1.5] }, "prompt"],
    ["demo/base", { prompt: [-1] }, "prompt"],
    ["demo/base", { prompt: Array.from({ length: 129 }, () => "a") }, "prompt"],
    ["demo/base", { prompt: ["a", "b"], n: 65 }, "prompt"],
    ["demo/base", { best_of: 129 }, "best_of"],
    ["demo/base", { n: 3, best_of: 2 }, "best_of"],
    ["demo/base", { best_of: 3, stream: true }, "best_of"],
    ["demo/base", { suffix: 5 }, "suffix"],
    ["demo/base", { logprobs: 21 }, "logprobs"],
    ["demo/base", { logprobs: -1 }, "logprobs"],
    ["demo/base", { logprobs: true }, "logprobs"],
  ])("%s: %j", async (model, body, param) => {
    const account = await world.account();
    const { status, json } = await complete(account, { model, ...body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect(json.error.message).toContain("POST /v1/chat/completions");
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
  });

  test("log probabilities of a streamed echo that are more than a record holds, whose stream would break off and be free", async () => {
    const account = await world.account();
    const asked = { prompt: ["Once", "b".repeat(30_000)], logprobs: 4, echo: true, stream: true };
    const { status, json } = await complete(account, asked);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "logprobs"]);
    await world.expectUntouched(account);
  });
});

describe("ends", () => {
  test.each([["demo/cut"], ["demo/error"]])("%s: an interrupted stream is not charged", async (model) => {
    const account = await world.account();
    const records = recordsOf(await complete(account, { model, prompt: ["Once", "Twice"], stream: true }));
    expect(records.at(-2)).toMatchObject({ choices: [{ text: "", finish_reason: "error" }], error: { code: "stream_interrupted" } });
    await world.expectUntouched(account);
  });

  test("a stream without [DONE] is whole once every answer has ended", async () => {
    const reply = await complete(await world.account(), { model: "demo/open", prompt: ["Once", "Twice"], stream: true });
    expect(answersIn(reply).map(({ finish }) => finish)).toEqual(["length", "length"]);
  });

  test.each([
    ["demo/rejects", 400, "request_rejected"],
    ["demo/html", 502, "upstream_invalid_response"],
  ])("%s: %i %s, free", async (model, status, code) => {
    const account = await world.account();
    const reply = await complete(account, { model, prompt: ["Once", "Twice"] });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });

  test("a stream whose client leaves is charged for every prompt, and for what was sent of every answer", async () => {
    const account = await world.account();
    const prompts = Array.from({ length: 5 }, (_, at) => `Prompt number ${at}: once upon a time there was an old lighthouse.`);
    const leaving = new AbortController();
    const response = await fetch(`${world.gateway.url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo/long", prompt: prompts, stream: true }),
      signal: leaving.signal,
    });
    await response.body!.getReader().read();
    leaving.abort();
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
    const promptsOnly = 5 * 12; // each has more tokens than that
    expect(await spentBy(account)).toBeGreaterThan((promptsOnly * prices.input) / 1e6);
    const { rows } = await world.gateway.context.db.pool.query("select * from usage_log where account_id = $1", [account.accountId]);
    expect(rows).toMatchObject([{ operation: "createCompletion", stream: true, status: "aborted" }]);
  });
});
