// Whatever figures a host reports, in whichever protocol: negative, absurd, fractional, repeated, of another type. No charge is negative or above
// what the model can have used, and none is above its hold without the log and the metric.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { chatWorld } from "../operations/chat/chat-gateway.ts";
import { sized } from "../support/size.ts";
import { highTiers } from "../support/tiers.ts";
import { scrape } from "../telemetry/scrape.ts";

/** The members of an answer's usage, as JSON text: a name may stand twice. */
let figures = "{}";
const answers: Record<string, () => string> = {
  "/chat/completions": () =>
    `{"id":"a","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],"usage":${figures}}`,
  "/embeddings": () => `{"data":[{"index":0,"embedding":[1,0]}],"usage":${figures}}`,
  "/messages": () =>
    `{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":${figures}}`,
  ":generateContent": () => `{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"usageMetadata":${figures}}`,
  ":batchEmbedContents": () => `{"embeddings":[{"values":[1,0]}],"usageMetadata":${figures}}`,
  "/v2/chat": () =>
    `{"id":"c","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]},"finish_reason":"COMPLETE","usage":{"billed_units":${figures},"tokens":${figures}}}`,
  "/v2/embed": () => `{"id":"e","embeddings":{"float":[[1,0]]},"meta":{"billed_units":${figures}}}`,
  "/rerank": () => `{"results":[{"index":0,"relevance_score":0.5}],"usage":${figures},"meta":{"tokens":${figures}}}`,
  "/converse": () => `{"output":{"message":{"role":"assistant","content":[{"text":"Hi"}]}},"stopReason":"end_turn","usage":${figures}}`,
};
const host = createServer((request, response) => {
  request.resume();
  const found = Object.entries(answers).find(([end]) => request.url!.endsWith(end));
  response.writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(found?.[1]() ?? "{}");
});
await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
afterAll(() => void host.close());

const window = 10_000;
const outputMax = 100;
/** In USD per million: a token of input is 200 units of 1e-8 USD at most, one of output 800. */
const terms = { context_window: window, pricing: { mode: "per-token", input: 2, output: 8 } };
const routeTo = (provider: string) => ({ ...terms, routes: [{ provider, model: "up" }] });
const chatProviders = ["openai", "anthropic", "gemini", "cohere", "bedrock"];
const world = chatWorld(
  [
    ...chatProviders.map((id) => ({ id: `chat/${id}`, type: "language", max_output_tokens: outputMax, ...routeTo(id) })),
    ...["openai", "gemini", "cohere"].map((id) => ({ id: `embed/${id}`, type: "embedding", ...routeTo(id) })),
    ...["rerank", "cohere"].map((id) => ({ id: `rank/${id}`, type: "reranking", ...routeTo(id) })),
  ],
  {
    providers: [...chatProviders, "rerank"].map((protocol) => ({
      ...{ id: protocol, protocol, base_url: url },
      ...(protocol === "bedrock" ? { region: "us-east-1", api_key_env: "CLOUD_KEY" } : {}),
    })),
    tiers: highTiers(),
  },
  { env: { CLOUD_KEY: "sk-of-a-cloud" } },
);

/** As JSON text. */
const figure = fc.oneof(
  fc.nat(20_000).map(String),
  fc.integer({ min: -5_000, max: -1 }).map(String),
  fc.constantFrom("0.5", "7.25", "1e3", "1e300", "-1e300", "99999999", "100000001", "123456789012345678901234567890", "-0"),
  fc.constantFrom('"12"', '"-12"', '"9999999999"', '"many"', "null", "true", "[5]", "{}"),
);
const names: Record<string, string[]> = {
  openai: ["prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens"],
  anthropic: ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
  gemini: [
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
  ],
  cohere: ["input_tokens", "output_tokens"],
  bedrock: ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"],
  rerank: ["total_tokens", "prompt_tokens", "input_tokens"],
};
const usageOf = (protocol: string) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names[protocol]!), figure), { maxLength: 8 })
    .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}}`);

const messages = [{ role: "user", content: "Hello" }];
const asks: [string, string, object, string][] = [
  ...chatProviders.map((id): [string, string, object, string] => ["/v1/chat/completions", `chat/${id}`, { messages }, id]),
  ...chatProviders.map((id): [string, string, object, string] => ["/v1/messages", `chat/${id}`, { messages, max_tokens: 50 }, id]),
  ["/v1/responses", "chat/openai", { input: "Hello" }, "openai"],
  ["/v1/completions", "chat/gemini", { prompt: "Hello" }, "gemini"],
  ...["openai", "gemini", "cohere"].map((id): [string, string, object, string] => [
    "/v1/embeddings",
    `embed/${id}`,
    { input: "Hello" },
    id,
  ]),
  ["/v1/rerank", "rank/rerank", { query: "q", documents: ["d"] }, "rerank"],
  ["/v1/rerank", "rank/cohere", { query: "q", documents: ["d"] }, "rerank"],
];

async function overruns(model: string): Promise<number[]> {
  const { figure: read } = await scrape(world.gateway);
  return ["bounds", "hold"].map((kind) => read("svc_usage_overruns_total", { model, kind }) ?? 0);
}

test.each(asks)("%s of %s", async (path, model, body, protocol) => {
  const account = await world.account({ deposit: "1000" });
  const check = async (usage: string) => {
    figures = usage;
    const before = await overruns(model);
    const reply = await world.gateway.request("POST", path, { key: account.key, body: { model, ...body } });
    expect(reply.status, reply.text).toBe(200);
    const row = (await world.logOf(reply))!;
    const [input, read, write, output] = ["input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"].map((name) =>
      Number(row[name]),
    );
    for (const tokens of [input!, read!, write!, output!]) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
    const most = window * 200 + outputMax * 800;
    expect(row.cost >= 0n && row.cost <= BigInt(most)).toBe(true);
    const isAbove = [input! + read! + write! > window || output! > outputMax, row.cost > BigInt(row.reserved)];
    const after = await overruns(model);
    expect(after.map((count, index) => count > before[index]!)).toEqual(isAbove);
    return row.cost;
  };
  const [input, output] = names[protocol]!;
  const outputs = /^(?:embed|rank)/.test(model) ? 0 : outputMax;
  expect(await check(`{"${input}":9000000,"${output}":9000000}`)).toBe(BigInt(window * 200 + outputs * 800));
  await check(`{"${input}":-5,"${output}":-5}`);
  await fc.assert(
    fc.asyncProperty(usageOf(protocol), async (usage) => void (await check(usage))),
    { numRuns: sized(40, 10) },
  );
  expect((await world.gateway.balance(account)).balance).toBeLessThanOrEqual(1000);
});
