// What a host says that is the operator's business: its place in the network, keys whole, cut or masked, ids of accounts. None of it leaves, in
// errors, answers, streams and jobs of any dialect; what the model itself says stays.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { endedJob } from "../support/media-jobs.ts";
import { eventText, type HostileAnswer, type HostileHost, json, startHostileHost } from "./hostile-host.ts";
import { hostKey as key, leaks, secrets, shown } from "./operators-words.ts";

let host: HostileHost;
let gateway: Gateway;
beforeAll(async () => {
  host = await startHostileHost();
  const provider = (protocol: string) => ({
    ...{ id: protocol, protocol, base_url: `${host.url}/v1`, api_key_env: "HOST_KEY" },
    headers: { "x-tenant": "tenant-secret-7" },
  });
  const model = (id: string, type: string, protocol: string, more: object = {}) => ({
    ...{ id: `demo/${id}`, type, context_window: 100_000, pricing: { mode: "per-token", input: 1 } },
    ...{ routes: [{ provider: protocol, model: id }], ...more },
  });
  const language = { max_output_tokens: 100, supports_tools: true, pricing: { mode: "per-token", input: 1, output: 1 } };
  const models = [
    model("chat", "language", "openai", language),
    model("claude", "language", "anthropic", language),
    model("local", "language", "placeholder", language),
    model("ranks", "reranking", "rerank"),
    model("vectors", "embedding", "openai"),
    model("voice", "speech", "openai", {
      pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.01 },
      voice_family: "provider_a",
      default_voice: "a",
    }),
    model("pictures", "image", "openai", { pricing: { mode: "per-image", usd_per_image: 0.01 } }),
  ];
  const providers = ["openai", "anthropic", "rerank"].map(provider);
  providers.push({ ...provider("openai"), id: "placeholder", api_key_env: "PLACEHOLDER" });
  gateway = await startGateway({
    catalog: JSON.stringify({ providers, models, tiers: highTiers() }),
    env: { HOST_KEY: key, PLACEHOLDER: "lm-studio", SVC_PUBLIC_URL: "https://gateway.example" },
  });
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

const messages = [{ role: "user", content: "Hello" }];
type Asked = [path: string, model: string, body: object];
const language: Asked[] = [
  ["/v1/chat/completions", "chat", { messages }],
  ["/v1/chat/completions", "chat", { messages, stream: true }],
  ["/v1/chat/completions", "claude", { messages, max_tokens: 50 }],
  ["/v1/messages", "claude", { messages, max_tokens: 50 }],
  ["/v1/messages", "claude", { messages, max_tokens: 50, stream: true }],
  ["/v1/messages", "chat", { messages, max_tokens: 50 }],
  ["/v1/responses", "chat", { input: "Hello" }],
  ["/v1/completions", "chat", { prompt: "Hello" }],
];
const others: Asked[] = [
  ["/v1/rerank", "ranks", { query: "a", documents: ["b"] }],
  ["/v1/embeddings", "vectors", { input: "a" }],
  ["/v1/audio/speech", "voice", { input: "a" }],
];

async function ask([path, model, body]: Asked, answer: HostileAnswer) {
  host.answers.set(model, answer);
  const account = await gateway.createAccount({ deposit: "5" });
  return { account, reply: await gateway.request("POST", path, { key: account.key, body: { model: `demo/${model}`, ...body } }) };
}

describe("an error's sentence and its field", () => {
  test.each([...language, ...others])(
    "%s over %s %j: the refusal says what is wrong, and nothing of whose upstream it is",
    async (...asked) => {
      const message = `top_k is wrong: ${leaks.join(", ")}. Mend it`;
      for (const param of leaks) {
        const { reply } = await ask(asked, json({ error: { message, param, code: "invalid_value", type: "invalid_request_error" } }, 400));
        expect(reply.status).toBe(400);
        expect(reply.text).toContain("top_k is wrong");
        expect(shown(reply)).not.toMatch(secrets);
      }
    },
  );

  test.each([
    "HTTPConnectionPool(host='inferer', port=8000): Max retries exceeded with url: /v1/chat/completions (Caused by NewConnectionError())",
    "NameResolutionError(\"HTTPConnection(host='inferer', port=8000): Failed to resolve 'inferer' ([Errno -2] Name or service not known)\")",
    "Cannot connect to host inferer:8000 ssl:default [Connect call failed ('10.2.3.4', 8000)]",
    "redis_host=inferer, redis_port: 8000, {'port': 8000}",
    "connect ECONNREFUSED inferer:8000, getaddrinfo ENOTFOUND inferer",
    "No such host is known. (inferer:8000), Connection refused: inferer:8000",
    "dial tcp: lookup inferer on 10.2.3.4:53: no such host, dial tcp inferer:8000: i/o timeout",
    'Failed to connect to inferer port 8000: Could not resolve host: inferer, connect(2) for "inferer" port 8000',
  ])("a connection that failed behind the host: neither names nor ports leave: %s", async (message) => {
    const { reply } = await ask(language[0]!, json({ error: { message: `top_k: ${message}`, type: "invalid_request_error" } }, 400));
    expect(reply.json.error.message).toContain("top_k: ");
    expect(shown(reply)).not.toMatch(/inferer|8000|10\.2\.3/);
  });

  test.each([
    "Invalid 'tools[0].function.name': 'user_getProfile' must be shorter than 'project_readFiles'",
    "only basic formatting and bearer authentication are supported",
    "seed must be below 10**18, and **temperature** at most 2",
    "unexpected token at line:25, character at position:120",
    "tools.0.function.parameters.properties.local: unknown type",
    "Unknown model hf-inference/llama, known: gpt-4o-mini-2024-07-18 with 16384 tokens, image 16:9 at 10:30:45",
    "ratio:16 (step:1000) 'width:1024' tokens:2048 top_k:50 at 12:30, host must be text, the support = 16, timed out (seconds:600)",
    "Invalid port: 70000, tools.0.port: 8080 is no string, timed out (elapsed:600)",
    "Connection refused (errno:111), 'port' is required, the model is unavailable: qwen:72",
    "messages.2: no result for toolu_01A09q90qw90lq917835lq9, see https://json-schema.org/draft/2020-12/schema",
  ])("a sentence about the request itself stays whole: %s", async (message) => {
    const { reply } = await ask(language[0]!, json({ error: { message, type: "invalid_request_error" } }, 400));
    expect(reply.json.error.message).toContain(message);
  });

  test("a field's own name stays", async () => {
    const { reply } = await ask(language[0]!, json({ error: { message: "no", param: "messages[0].content" } }, 400));
    expect(reply.json.error.param).toBe("messages[0].content");
  });

  test("a stream that breaks says no more", async () => {
    const chunk = { id: "a", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] };
    const broken: HostileAnswer = (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(eventText(chunk) + eventText({ error: { message: leaks.join(", "), param: key.slice(0, 12), code: key } }));
    const { reply } = await ask(["/v1/chat/completions", "chat", { messages, stream: true }], broken);
    expect(reply.text).toContain("stream_interrupted");
    expect(shown(reply)).not.toMatch(secrets);
  });

  test("a job's error, as its reader and the usage log have it", async () => {
    const refusal = json({ error: { message: leaks.join(", "), code: "invalid_image", type: key.slice(0, 12), param: "image" } }, 400);
    const { account, reply } = await ask(["/v1/images/generations", "pictures", { prompt: "a" }], refusal);
    const job = await endedJob(gateway, reply.json.id as string, account.key);
    expect(job.json.status).toMatch(/failed|refunded/);
    const log = await gateway.request("GET", "/v1/auth/usage/logs", { key: account.key });
    expect(log.json.data).toHaveLength(1);
    expect(shown(job) + shown(log)).not.toMatch(secrets);
  });
});

describe("members of an answer that nobody understands", () => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, input_tokens: 5, output_tokens: 1 };
  const trace = `${"in forward(self, ids)\n".repeat(100)}${leaks.join(" ")}`;
  const deep = [{ at: leaks.join(" "), text: leaks, message: { document: trace } }];
  const debug = { system_fingerprint: `fp_${key}`, x_debug: { host: leaks, deep, audio: leaks }, service_tier: "default" };

  test("chat: the host's own words go without what is the operator's, the model's stay", async () => {
    const said = "Ask https://10.2.3.4:8000 or localhost, with org-aBcDeFgHiJkL1234.";
    const message = { content: said, citations: ["http://localhost/a"], x_trace: leaks };
    const choice = { index: 0, message, finish_reason: "stop", x_route: leaks };
    const { reply } = await ask(language[0]!, json({ ...debug, choices: [choice], usage }));
    const [given] = reply.json.choices;
    expect(given.message).toMatchObject({ content: said, citations: ["http://localhost/a"] });
    expect(reply.json).toMatchObject({ service_tier: "default", system_fingerprint: expect.stringContaining("[hidden]") });
    const { message: own, ...rest } = given;
    expect(JSON.stringify([{ ...reply.json, choices: rest }, own.x_trace])).not.toMatch(secrets);
  });

  test("chat: a long text is searched, one without end is hidden, and what only a file can be stays", async () => {
    const file = Buffer.alloc(200_000, "a file").toString("base64");
    const page = "no address here, ".repeat(2_000);
    const members = {
      x_page: page,
      x_trace: `${page}http://10.2.3.4:8000`,
      x_log: page.repeat(2),
      x_file: file,
      x_picture: `data:image/png;base64,${file}`,
    };
    const { reply } = await ask(
      language[0]!,
      json({ ...members, choices: [{ message: { content: page.repeat(4) }, finish_reason: "stop" }], usage }),
    );
    expect(reply.json).toMatchObject({ ...members, x_trace: `${page}[hidden]`, x_log: "[hidden]" });
    expect(reply.json.choices[0].message.content).toBe(page.repeat(4));
  });

  test("chat: what the model thinks and what the caller sent stay, under any host's name for them", async () => {
    const said = "Start it on localhost:3000";
    const thought = { google: { thought_signature: `CiQB/eyJhbGciOiJIUzI1NiJ9/Ab+=` } };
    const scored = [null, { 7: { decoded_token: "localhost", logprob: -1, rank: 1 } }];
    const message = {
      content: "Yes",
      reasoning: said,
      extra_content: thought,
      provider_specific_fields: { reasoning: said, thinking: said },
      context: { citations: [{ content: said }], all_retrieved_documents: [{ content: said }] },
    };
    const found = { prompt: [{ text: said }], web_search: [{ content: said }], search_info: { search_results: [{ title: said }] } };
    const choice = { index: 0, message, finish_reason: "stop", stop_reason: "localhost" };
    const { reply } = await ask(language[0]!, json({ choices: [choice], prompt_logprobs: scored, ...found, usage }));
    const { reasoning: _, ...same } = message;
    expect(reply.json).toMatchObject({ prompt_logprobs: scored, ...found });
    expect(reply.json.choices[0]).toMatchObject({ stop_reason: "localhost", message: { ...same, reasoning_content: said } });

    const pieces = ["Start it on ", "localhost", ":3000"];
    const chunk = (delta: object, finish_reason: string | null) => eventText({ id: "a", choices: [{ index: 0, delta, finish_reason }] });
    const answer: HostileAnswer = (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`${pieces.map((reasoning) => chunk({ reasoning }, null)).join("")}${chunk({ content: "Yes" }, "stop")}data: [DONE]\n\n`);
    const { reply: streamed } = await ask(language[1]!, answer);
    expect([...streamed.text.matchAll(/"reasoning_content":"([^"]*)"/g)].map(([, piece]) => piece)).toEqual(pieces);
  });

  test("chat, streamed: in the first chunk and in those that are copied", async () => {
    const piece = (content: string, finish_reason: string | null) =>
      eventText({ id: "a", ...debug, choices: [{ index: 0, delta: { content, x_trace: leaks }, finish_reason, x_route: leaks }] });
    const answer: HostileAnswer = (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(["Hi", " there", " my", " friend"].map((text) => piece(text, null)).join("") + piece("", "stop") + "data: [DONE]\n\n");
    const { reply } = await ask(language[1]!, answer);
    expect(reply.text.match(/"content":"[^"]+"/g)).toEqual([
      '"content":"Hi"',
      '"content":" there"',
      '"content":" my"',
      '"content":" friend"',
    ]);
    expect(reply.text).toContain('"service_tier":"default"');
    expect(shown(reply)).not.toMatch(secrets);
  });

  test("a ranking, and why a message was refused", async () => {
    const results = [{ index: 0, relevance_score: 1, x_trace: leaks }];
    const { reply: ranking } = await ask(
      others[0]!,
      json({ ...debug, results, meta: { at: leaks }, usage: { total_tokens: 5, at: leaks } }),
    );
    expect(ranking.status).toBe(200);
    const refused = { content: [{ type: "text", text: "No" }], stop_reason: "refusal", stop_details: { explanation: leaks.join(" ") } };
    const { reply: message } = await ask(language[3]!, json({ ...debug, ...refused, usage }));
    expect(message.json.stop_reason).toBe("refusal");
    expect(shown(ranking) + shown(message)).not.toMatch(secrets);
  });

  test("a placeholder in a key's place is a word that a model may say", async () => {
    const content = "Run vLLM with lm-studio as its key, or sk-no-key-required.";
    const answer = json({ choices: [{ message: { content }, finish_reason: "stop" }], usage });
    const { reply } = await ask(["/v1/chat/completions", "local", { messages }], answer);
    expect(reply.json.choices[0].message.content).toBe(content);
  });

  test("the provider's own key leaves in no answer at all, not even where the model says it", async () => {
    const { reply: whole } = await ask(
      language[0]!,
      json({ choices: [{ message: { content: `It is ${key}.` }, finish_reason: "stop" }], usage }),
    );
    expect(whole.json.choices[0].message.content).toBe("It is [hidden].");
    const chunks = ["It is", ` ${key}`, "."].map((content) =>
      eventText({ id: "a", choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    );
    const end = eventText({ id: "a", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    const answer: HostileAnswer = (response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`${chunks.join("")}${end}data: [DONE]\n\n`);
    const { reply: streamed } = await ask(language[1]!, answer);
    expect(streamed.text).toContain("[hidden]");
    expect(shown(streamed)).not.toContain("Ab12Cd");
  });
});
