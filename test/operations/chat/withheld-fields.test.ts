// Fields that change what a provider charges: without a price here they are dropped or refused, on every operation that forwards fields
// (docs/behaviour/requests.md#withheld-fields).
import { describe, expect, test } from "vitest";
import { knownFields, withheldFields } from "../../../generated/withheld-fields.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

const embed = { id: "demo/embed", type: "embedding", context_window: 8192, pricing: { mode: "per-token", input: 0.1 } };
const world = chatWorld(
  [
    language("demo/chat", ["upstream-id"], { supports_tools: true }),
    language("demo/open", [{ provider: "open", model: "upstream-id" }], { supports_tools: true }),
    language(
      "demo/half",
      [
        { provider: "open", model: "half+sim-fail-503" },
        { provider: "north", model: "upstream-id" },
      ],
      { supports_tools: true },
    ),
    language("demo/falls", [{ provider: "open", model: "down+sim-fail-503" }], { fallbacks: ["demo/chat", "demo/open"] }),
    { ...embed, routes: [{ provider: "north", model: "embed" }] },
    { ...embed, id: "demo/rank", type: "reranking", routes: [{ provider: "ranks", model: "rank" }] },
    language("demo/claude", [{ provider: "claude", model: "plain" }], { supports_tools: true }),
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("open", { forward: ["service_tier", "web_search_options", "tools"] }),
      provider("ranks", { protocol: "rerank", base_url: "simulator:/rerank" }),
      provider("claude", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
    ],
  },
);

/** What the upstream got of a request that was served. */
async function sent(body: object, path = "/v1/chat/completions"): Promise<Record<string, unknown>> {
  const { key } = await world.account();
  const reply = await world.gateway.request("POST", path, { key, body });
  expect(reply.status).toBe(200);
  return world.sent().at(-1)!;
}

/** The parameter that a refused request is refused for; nothing was asked and nothing charged. */
async function refusedParam(body: object, path = "/v1/chat/completions"): Promise<unknown> {
  const account = await world.account();
  const reply = await world.gateway.request("POST", path, { key: account.key, body });
  expect([reply.status, reply.json.error.code ?? reply.json.error.type]).toEqual([
    400,
    expect.stringMatching(/^invalid_(parameter|request)$/),
  ]);
  expect(world.sent()).toEqual([]);
  await world.expectUntouched(account);
  return reply.json.error.param;
}

const chat = { model: "demo/chat", messages: hello };
const dropped = Object.entries(withheldFields).flatMap(([name, { treatment }]) => (treatment === "dropped" ? [name] : []));

const refusedNames = Object.entries(withheldFields).flatMap(([name, { treatment }]) => (treatment === "refused" ? [name] : []));
/** Name, a value that costs, and the parameter that the refusal names. */
const refused: [string, unknown, string][] = [
  ["plugins", [{ id: "web" }], "plugins[0]"],
  ["web_search", { enabled: true }, "web_search"],
  ["web_search_options", {}, "web_search_options"],
  ["search_parameters", { mode: "on" }, "search_parameters"],
  ["enable_search", true, "enable_search"],
  ["modalities", ["text", "audio"], "modalities[1]"],
  ["best_of", 3, "best_of"],
  ["api_base", "https://a.example", "api_base"],
  ["api_key", "sk-mine", "api_key"],
  ["base_url", "https://a.example", "base_url"],
  ["data_sources", [{ type: "azure_search", parameters: { endpoint: "https://a.example" } }], "data_sources[0]"],
  ["chat_template", "{% for _ in range(99999) %}word {% endfor %}", "chat_template"],
  ["guided_regex", "(a+)+$", "guided_regex"],
  ["guided_grammar", "root ::= root", "guided_grammar"],
  ["tools", [{ type: "function", function: { name: "look" } }, { type: "web_search" }], "tools[1].type"],
  ["tools", [{ type: "builtin_function", function: { name: "$web_search" } }], "tools[0].type"],
];

/** Spellings that hosts without regard for case, or with camel case, may read as the name. */
function spellingsOf(name: string): string[] {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const all = [name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1), camel, name.replaceAll("_", "-"), name.replaceAll("_", "")];
  return [...new Set(all)].filter((spelling) => spelling !== name);
}

test("names that differ only by case or underscores are one name, so that a second spelling is known", () => {
  const folded = knownFields.map((name) => name.replaceAll("_", ""));
  expect(new Set(folded).size).toBe(knownFields.length);
});

describe("chat", () => {
  test("R4: none of the fields that may make the same answer dearer reaches the provider", async () => {
    const dear = { service_tier: "priority", models: ["dear/model"], route: "fallback", provider: { order: ["dear"] }, priority: 9 };
    expect(await sent({ ...chat, ...dear, extra_body: { service_tier: "priority" } })).toEqual({ model: "upstream-id", messages: hello });
  });

  test.each(dropped)("%s is dropped, whatever its value", async (name) => {
    const value = name === "service_tier" ? "priority" : { any: ["thing"] };
    expect(await sent({ ...chat, [name]: value, seed: 7 })).toEqual({ model: "upstream-id", messages: hello, seed: 7 });
  });

  test("the table's refused fields are those that have a row here", () => {
    expect([...new Set(refused.map(([name]) => name))].sort()).toEqual(refusedNames.sort());
  });

  test.each(refused)("400 invalid_parameter: %s, %j", async (name, value, param) => {
    expect(await refusedParam({ ...chat, [name]: value })).toBe(param);
  });

  test("values that ask for nothing pass: null, false, [], text alone, one answer of one", async () => {
    const free = { plugins: [], web_search_options: null, enable_search: false, modalities: ["text"], best_of: 1 };
    expect(await sent({ ...chat, ...free })).toMatchObject(free);
  });

  test("R4: other spellings of known fields are dropped: Model, N, MAX_TOKENS, maxTokens, an s that is none", async () => {
    const spelt = { Model: "dear/model", N: 5, MAX_TOKENS: 9_000, maxTokens: 9_000, "service-tier": "priority", "\u017ftream": true };
    expect(await sent({ ...chat, ...spelt, max_tokens: 5 })).toEqual({ model: "upstream-id", messages: hello, max_tokens: 5 });
  });

  test("what a provider lists under forward reaches it, and only that", async () => {
    const search = { web_search_options: { search_context_size: "low" }, tools: [{ type: "web_search" }] };
    expect(await sent({ ...chat, model: "demo/open", ...search, service_tier: "flex", models: ["x"] })).toEqual({
      model: "upstream-id",
      messages: hello,
      ...search,
      service_tier: "flex",
    });
  });

  test("a refused field needs every provider of the model; a dropped one is dropped where its provider does not list it", async () => {
    expect(await refusedParam({ ...chat, model: "demo/half", web_search_options: {} })).toBe("web_search_options");
    await sent({ ...chat, model: "demo/half", service_tier: "flex" });
    expect(world.sent().map(({ service_tier }) => service_tier)).toEqual(["flex", undefined]);
  });

  test("a fallback model that would have to refuse the field does not answer", async () => {
    const reply = await world.chat(await world.account(), { ...chat, model: "demo/falls", web_search_options: {} });
    expect([reply.status, reply.headers["x-svc-served-model"]]).toEqual([200, "demo/open"]);
  });
});

describe("every field of the table", () => {
  const messages = [{ role: "user", content: "Hello" }];
  const operations: [string, object, string[]][] = [
    ["/v1/chat/completions", { model: "demo/chat", messages, max_tokens: 5 }, []],
    ["/v1/messages", { model: "demo/claude", messages, max_tokens: 5 }, ["tools"]], // in a form of their own: src/language/messages
    ["/v1/embeddings", { model: "demo/embed", input: "Hello" }, []],
    ["/v1/rerank", { model: "demo/rank", query: "q", documents: ["d"] }, []],
  ];

  test.each(operations)("%s: other spellings are dropped, of refused fields too", async (path, body) => {
    const plain = await sent(body, path);
    for (const name of Object.keys(withheldFields)) {
      const spelt = Object.fromEntries(spellingsOf(name).map((spelling) => [spelling, "https://a.example"]));
      expect([name, await sent({ ...body, ...spelt }, path)]).toEqual([name, plain]);
    }
  });

  test.each(operations)("%s: refused ones are refused, dropped ones dropped", async (path, body, apart) => {
    const plain = await sent(body, path);
    for (const name of dropped) {
      // Of messages the tier is a word.
      expect([name, await sent({ ...body, [name]: name === "service_tier" ? "auto" : { any: ["thing"] } }, path)]).toEqual([name, plain]);
    }
    world.gateway.simulator.reset();
    for (const [name, value, param] of refused.filter(([name]) => !apart.includes(name))) {
      const told = await refusedParam({ ...body, [name]: value }, path);
      if (path !== "/v1/rerank") expect([name, told]).toEqual([name, param]); // whose errors name none apart from their sentence
    }
  });

  test.each([
    ["/v1/responses", { model: "demo/chat", input: "Hello" }],
    ["/v1/completions", { model: "demo/chat", prompt: "Hello" }],
  ])("%s forwards none, in no spelling", async (path, body) => {
    const plain = await sent(body, path);
    const read = ["tools", "best_of", "service_tier"]; // fields of these operations' own
    for (const name of Object.keys(withheldFields).filter((one) => !read.includes(one))) {
      const spelt = Object.fromEntries([name, ...spellingsOf(name)].map((spelling) => [spelling, "https://a.example"]));
      expect([name, await sent({ ...body, ...spelt }, path)]).toEqual([name, plain]);
    }
  });
});

describe("the other operations that forward fields", () => {
  test("messages drop the fields and the spellings; state of a provider stays out as well", async () => {
    const dear = { speed: "fast", service_tier: "auto", inference_geo: "us", fallbacks: ["x"], Max_Tokens: 9_000, provider: {} };
    expect(await sent({ model: "demo/claude", max_tokens: 9, messages: hello, ...dear }, "/v1/messages")).toEqual({
      model: "plain",
      max_tokens: 9,
      messages: hello,
    });
    world.gateway.simulator.reset();
    expect(await refusedParam({ model: "demo/claude", max_tokens: 9, messages: hello, plugins: ["web"] }, "/v1/messages")).toBe(
      "plugins[0]",
    );
  });

  test("embeddings and rerank do the same", async () => {
    const dear = { service_tier: "priority", provider: {}, MODEL: "dear" };
    expect(await sent({ model: "demo/embed", input: "Hello", mine: 1, ...dear }, "/v1/embeddings")).toEqual({
      model: "embed",
      input: "Hello",
      mine: 1,
    });
    const ranking = { query: "q", documents: ["d"] };
    expect(await sent({ model: "demo/rank", ...ranking, mine: 1, ...dear }, "/v1/rerank")).toEqual({ model: "rank", ...ranking, mine: 1 });
    world.gateway.simulator.reset();
    expect(await refusedParam({ model: "demo/embed", input: "Hello", api_base: "https://a.example" }, "/v1/embeddings")).toBe("api_base");
    await refusedParam({ model: "demo/rank", ...ranking, api_key: "sk-mine" }, "/v1/rerank");
  });
});
