// Vertex: Gemini's and Anthropic's models at a project's paths, in both dialects, embeddings, and accounts of every kind.
import { afterEach, describe, expect, test } from "vitest";
import { googleAuthorization } from "../../../src/providers/credentials/google.ts";
import { serviceAccount } from "../../../src/simulator/vertex/vertex.ts";
import { askMessage, eventsOf, messageOf } from "../messages/message-events.ts";
import { chatWorld, costUsd, language, prices, provider, recordsOf, textOf } from "./chat-gateway.ts";

const account = serviceAccount("simulator:/vertex/token");
const pem = String(account["private_key"]);
const strange = serviceAccount("simulator:/vertex/token");
const vertex = (id: string, more: object = {}) =>
  provider(id, { protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "europe-west4", ...more });
const cloud = (model: string) => ({ provider: "cloud", model });
const at = (id: string, model = "gemini-2.5-flash") => ({ provider: id, model });
const base = "/vertex/v1/projects/sim-project/locations/europe-west4/publishers";
const embedding = (id: string, model: string) => ({
  ...{ id, type: "embedding", context_window: 8000, pricing: { mode: "per-token", input: 0.5 } },
  routes: [cloud(model)],
});
const spare = (first: object) => [first, { provider: "north", model: "second" }];

const world = chatWorld(
  [
    language("demo/gemini", [cloud("gemini-2.5-flash")], { supports_tools: true }),
    language("demo/claude", [cloud("claude-sonnet-4-5@20250929")], { supports_tools: true }),
    language("demo/named", [cloud("anthropic/sim")]),
    language("demo/machine", [at("machine")]),
    language("demo/unset", spare(at("unset"))),
    language("demo/no-machine", spare(at("no-machine"))),
    language("demo/unknown", spare(at("unknown"))),
    language("demo/no-key", spare(at("no-key"))),
    language("demo/elsewhere", spare(cloud("gemini-elsewhere"))),
    language("demo/claude-elsewhere", spare(cloud("claude-elsewhere"))),
    ...[403, 429].flatMap((status) => [
      language(`demo/gemini-${status}`, spare(cloud(`gemini+sim-${status}`))),
      language(`demo/claude-${status}`, spare(cloud(`claude+sim-${status}`))),
    ]),
    language("demo/claude-overloaded", spare(cloud("claude+sim-529"))),
    embedding("demo/texts", "text-embedding-005"),
    embedding("demo/gemini-texts", "gemini-embedding-001"),
  ],
  {
    providers: [
      provider("north"),
      vertex("cloud", { service_account_env: "ACCOUNT" }),
      vertex("machine"),
      vertex("unset", { service_account_env: "NOT_SET" }),
      vertex("unknown", { service_account_env: "UNKNOWN" }),
      vertex("no-key", { service_account_env: "NO_KEY" }),
      vertex("no-machine", { service_account_env: "CLOSED" }),
    ],
  },
  {
    env: {
      ACCOUNT: JSON.stringify(account),
      UNKNOWN: JSON.stringify({ ...strange, client_email: "gone@sim-project.iam.gserviceaccount.com" }),
      NO_KEY: JSON.stringify({ ...strange, private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" }),
      CLOSED: JSON.stringify({ ...strange, token_uri: "http://127.0.0.1:1/token" }),
      GCE_METADATA_HOST: "simulator:/vertex/metadata",
    },
  },
);
const calls = () => world.gateway.simulator.calls();
const paths = () => calls().flatMap(({ path }) => (path.includes("/publishers/") ? [path] : []));
afterEach(() => world.gateway.simulator.reset());

describe("models", () => {
  test.each([
    ["demo/gemini", "google/models/gemini-2.5-flash", ":generateContent", ":streamGenerateContent?alt=sse"],
    ["demo/claude", "anthropic/models/claude-sonnet-4-5%4020250929", ":rawPredict", ":streamRawPredict"],
    ["demo/named", "anthropic/models/sim", ":rawPredict", ":streamRawPredict"],
  ])("%s: whole and streamed say the same and cost the same, in both dialects", async (model, path, whole, stream) => {
    const caller = await world.account();
    const answered = await world.chat(caller, { model, max_tokens: 300 });
    expect(answered.status, answered.text).toBe(200);
    expect(answered.json.usage.cost).toBe(costUsd(answered.json.usage, prices));
    const streamed = await world.chat(caller, { model, max_tokens: 300, stream: true, stream_options: { include_usage: true } });
    expect(textOf(streamed)).toBe(answered.json.choices[0].message.content);
    expect(recordsOf(streamed).at(-2).usage).toEqual(answered.json.usage);
    const message = await askMessage(world, caller, { model });
    expect(message.status, message.text).toBe(200);
    const events = eventsOf(await askMessage(world, caller, { model, stream: true }));
    expect(messageOf(events).content[0].text).toBe(message.json.content[0].text);
    expect(paths()).toEqual([whole, stream, whole, stream].map((verb) => `${base}/${path}${verb}`));
    expect(answered.text + streamed.text + message.text).not.toMatch(/vertex|sim-project|googleapis/i);
  });

  test("a Claude model is sent the version in the body, and no model or names of betas", async () => {
    const caller = await world.account();
    await askMessage(world, caller, { model: "demo/claude" }, { "anthropic-beta": "some-feature-2026-01-01" });
    const call = calls().find(({ path }) => path.includes("rawPredict"))!;
    expect(call.json).toMatchObject({ anthropic_version: "vertex-2023-10-16" });
    expect(call.json).not.toHaveProperty("model");
    expect(call.headers).not.toHaveProperty("anthropic-beta");
    expect(call.headers).not.toHaveProperty("anthropic-version");
  });

  test.each(["demo/gemini", "demo/claude"])("%s: a tool is called, and its result is taken", async (model) => {
    const caller = await world.account();
    const tools = [
      { type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } },
    ];
    const asked = { role: "user", content: "What is the weather in Oslo?" };
    const first = await world.chat(caller, { model, tools, tool_choice: "required", messages: [asked] });
    const { message, finish_reason } = first.json.choices[0];
    expect(finish_reason).toBe("tool_calls");
    const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "Rain" };
    const second = await world.chat(caller, { model, tools, messages: [asked, message, result] });
    expect(second.status, second.text).toBe(200);
  });
});

describe("embeddings", () => {
  const ask = async (model: string, input: unknown, more: object = {}) =>
    await world.gateway.request("POST", "/v1/embeddings", { key: (await world.account()).key, body: { model, input, ...more } });
  const sizes = () => calls().flatMap(({ path, json }) => (path.endsWith(":predict") ? [(json as any).instances.length] : []));

  test("250 texts a request, and one where the model is a Gemini; tokens are those that were counted", async () => {
    const texts = Array.from({ length: 260 }, (_, index) => `text number ${index}`);
    const many = await ask("demo/texts", texts, { dimensions: 256 });
    expect(many.status, many.text).toBe(200);
    expect(many.json.data.map(({ index }: any) => index)).toEqual(texts.map((_, index) => index));
    expect(many.json.data[0].embedding).toHaveLength(256);
    expect(sizes().sort()).toEqual([10, 250]);
    expect(await world.logOf(many)).toMatchObject({ estimated: false });
    world.gateway.simulator.reset();
    const few = await ask("demo/gemini-texts", texts.slice(0, 3));
    expect([few.status, few.json.data.length]).toEqual([200, 3]);
    expect(sizes()).toEqual([1, 1, 1]);
  });

  test("long texts share no request that would be too long", async () => {
    const texts = Array.from({ length: 4 }, (_, index) => `${index} ${"word ".repeat(5000)}`);
    expect((await ask("demo/texts", texts)).status).toBe(200);
    expect(sizes()).toEqual([2, 2]);
  });

  test("400 invalid_parameter for token numbers", async () => {
    const reply = await ask("demo/texts", [1, 2, 3]);
    expect([reply.status, reply.json.error.param]).toEqual([400, "input"]);
  });
});

describe("accounts", () => {
  test("one token of the service account for calls at once, and for those that follow", async () => {
    const caller = await world.account();
    const ask = () => world.chat(caller, { model: "demo/gemini" });
    const replies = await Promise.all([ask(), ask(), ask()]);
    replies.push(await ask());
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(calls().filter(({ path }) => path === "/vertex/token").length).toBeLessThanOrEqual(1); // other tests may have got it
    expect(calls().at(-1)!.headers["authorization"]).toMatch(/^Bearer ya29\./);
  });

  test("the machine's own", async () => {
    expect((await world.chat(await world.account(), { model: "demo/machine" })).status).toBe(200);
    const asked = calls().filter(({ path }) => path.startsWith("/vertex/metadata/"));
    expect(asked.map(({ method, headers }) => [method, headers["metadata-flavor"]])).toEqual([["GET", "Google"]]);
  });

  test.each([
    ["demo/unset", "credentials", "the variable NOT_SET is not set"],
    ["demo/unknown", "credentials", "Google gave the service account no token: invalid_grant, the account was deleted"],
    ["demo/no-key", "credentials", "the private key in the variable NO_KEY can't be read"],
    [
      "demo/no-machine",
      "credentials",
      "the service that gives out credentials can't be reached: nothing listens there (ECONNREFUSED 127.0.0.1:1)",
    ],
    ["demo/elsewhere", "http_404", /^Publisher Model .*was not found or your project does not have access to it/],
    ["demo/claude-elsewhere", "http_404", /was not found or your project does not have access to it/],
    ["demo/gemini-403", "http_403", /^Permission 'aiplatform.endpoints.predict' denied/],
    ["demo/claude-403", "http_403", /^Permission/],
    ["demo/gemini-429", "http_429", /^Resource exhausted/],
    ["demo/claude-429", "http_429", /^Resource exhausted/],
    ["demo/claude-overloaded", "http_529", /^Overloaded/],
  ])("%s: the operator learns why, the caller is served by another route", async (model, cause, detail) => {
    const reply = await world.chat(await world.account(), { model });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    const [attempt] = (await world.logOf(reply))!.attempts as any[];
    expect(attempt).toMatchObject({ cause, detail: typeof detail === "string" ? detail : expect.stringMatching(detail) });
    expect(JSON.stringify(attempt)).not.toContain(pem.slice(100, 130));
  });
});

test.each([
  ["ten minutes ahead", 600_000],
  ["two hours behind", -7_200_000],
])("a clock that is %s: the cause says so", async (_name, ms) => {
  const identity = {
    ...{ email: String(account["client_email"]), privateKey: pem, keyId: null },
    tokenUrl: `${world.gateway.simulator.url}/vertex/token`,
  };
  const { authorize } = googleAuthorization(
    { kind: "service-account", variable: "ACCOUNT", account: identity },
    () => new Date(Date.now() + ms),
  );
  const asked = authorize({ method: "POST", origin: "http://localhost", path: "/", headers: {}, body: null });
  await expect(asked).rejects.toMatchObject({
    fault: "our_fault",
    failure: { cause: "clock_skew", detail: expect.stringMatching(/clock is wrong/) },
  });
});
