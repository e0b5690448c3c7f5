// POST /v1/responses: the fields of every response object, in whole answers and in every record that carries one. Typed clients and the Open
// Responses schema read each of them without checking that it exists.
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { chatWorld, language, prices, provider } from "../chat/chat-gateway.ts";
import { eventsOf, respond, weather } from "./responses-gateway.ts";

const can = { supports_tools: true, supports_structured_outputs: true, supports_reasoning: true };
const at = (id: string, model = "plain") => language(`demo/${id}`, [{ provider: id, model }], can);
const world = chatWorld(
  [
    language("demo/chat", ["chat"], can),
    language("demo/reason", ["reason-1"], can),
    language("demo/cut", ["chat+sim-cut-after-5"], can),
    language("demo/vertex-claude", [{ provider: "vertex", model: "anthropic/plain" }], {
      ...can,
      pricing: { mode: "per-token", ...prices, response_cache: 0.1 },
    }),
    ...[at("azure"), at("claude"), at("bedrock"), at("vertex"), at("gemini"), at("cohere")],
  ],
  {
    providers: [
      provider("north"),
      provider("azure", { protocol: "azure-openai", base_url: "simulator:/azure", headers: { "api-key": "any" } }),
      provider("claude", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
      provider("bedrock", { protocol: "bedrock", base_url: "simulator:/bedrock", region: "us-east-1", api_key_env: "CLOUD_KEY" }),
      provider("vertex", { protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "global" }),
      provider("gemini", { protocol: "gemini", base_url: "simulator:/gemini" }),
      provider("cohere", { protocol: "cohere", base_url: "simulator:/cohere" }),
    ],
  },
  { env: { CLOUD_KEY: "any", GCE_METADATA_HOST: "simulator:/vertex/metadata" } },
);

const whole = z.int().min(0);
const text = z.string();
const functionTool = z.object({
  type: z.literal("function"),
  name: text,
  description: text.nullable(),
  parameters: z.record(text, z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});
const shape = z.object({
  id: text,
  object: z.literal("response"),
  created_at: whole,
  completed_at: whole.nullable(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
  error: z.object({ code: text, message: text }).nullable(),
  incomplete_details: z.object({ reason: text }).nullable(),
  model: text,
  previous_response_id: z.null(),
  instructions: text.nullable(),
  output: z.array(z.object({ id: text, type: text })),
  tools: z.array(functionTool),
  tool_choice: z.union([
    z.enum(["none", "auto", "required"]),
    z.object({ type: z.literal("function"), name: text }),
    z.object({
      type: z.literal("allowed_tools"),
      mode: z.enum(["auto", "required"]),
      tools: z.array(z.object({ type: text, name: text })),
    }),
  ]),
  truncation: z.literal("disabled"),
  parallel_tool_calls: z.boolean(),
  text: z.object({
    format: z.union([
      z.object({ type: z.enum(["text", "json_object"]) }),
      z.object({
        type: z.literal("json_schema"),
        name: text,
        description: text.optional(),
        schema: z.looseObject({}),
        strict: z.boolean(),
      }),
    ]),
    verbosity: text.optional(),
  }),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: whole,
  reasoning: z.object({ effort: text.nullable(), summary: text.nullable() }).nullable(),
  usage: z
    .object({
      input_tokens: whole,
      input_tokens_details: z.object({ cached_tokens: whole }),
      output_tokens: whole,
      output_tokens_details: z.object({ reasoning_tokens: whole }),
      total_tokens: whole,
    })
    .nullable(),
  max_output_tokens: whole.nullable(),
  max_tool_calls: whole.nullable(),
  store: z.literal(false),
  background: z.literal(false),
  service_tier: z.literal("default"),
  metadata: z.record(text, text),
  safety_identifier: text.nullable(),
  prompt_cache_key: text.nullable(),
});

const everything = {
  instructions: "Be brief.",
  temperature: 0.5,
  top_p: 0.9,
  presence_penalty: 0.25,
  frequency_penalty: -0.5,
  max_output_tokens: 900,
  max_tool_calls: 3,
  parallel_tool_calls: false,
  reasoning: { effort: "low", summary: "auto" },
  service_tier: "flex",
  metadata: { a: "b" },
  safety_identifier: "s",
  prompt_cache_key: "k",
  tools: [weather],
  tool_choice: { type: "function", name: "get_weather" },
};
const bodies: [string, object][] = [
  ["nothing but the input", {}],
  ["every field", everything],
  ["null in every field", Object.fromEntries(Object.keys(everything).map((name) => [name, null]))],
  [
    "bare tools and a choice of several",
    { tools: [{ type: "function", name: "f" }], tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "f" }] } },
  ],
  [
    "a schema without description",
    { text: { format: { type: "json_schema", name: "city", schema: weather.parameters, description: null }, verbosity: null } },
  ],
  ["half of reasoning", { reasoning: { effort: "low" } }],
];

describe("every field that clients read is there", () => {
  test.each(bodies)("%s: in the whole answer and in every record of the stream", async (_, body) => {
    const account = await world.account();
    const { status, json } = await respond(world, account, { model: "demo/chat", ...body });
    expect(status).toBe(200);
    expect(() => shape.parse(json)).not.toThrow();
    const events = eventsOf(await respond(world, account, { model: "demo/chat", ...body, stream: true }));
    const carriers = events.filter(({ response }) => response !== undefined);
    expect(carriers.map(({ type }) => type)).toEqual(["response.created", "response.in_progress", "response.completed"]);
    for (const { response } of carriers) expect(() => shape.parse(response)).not.toThrow();
  });

  test.each([
    ["demo/chat", { max_output_tokens: 3 }, "response.incomplete"],
    ["demo/cut", {}, "response.failed"],
    ["demo/claude", {}, "response.completed"],
    ["demo/reason", {}, "response.completed"],
  ])("%s %j ends with %s, in the same form", async (model, body, type) => {
    const events = eventsOf(await respond(world, await world.account(), { model, ...body, stream: true }));
    expect(events.at(-1).type).toBe(type);
    expect(() => shape.parse(events.at(-1).response)).not.toThrow();
  });
});

describe("what is repeated is true", () => {
  test("what was sent is repeated where it counts; the service tier is the one that was used", async () => {
    const { json } = await respond(world, await world.account(), { model: "demo/chat", ...everything });
    const { service_tier: _, tools: __, ...repeated } = everything;
    expect(json).toMatchObject({ ...repeated, service_tier: "default", tools: [{ ...weather, strict: null }] });
    const [sent] = world.sent();
    expect(sent).toMatchObject({ temperature: 0.5, top_p: 0.9, presence_penalty: 0.25, frequency_penalty: -0.5 });
    expect(sent).not.toHaveProperty("service_tier");
  });

  test("where nothing was sent, numbers are those that change nothing, and none of them goes to the model", async () => {
    const { json } = await respond(world, await world.account(), { model: "demo/chat" });
    const neutral = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 };
    expect(json).toMatchObject({ ...neutral, max_tool_calls: null, safety_identifier: null, prompt_cache_key: null });
    for (const name of Object.keys(neutral)) expect(world.sent()[0]).not.toHaveProperty(name);
  });

  const asked = { presence_penalty: 0.5, frequency_penalty: -0.5, top_logprobs: 2 };
  const none = { presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 };
  /** What a host got of these fields, by whichever name. */
  const received = ({ generationConfig: config = {}, ...body }: Record<string, any>) => ({
    presence_penalty: body["presence_penalty"] ?? config.presencePenalty ?? 0,
    frequency_penalty: body["frequency_penalty"] ?? config.frequencyPenalty ?? 0,
    top_logprobs: body["top_logprobs"] ?? config.logprobs ?? 0,
  });
  test.each([
    ["demo/chat", asked, asked],
    ["demo/azure", asked, asked],
    ["demo/claude", asked, none],
    ["demo/bedrock", asked, none],
    ["demo/vertex-claude", asked, none],
    ["demo/vertex", asked, { ...asked, top_logprobs: 0 }],
    ["demo/gemini", asked, { ...asked, top_logprobs: 0 }],
    ["demo/cohere", asked, none],
    ["demo/cohere", { presence_penalty: 1.5 }, { ...none, presence_penalty: 1 }],
    ["demo/cohere", { presence_penalty: 0.5, frequency_penalty: 0.25 }, { ...none, frequency_penalty: 0.25 }],
  ])("%s: of %j the answer claims what its host got, %j", async (model, body, got) => {
    const account = await world.account();
    const { json } = await respond(world, account, { model, ...body });
    expect(json).toMatchObject({ status: "completed", ...got });
    const events = eventsOf(await respond(world, account, { model, ...body, stream: true }));
    const carriers = events.filter((event) => event.response !== undefined);
    expect(carriers).toHaveLength(3);
    for (const { response } of carriers) expect(response).toMatchObject(got);
    const chats = world.sent().filter((call) => call !== undefined);
    expect(chats.map(received)).toEqual([got, got]);
    const ungenerated = await respond(world, account, { model, ...body, generate: false });
    expect(ungenerated.json).toMatchObject(got);
  });

  test("a host that knows no log probabilities: the answer has none", async () => {
    const include = ["message.output_text.logprobs"];
    const { json } = await respond(world, await world.account(), { model: "demo/claude", top_logprobs: 2, include });
    expect(json).toMatchObject({ top_logprobs: 0, output: [{ content: [{ logprobs: [] }] }] });
  });

  test("a kept answer claims what was claimed at first", async () => {
    const { key } = await world.account();
    const body = { model: "demo/vertex-claude", input: "Hello", ...asked };
    const ask = () => world.gateway.request("POST", "/v1/responses", { key, body, headers: { "x-svc-response-cache": "60" } });
    expect((await ask()).json).toMatchObject(none);
    const again = await ask();
    expect(again.headers["x-svc-response-cache"]).toBe("hit");
    expect(again.json).toMatchObject(none);
  });
});

test.each([["presence_penalty"], ["frequency_penalty"]])(
  "400 invalid_parameter: %s beyond 2 is refused, and no model is asked",
  async (name) => {
    const account = await world.account();
    const { status, json } = await respond(world, account, { model: "demo/chat", [name]: 2.5 });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", name]);
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
  },
);
