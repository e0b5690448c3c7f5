// A model whose own tool call is malformed, which a caller's tools can bring about: what it had said is an answer that is paid, in every dialect, whole
// and streamed; where it had said nothing, the call is free, its expense is logged, and in neither case is the route to blame.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language, type LogRow, provider } from "./chat-gateway.ts";

const hosts = ["gemini", "bedrock"] as const;
const cost = { input: 0.25, output: 1 };
const able = { supports_tools: true, supports_reasoning: true };
const said = "said+sim-malformed-call+sim-tokens-8";
const silent = "silent+sim-malformed-call+sim-tokens-0";
const thinks = "thinks+sim-malformed-call+sim-tokens-0+sim-reasoning-tokens-6";
const route = (host: string, model: string) => ({ provider: host, model, cost });

const world = chatWorld(
  hosts.flatMap((host) => [
    language(`${host}/said`, [route(host, said)], able),
    language(`${host}/thinks`, [route(host, thinks)], { ...able, max_output_tokens: 8_000 }),
    language(`${host}/silent`, [route(host, silent), ...[1, 2, 3].map((at) => route(host, `${silent}+sim-split-${1000 + at}`))], able),
    language(`${host}/helped`, [route(host, `${silent}+sim-split-2000`), route("north", "second")], able),
  ]),
  {
    providers: [
      provider("north"),
      provider("gemini", { protocol: "gemini", base_url: "simulator:/gemini" }),
      provider("bedrock", { protocol: "bedrock", base_url: "simulator:/bedrock", region: "us-east-1", api_key_env: "CLOUD_KEY" }),
    ],
  },
  { env: { CLOUD_KEY: "any" } },
);

const failing = () => world.gateway.context.breakers.failing();
const times = 6; // one more than opens a breaker

/** In each dialect, and how its answer ends, whole and streamed. */
const dialects = [
  { name: "chat", path: "/v1/chat/completions", body: { messages: hello }, end: /"finish_reason":"stop"/ },
  { name: "messages", path: "/v1/messages", body: { messages: hello, max_tokens: 500 }, end: /"stop_reason":"end_turn"/ },
  { name: "responses", path: "/v1/responses", body: { input: "Hello" }, end: /"status":"completed"/ },
  { name: "completions", path: "/v1/completions", body: { prompt: "Hello" }, end: /"finish_reason":"stop"/ },
];
const asked = dialects.flatMap((dialect) => hosts.flatMap((host) => [false, true].map((stream) => ({ ...dialect, host, stream }))));

function expectMeasured(row: LogRow | undefined, output: number): void {
  expect(row).toMatchObject({ status: "success", http_status: 200, estimated: false, output_tokens: BigInt(output) });
  const { input_tokens: input, cost: charged, expense } = row as LogRow & Record<"input_tokens" | "expense", bigint>;
  expect([charged, expense]).toEqual([input * 50n + BigInt(output) * 150n, input * 25n + BigInt(output) * 100n]);
  expect(row!.attempts.map(({ outcome }) => outcome)).toEqual(["ok"]);
}

describe("after a text", () => {
  test.each(asked)(
    "$name over $host, streamed: $stream: the text is an answer, charged as measured",
    async ({ path, body, end, host, stream }) => {
      const { key } = await world.account();
      const reply = await world.gateway.request("POST", path, { key, body: { model: `${host}/said`, stream, ...body } });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.text).toMatch(end);
      expectMeasured(await world.logOf(reply), 8);
    },
  );

  test("the routes stay trusted, however often", () => expect(failing()).toEqual([]));
});

test.each(hosts)(
  "%s: beside a call the answer is paid and ends as if it were cut off, so that no client runs a malformed one",
  async (host) => {
    const tools = [
      { type: "function", function: { name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } } },
    ];
    for (const stream of [false, true]) {
      const body = { model: `${host}/said`, tools, tool_choice: "required", stream };
      const reply = await world.chat(await world.account(), body);
      expect(reply.text).toMatch(/"finish_reason":"length"/);
      expect(await world.logOf(reply)).toMatchObject({ status: "success", estimated: false });
    }
  },
);

test.each(hosts)("%s: thoughts that a stream has shown are paid; of a whole answer they are nothing", async (host) => {
  const account = await world.account();
  const body = { model: `${host}/thinks`, reasoning: { max_tokens: 2_000 }, max_tokens: 4_000 };
  const streamed = await world.chat(account, { ...body, stream: true });
  expect(streamed.text).toMatch(/"reasoning_content":"/);
  expect(streamed.text).toMatch(/"finish_reason":"stop"/);
  expectMeasured(await world.logOf(streamed), 6);
  const whole = await world.chat(account, body);
  expect([whole.status, whole.json.error.code]).toEqual([502, "upstream_invalid_response"]);
});

describe.each(hosts)("%s, before anything was said", (host) => {
  test("502 upstream_invalid_response, free; three routes are asked, each expense is logged", async () => {
    for (const stream of [false, true]) {
      const account = await world.account();
      const reply = await world.chat(account, { model: `${host}/silent`, stream });
      expect([reply.status, reply.json.error.code]).toEqual([502, "upstream_invalid_response"]);
      await world.expectUntouched(account);
      const { attempts } = (await world.logOf(reply))!;
      const lost = { outcome: "unreadable", cause: "malformed_output", cost: expect.stringMatching(/^[1-9]\d*$/) as string };
      expect(attempts).toEqual([1, 2, 3].map(() => expect.objectContaining(lost) as unknown));
    }
  });

  test("another route answers, and the one that did not stays trusted, however often", async () => {
    for (let time = 0; time < times; time++) {
      const reply = await world.chat(await world.account(), { model: `${host}/helped`, stream: time % 2 === 0 });
      expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
      expect((await world.logOf(reply))!.attempts.map(({ outcome }) => outcome)).toEqual(["unreadable", "ok"]);
    }
    expect(failing()).toEqual([]);
  });
});
