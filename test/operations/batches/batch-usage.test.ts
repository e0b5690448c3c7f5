// What a batch tells of its lines' tokens, and how long the files of its answers are kept.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { sweepFiles } from "../../../src/batches/files.ts";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { type BatchObject, createBatch, ended, linesFor, resultsOf, upload } from "./batch-gateway.ts";

const chat = "/v1/chat/completions";
const world = chatWorld(
  [
    language("demo/cached", ["chat+sim-prompt-tokens-1000+sim-completion-tokens-50+sim-cached-300"]),
    language("demo/thinks", ["chat+sim-prompt-tokens-200+sim-completion-tokens-40+sim-reasoning-tokens-30"], { supports_reasoning: true }),
    language("demo/down", ["chat+sim-fail-503"]),
    { id: "demo/embed", type: "embedding", pricing: { mode: "per-token", input: 1 }, routes: [{ provider: "north", model: "embed" }] },
  ],
  {},
  { batches: { lookMs: 50, leaseMs: 600, pauseMs: 20 } },
);
const { request } = { request: (...args: Parameters<typeof world.gateway.request>) => world.gateway.request(...args) };

const nothing = { input: 0, cached: 0, output: 0, reasoning: 0 };

/** Of the answers, in the words of each endpoint. */
function sumOf(bodies: any[]) {
  return bodies.reduce<typeof nothing>((sum, { usage }) => {
    const [read, made] = [
      usage.prompt_tokens_details ?? usage.input_tokens_details,
      usage.completion_tokens_details ?? usage.output_tokens_details,
    ];
    return {
      input: sum.input + (usage.prompt_tokens ?? usage.input_tokens),
      cached: sum.cached + (read?.cached_tokens ?? 0),
      output: sum.output + (usage.completion_tokens ?? usage.output_tokens ?? 0),
      reasoning: sum.reasoning + (made?.reasoning_tokens ?? 0),
    };
  }, nothing);
}

const shown = ({ input, cached, output, reasoning }: typeof nothing) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

describe("usage", () => {
  const models = ["demo/cached", "demo/thinks", "demo/cached", "demo/down"];
  test.each<[string, object[]]>([
    [chat, models.map((model) => ({ model, messages: hello, max_tokens: 100 }))],
    ["/v1/responses", models.map((model) => ({ model, input: "Hello", max_output_tokens: 100 }))],
    ["/v1/completions", models.map((model) => ({ model, prompt: "Hello", max_tokens: 100 }))],
    ["/v1/embeddings", ["Hello", "Hello there"].map((input) => ({ model: "demo/embed", input }))],
  ])("%s: the sum of what the answers say, and what failed counts for nothing", async (endpoint, bodies) => {
    const account = await world.account();
    const created = await createBatch(world.gateway, account, endpoint, linesFor(endpoint, bodies));
    expect(created["usage"]).toEqual(shown(nothing));
    const batch = await ended(world.gateway, account, created);
    const answers = (await resultsOf(world.gateway, account, batch.output_file_id)).map(({ response }) => response!.body);
    const sum = sumOf(answers);
    expect(batch["usage"]).toEqual(shown(sum));
    if (endpoint === chat) expect(sum).toEqual({ input: 2200, cached: 600, output: 140, reasoning: 30 });
    if (endpoint === "/v1/embeddings") expect(sum).toMatchObject({ input: expect.any(Number), output: 0 });
    expect(sum.input).toBeGreaterThan(0);
    const { data } = (await request("GET", "/v1/batches", { key: account.key })).json;
    expect(data[0].usage).toEqual(shown(sum));
  });

  test("a batch without a line, or with lines that all fail, used nothing", async () => {
    const account = await world.account();
    for (const text of ["no JSON\n", linesFor(chat, [{ model: "demo/none", messages: hello }])]) {
      const batch = await ended(world.gateway, account, await createBatch(world.gateway, account, chat, text));
      expect(batch["usage"]).toEqual(shown(nothing));
    }
  });
});

describe("output_expires_after", () => {
  const bodies = [
    { model: "demo/cached", messages: hello, max_tokens: 100 },
    { model: "demo/none", messages: hello },
  ];

  test("OpenAI's client sends it: both files say when they expire, and are gone then; the input file stays", async () => {
    const account = await world.account();
    const client = new OpenAI({ apiKey: account.key, baseURL: `${world.gateway.url}/v1`, maxRetries: 0 });
    const input = await upload(world.gateway, account, linesFor(chat, bodies));
    const created = await client.batches.create({
      ...{ input_file_id: input.id, endpoint: chat, completion_window: "24h" },
      output_expires_after: { anchor: "created_at", seconds: 3600 },
    });
    const batch = await ended(world.gateway, account, created);
    const files = await Promise.all([batch.output_file_id!, batch.error_file_id!].map((id) => client.files.retrieve(id)));
    expect(files.map((file) => file.expires_at! - file.created_at)).toEqual([3600, 3600]);
    const { context } = world.gateway;
    const end = Math.max(...files.map((file) => file.expires_at!)) * 1000;
    await sweepFiles({ ...context, clock: () => new Date(end) });
    for (const { id } of files) await expect(client.files.retrieve(id)).rejects.toMatchObject({ status: 404, code: "file_not_found" });
    expect((await client.files.retrieve(input.id)).id).toBe(input.id);
  });

  test("without it, or null: 30 days", async () => {
    const account = await world.account();
    const { id } = await upload(world.gateway, account, linesFor(chat, bodies.slice(0, 1)));
    const body = { input_file_id: id, endpoint: chat, completion_window: "24h", output_expires_after: null };
    const created = (await request("POST", "/v1/batches", { key: account.key, body })).json as BatchObject;
    const { output_file_id: output } = await ended(world.gateway, account, created);
    const file = (await request("GET", `/v1/files/${output}`, { key: account.key })).json;
    expect(file.expires_at - file.created_at).toBe(30 * 86_400);
  });

  test.each<[string, string, unknown]>([
    ["missing_parameter", "output_expires_after.seconds", { anchor: "created_at" }],
    ["missing_parameter", "output_expires_after.anchor", { seconds: 3600 }],
    ["invalid_parameter", "output_expires_after.anchor", { anchor: "last_used_at", seconds: 3600 }],
    ...[3599, 2_592_001, 3600.5, -1, 1e300, "3600", null].map((seconds): [string, string, unknown] => [
      ...(["invalid_parameter", "output_expires_after.seconds"] as const),
      { anchor: "created_at", seconds },
    ]),
    ["invalid_parameter", "output_expires_after", 3600],
  ])("400 %s names %s: %j", async (code, param, expiry) => {
    const account = await world.account();
    const { id } = await upload(world.gateway, account, linesFor(chat, bodies));
    const body = { input_file_id: id, endpoint: chat, completion_window: "24h", output_expires_after: expiry };
    const { status, json } = await request("POST", "/v1/batches", { key: account.key, body });
    expect([status, json.error.code, json.error.param]).toEqual([400, code, param]);
  });
});
