// POST /v1/responses/compact: what the model is asked, what comes back, what it costs, and how a later request goes on from it.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { openSealedTexts } from "../../../src/accounts/sealed-texts.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, costUsd, language, prices } from "../chat/chat-gateway.ts";
import { respond } from "./responses-gateway.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/eyes", ["chat"], { supports_vision: true, input_modalities: ["text", "image"] }),
    language("demo/silent", ["chat+sim-tokens-0"]),
    language("demo/second", ["chat+sim-tokens-0", "chat"]),
    language("demo/rejecting", ["chat+sim-reject"]),
    language("demo/rejecting-422", ["chat+sim-reject-422"]),
    language("demo/refusing", ["chat+sim-refuse"]),
    language("demo/unreadable", ["chat+sim-bad-json"]),
    language("demo/down", ["chat+sim-fail-503"]),
    language("demo/gone", ["chat+sim-404"]),
    language("demo/small", ["chat"], { context_window: 400, max_output_tokens: 20 }),
    {
      ...{ id: "demo/vectors", type: "embedding", context_window: 8192 },
      pricing: { mode: "per-token", input: 0.02 },
      routes: [{ provider: "north", model: "e" }],
    },
  ],
  { aliases: { best: "demo/chat" } },
);

const compact = ({ key }: TestAccount, body: object): Promise<TestReply> =>
  world.gateway.request("POST", "/v1/responses/compact", { key, body: { model: "best", ...body } });
const codeOf = ({ status, json }: TestReply) => [status, json.error?.code, json.error?.param];
const image = "data:image/png;base64,iVBORw0KGgo=";

const conversation = [
  { role: "user", content: "Where is the light?" },
  { type: "reasoning", summary: [{ type: "summary_text", text: "Ask the map." }] },
  { type: "function_call", call_id: "call_1", name: "map", arguments: '{"q":"light"}' },
  { type: "function_call_output", call_id: "call_1", output: "54.5 N" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "At 54.5 N." }] },
  { type: "message", role: "user", content: [{ type: "input_text", text: "And its height?" }] },
];
const sealedOf = ({ json }: TestReply): string => json.output.at(-1).encrypted_content;
const promptOf = (call: number) => world.sent()[call]!["messages"] as { role: string; content: string }[];

describe("200", () => {
  test("the user's messages as they were sent, then one compaction; the whole conversation went to the model in one message", async () => {
    const { status, json, headers } = await compact(await world.account(), { input: conversation, instructions: "Be brief." });
    expect([status, headers["x-svc-model"], headers["x-svc-alias"]]).toEqual([200, "demo/chat", "best"]);
    expect(json).toEqual({
      id: expect.stringMatching(/^resp_\w+$/),
      object: "response.compaction",
      created_at: expect.any(Number),
      output: [
        expect.objectContaining({ type: "message", role: "user", content: [{ type: "input_text", text: "Where is the light?" }] }),
        expect.objectContaining({ type: "message", role: "user", content: [{ type: "input_text", text: "And its height?" }] }),
        { id: expect.stringMatching(/^cmp_\w+$/), type: "compaction", encrypted_content: expect.stringMatching(/^svc1\.[\w-]+$/) },
      ],
      usage: expect.objectContaining({ total_tokens: json.usage.input_tokens + json.usage.output_tokens }),
    });
    expect(promptOf(0).map(({ role }) => role)).toEqual(["system", "user"]);
    expect(promptOf(0)[1]!.content).toBe(
      "[system]\nBe brief.\n\n[user]\nWhere is the light?\n\n[assistant]\n\n[assistant calls map, call_1]\n" +
        '{"q":"light"}\n\n[result of call_1]\n54.5 N\n\n[assistant]\nAt 54.5 N.\n\n[user]\nAnd its height?',
    );
    expect(world.sent()[0]).not.toHaveProperty("tools");
  });

  test("it is billed as one call of the model, and its receipt says so", async () => {
    const account = await world.account();
    const reply = await compact(account, { input: conversation });
    const { input_tokens, output_tokens, cost } = reply.json.usage;
    const usage = { prompt_tokens: input_tokens, completion_tokens: output_tokens, prompt_tokens_details: { cached_tokens: 0 } };
    expect(cost).toBe(costUsd(usage, prices));
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: cost });
    expect(await world.logOf(reply)).toMatchObject({ status: "success", model: "demo/chat" });
    const receipt = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
    expect(receipt.json).toMatchObject({ log: { endpoint: "/v1/responses/compact", cost_usd: cost } });
  });

  test("a later request takes the output as its input: the model reads the summary with the system prompt", async () => {
    const account = await world.account();
    const compacted = await compact(account, { input: conversation });
    const input = [...compacted.json.output, { role: "user", content: "Go on." }];
    const { status } = await respond(world, account, { model: "best", input, instructions: "Be brief." });
    expect(status).toBe(200);
    const [system, ...rest] = promptOf(1);
    expect(system).toMatchObject({ role: "system", content: expect.stringMatching(/^Be brief\.\n\nThe earlier part .* summary\..*\n\n./) });
    expect(rest).toEqual([
      { role: "user", content: "Where is the light?" },
      { role: "user", content: "And its height?" },
      { role: "user", content: "Go on." },
    ]);
    const summary = await openSealedTexts(world.gateway.context.db).open(account.accountId, sealedOf(compacted));
    expect(system!.content.endsWith(summary!)).toBe(true);
  });

  test("its tokens are counted as input, and a compaction may be compacted again", async () => {
    const account = await world.account();
    const { json } = await compact(account, { input: conversation });
    const count = async (input: unknown) =>
      (await world.gateway.request("POST", "/v1/responses/input_tokens", { key: account.key, body: { model: "best", input } })).json
        .input_tokens;
    expect(await count(json.output)).toBeGreaterThan(await count(json.output.slice(0, -1)));
    expect((await compact(account, { input: json.output })).status).toBe(200);
    expect(promptOf(1)[1]!.content).toMatch(/^\[system\]\nThe earlier part/);
  });

  test("images stay images for a model that sees", async () => {
    const content = [
      { type: "input_text", text: "Look" },
      { type: "input_image", image_url: image },
    ];
    const { json } = await compact(await world.account(), { model: "demo/eyes", input: [{ role: "user", content }] });
    expect(json.output[0].content).toEqual(content);
    expect(promptOf(0)[1]!.content).toEqual([
      { type: "text", text: "[user]\nLook\n" },
      { type: "image_url", image_url: { url: image } },
    ]);
  });

  test("a route that writes no summary is passed over", async () => {
    const reply = await compact(await world.account(), { model: "demo/second", input: "Hello" });
    expect([reply.status, reply.json.output.length]).toEqual([200, 2]);
    expect((await world.logOf(reply))!.attempts.map(({ outcome }) => outcome)).toEqual(["unreadable", "ok"]);
  });

  test("OpenAI's own client makes one and goes on from it", async () => {
    const { key } = await world.account();
    const client = new OpenAI({ baseURL: `${world.gateway.url}/v1`, apiKey: key });
    const compacted = await client.responses.compact({ model: "best", input: "Hello" });
    expect(compacted.object).toBe("response.compaction");
    const input = [...(compacted.output as OpenAI.Responses.ResponseInputItem[]), { role: "user" as const, content: "Go on." }];
    expect((await client.responses.create({ model: "best", input })).status).toBe("completed");
  });
});

describe("400 invalid_parameter: a compaction that was not made here for this workspace, wherever it is sent", () => {
  test.each([
    ["another gateway's", () => "gAAAAABpM0Yj-abc="],
    ["one that was changed", (sealed: string) => sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA")],
    ["one that was cut", (sealed: string) => sealed.slice(0, 20)],
    ["none at all", () => "svc1."],
  ])("%s", async (_, forge) => {
    const account = await world.account();
    const made = sealedOf(await compact(account, { input: "Hello" }));
    const input = [
      { role: "user", content: "Hi" },
      { type: "compaction", encrypted_content: forge(made) },
    ];
    const { spent } = await world.gateway.balance(account);
    const replies = [
      await respond(world, account, { model: "best", input }),
      await compact(account, { input }),
      await world.gateway.request("POST", "/v1/responses/input_tokens", { key: account.key, body: { model: "best", input } }),
    ];
    for (const reply of replies) expect(codeOf(reply)).toEqual([400, "invalid_parameter", "input[1].encrypted_content"]);
    expect((await world.gateway.balance(account)).spent).toBe(spent);
  });

  test("another workspace's", async () => {
    const sealed = sealedOf(await compact(await world.account(), { input: "Hello" }));
    const reply = await respond(world, await world.account(), {
      model: "best",
      input: [{ type: "compaction", encrypted_content: sealed }],
    });
    expect(codeOf(reply)).toEqual([400, "invalid_parameter", "input[0].encrypted_content"]);
  });

  test("replicas share the key, and the first of them makes it", async () => {
    const { db } = world.gateway.context;
    const replicas = Array.from({ length: 4 }, () => openSealedTexts(db));
    const [first, ...others] = await Promise.all(replicas.map((replica) => replica.seal(1n, "text")));
    for (const replica of replicas) expect(await replica.open(1n, first!)).toBe("text");
    expect(await replicas[0]!.open(1n, others[0]!)).toBe("text");
    expect(await replicas[0]!.open(2n, first!)).toBe(null);
  });
});

describe("refused", () => {
  test.each([
    ["404 model_not_found", { model: "demo/none", input: "Hello" }],
    ["400 wrong_endpoint", { model: "demo/vectors", input: "Hello" }],
    ["400 stateless_only", { input: "Hello", previous_response_id: "resp_1" }],
    ["400 stateless_only", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["400 missing_parameter", {}],
    ["400 missing_parameter", { input: [{ type: "compaction" }] }],
    ["400 invalid_parameter", { input: [] }],
    ["400 unsupported_content", { input: [{ role: "user", content: [{ type: "input_image", image_url: image }] }] }],
    ["400 request_rejected", { model: "demo/small", input: "word ".repeat(2000) }],
    ["400 request_rejected", { model: "demo/rejecting", input: "Hello" }],
    ["422 request_rejected", { model: "demo/rejecting-422", input: "Hello" }],
    ["403 route_refused", { model: "demo/refusing", input: "Hello" }],
    ["502 upstream_invalid_response", { model: "demo/unreadable", input: "Hello" }],
    ["502 upstream_invalid_response", { model: "demo/silent", input: "Hello" }],
    ["503 provider_unavailable", { model: "demo/down", input: "Hello" }],
    ["503 model_unavailable", { model: "demo/gone", input: "Hello" }],
  ])("%s: nothing is charged", async (expected, body) => {
    const account = await world.account();
    expect(
      codeOf(await compact(account, body))
        .slice(0, 2)
        .join(" "),
    ).toBe(expected);
    await world.expectUntouched(account);
  });

  test("402 insufficient_credits: a balance that pays for fewer than 256 tokens of a summary begins none, where it begins an answer", async () => {
    const input = "Hello";
    const rich = await world.account();
    const quote = async (operation: string, account: TestAccount) =>
      (
        await world.gateway.request("POST", "/v1/quote", {
          key: account.key,
          body: { operation, body: { model: "demo/chat", input } },
        })
      ).json as { most_usd: number; least_usd: number };
    const { least_usd } = await quote("compactResponse", rich);
    const perToken = prices.output / 1_000_000;
    expect(least_usd).toBeGreaterThan(255 * perToken);
    const enough = await world.account({ deposit: least_usd.toFixed(8) });
    const short = await world.account({ deposit: (least_usd - 0.000001).toFixed(8) });
    expect(codeOf(await compact(short, { model: "demo/chat", input })).slice(0, 2)).toEqual([402, "insufficient_credits"]);
    expect((await compact(enough, { model: "demo/chat", input })).status).toBe(200);
  });

  test("402 insufficient_credits, model_requires_paid, key_limit_reached: no model is asked", async () => {
    const poor = await world.account({ deposit: "0.00000001" });
    expect(codeOf(await compact(poor, { input: conversation })).slice(0, 2)).toEqual([402, "insufficient_credits"]);
    expect(codeOf(await compact(await world.account({}), { input: "Hello" }))).toEqual([402, "model_requires_paid", "model"]);
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 0 where account_id = $1", [account.accountId]);
    expect(codeOf(await compact(account, { input: "Hello" })).slice(0, 2)).toEqual([402, "key_limit_reached"]);
    expect(world.sent()).toEqual([]);
  });
});
