// The promises of upstream-words.test.ts over every protocol: whatever a host says of the operator's network, keys and accounts, in whichever
// form its protocol has for it, none of it reaches a caller.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { type HostileAnswer, type HostileHost, json, startHostileHost } from "./hostile-host.ts";
import { hostKey, leaks, secrets, shown } from "./operators-words.ts";
import { voices } from "./upstream-voices.ts";

const keyId = "AKIA2E0A8F3B244C9986";
const others = {
  embedding: ["openai", "azure", "gemini", "vertex", "bedrock", "cohere"],
  reranking: ["bedrock", "cohere", "rerank"],
  speech: ["openai", "elevenlabs", "minimax"],
  music: ["fal", "elevenlabs", "minimax"],
} as const;
type Kind = keyof typeof others;
const upstreamIds: Record<string, string> = {
  "embedding/vertex": "text-embedding-005",
  "embedding/bedrock": "amazon.titan-embed-text-v2:0",
  "reranking/bedrock": "cohere.rerank-v3-5:0",
};

let host: HostileHost;
let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  host = await startHostileHost();
  const provider = (id: string, fields: object) => ({ id, base_url: host.url, headers: { "x-tenant": "tenant-secret-7" }, ...fields });
  const language = { type: "language", context_window: 100_000, max_output_tokens: 100, supports_tools: true };
  const priced = { pricing: { mode: "per-token", input: 1, output: 1 } };
  const chats = Object.entries(voices).map(([id, { prefix }]) => ({
    ...{ id: `demo/${id}`, ...language, ...priced },
    routes: [{ provider: id, model: `${prefix}${id}` }],
  }));
  const facts: Record<Kind, object> = {
    embedding: { type: "embedding", context_window: 8_000, pricing: { mode: "per-token", input: 1 } },
    reranking: { type: "reranking", context_window: 8_000, pricing: { mode: "per-token", input: 1 } },
    speech: { type: "speech", voice_family: "provider_a", default_voice: "a", pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.01 } },
    music: { type: "speech", capability: "music", pricing: { mode: "per-song", usd_per_song: 0.1 } },
  };
  const rest = Object.entries(others).flatMap(([kind, ids]) =>
    ids.map((id) => ({
      ...{ id: `demo/${kind}-${id}`, ...facts[kind as Kind] },
      routes: [{ provider: id, model: upstreamIds[`${kind}/${id}`] ?? `${kind}-${id}` }],
    })),
  );
  const plain = ["rerank", "elevenlabs", "minimax", "fal"].map((id) => provider(id, { protocol: id, api_key_env: "HOST_KEY" }));
  const providers = [...Object.entries(voices).map(([id, { fields }]) => provider(id, fields)), ...plain];
  gateway = await startGateway({
    catalog: JSON.stringify({ providers, models: [...chats, ...rest], tiers: highTiers() }),
    env: {
      ...{ HOST_KEY: hostKey, KEY_ID: keyId, SVC_PUBLIC_URL: "https://gateway.example" },
      GCE_METADATA_HOST: "simulator:/vertex/metadata",
    },
  });
  account = await gateway.createAccount({ deposit: "50" });
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

const messages = [{ role: "user", content: "Hello" }];
const forms = {
  chat: { path: "/v1/chat/completions", body: { messages, max_tokens: 50 } },
  "chat stream": { path: "/v1/chat/completions", body: { messages, max_tokens: 50, stream: true } },
  message: { path: "/v1/messages", body: { messages, max_tokens: 50 } },
  "message stream": { path: "/v1/messages", body: { messages, max_tokens: 50, stream: true } },
  response: { path: "/v1/responses", body: { input: "Hello", max_output_tokens: 50 } },
  "response stream": { path: "/v1/responses", body: { input: "Hello", max_output_tokens: 50, stream: true } },
} as const;
type Form = keyof typeof forms;
const formNames = Object.keys(forms) as Form[];
const streams = formNames.filter((form) => form.endsWith("stream"));
const wholes = formNames.filter((form) => !form.endsWith("stream"));
const protocols = Object.keys(voices);

/** `sent`: all that the host was sent to know us by. */
type Answer = (sent: readonly string[]) => HostileAnswer;

async function ask(model: string, upstream: string, path: string, body: object, answer: Answer) {
  let sent: string[] = [];
  host.answers.set(upstream, (response, given, request) => {
    const { authorization = "", ...headers } = request.headers;
    const named = ["x-api-key", "api-key", "x-goog-api-key", "xi-api-key"].map((name) => headers[name]);
    // Of a signature the key's id; the rest holds for one request.
    const ours = [...authorization.split(/ /).slice(1, 2), ...named].map((value) => /^Credential=(\w+)/.exec(String(value))?.[1] ?? value);
    sent = ours.filter((value): value is string => typeof value === "string");
    answer(sent)(response, given, request);
  });
  const reply = await gateway.request("POST", path, { key: account.key, body: { model: `demo/${model}`, ...body } });
  return { reply, sent };
}

async function speak(protocol: string, form: Form, answer: Answer) {
  const { path, body } = forms[form];
  return ask(protocol, `${voices[protocol]!.prefix}${protocol}`.replace(/^anthropic\//, ""), path, body, answer);
}

function expectNothingOf({ reply, sent }: Awaited<ReturnType<typeof ask>>): void {
  expect(shown(reply)).not.toMatch(secrets);
  expect(sent.length).toBeGreaterThan(0);
  for (const value of [...sent, keyId]) expect(reply.text + JSON.stringify(reply.headers)).not.toContain(value);
}

// Vertex is asked with the machine's own token: it knows no other key.
const leaksOf = (id: string) => (id.startsWith("vertex") ? leaks.filter((leak) => !/6Gh78|^key ending/.test(leak)) : leaks);
const sentence = (id: string, sent: readonly string[]) => `top_k is wrong: ${leaksOf(id).join(", ")}, ${sent.join(", ")}. Mend it`;
const debug = { x_debug: { host: leaks, deep: [{ at: leaks.join(" "), text: leaks }] } };

describe.each(protocols)("%s", (protocol) => {
  const voice = voices[protocol]!;

  test.each(formNames)("%s: a refusal says what is wrong, and nothing of whose upstream it is", async (form) => {
    const asked = await speak(protocol, form, (sent) => voice.refusal(sentence(protocol, sent)));
    expect(asked.reply.status).toBe(400);
    expect(asked.reply.text).toContain("top_k is wrong");
    expectNothingOf(asked);
  });

  test.each(streams)("%s: so does one that stands in the stream, before its first word or after it", async (form) => {
    expectNothingOf(await speak(protocol, form, (sent) => voice.stream([], debug, sentence(protocol, sent))));
    const broken = await speak(protocol, form, (sent) => voice.stream(["Hi"], debug, sentence(protocol, sent)));
    expect(broken.reply.text).toMatch(/stream_interrupted|"type":"error"|response\.failed/);
    expectNothingOf(broken);
  });

  test("members that nobody understands go without what is the operator's, whole and streamed", async () => {
    for (const form of wholes) {
      const asked = await speak(protocol, form, () => voice.whole("Hi there", debug));
      expect(asked.reply.text).toContain("Hi there");
      expectNothingOf(asked);
    }
    for (const form of streams) {
      const asked = await speak(protocol, form, () => voice.stream(["Hi", " there", " my", " friend"], debug));
      expect(asked.reply.text).toContain(" friend");
      expectNothingOf(asked);
    }
  });

  test("what it was sent to know us by leaves in no answer, not even where the model says it", async () => {
    const spoken = await speak(protocol, "chat", (sent) => voice.whole(`It is ${sent.join(" and ")}.`, {}));
    expect(spoken.reply.json.choices[0].message.content).toMatch(/^It is .*\.$/);
    expectNothingOf(spoken);
    const streamed = await speak(protocol, "chat stream", (sent) => voice.stream(["It is", ` ${sent.join(" and ")}`, "."], {}));
    expect(streamed.reply.text).toContain("It is");
    expectNothingOf(streamed);
  });
});

const bodies: Record<Kind, { path: string; body: object }> = {
  embedding: { path: "/v1/embeddings", body: { input: "a" } },
  reranking: { path: "/v1/rerank", body: { query: "a", documents: ["b"] } },
  speech: { path: "/v1/audio/speech", body: { input: "a" } },
  music: { path: "/v1/audio/music", body: { prompt: "a" } },
};
const refusals: Record<string, (message: string) => HostileAnswer> = {
  rerank: (message) => json({ message, detail: message }, 400),
  elevenlabs: (message) => json({ detail: { status: "invalid_text", message } }, 400),
  minimax: (message) => json({ base_resp: { status_code: 2013, status_msg: message } }),
  fal: (message) => json({ detail: [{ loc: ["body", "prompt"], msg: message, type: message }] }, 422),
};

describe.each(Object.keys(others) as Kind[])("%s", (kind) => {
  test.each(others[kind])("over %s: the refusal says what is wrong, and nothing of whose upstream it is", async (id) => {
    const { path, body } = bodies[kind];
    const refusal = refusals[id] ?? voices[id]!.refusal;
    const asked = await ask(`${kind}-${id}`, upstreamIds[`${kind}/${id}`] ?? `${kind}-${id}`, path, body, (sent) =>
      refusal(sentence(id, sent)),
    );
    expect(asked.reply.status).toBeGreaterThanOrEqual(400);
    expect(asked.reply.text).toContain("top_k is wrong");
    expectNothingOf(asked);
  });
});
