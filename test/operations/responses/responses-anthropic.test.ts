// POST /v1/responses over hosts of the Anthropic protocol: the same items, records and charge as over any other.
import { describe, expect, test } from "vitest";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";
import { eventsOf, respond, typesOf, weather } from "./responses-gateway.ts";

const able = { supports_tools: true, supports_structured_outputs: true, supports_reasoning: true, max_output_tokens: 8000 };
const quay = (model: string) => ({ provider: "quay", model });
const world = chatWorld(
  [
    language("demo/deep", [quay("deep")], able),
    language("demo/cached", [quay("cached+sim-prompt-tokens-1000+sim-cached-700+sim-cache-write-200")]),
    language("demo/broken", [quay("broken+sim-end-after-6")]),
  ],
  { providers: [provider("north"), provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" })] },
);

test("whole and streamed end alike, and cost what the same chat costs", async () => {
  const account = await world.account();
  for (const model of ["demo/deep", "demo/cached"]) {
    const { json } = await respond(world, account, { model, instructions: "Be brief." });
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ];
    const chat = (await world.chat(account, { model, messages })).json;
    expect(json.output.at(-1).content[0].text).toBe(chat.choices[0].message.content);
    expect(json.usage).toMatchObject({ cost: chat.usage.cost, cache_discount: chat.usage.cache_discount });
    const { response } = eventsOf(await respond(world, account, { model, instructions: "Be brief.", stream: true })).at(-1);
    expect(response).toMatchObject({ status: "completed", usage: json.usage });
  }
});

test("reads from and writes to the cache are shown separately", async () => {
  const { json } = await respond(world, await world.account(), { model: "demo/cached" });
  expect(json.usage.input_tokens_details).toEqual({ cached_tokens: 700, cache_write_tokens: 200 });
});

describe("an agent's turns", () => {
  test.each([[false], [true]])("thinking, calls side by side, then words; streamed: %s", async (stream) => {
    const account = await world.account();
    const tools = [weather, { type: "namespace", name: "crm", description: "Customers", tools: [{ ...weather, name: "find" }] }];
    const ask = { model: "demo/deep", tools, reasoning: { effort: "low" }, stream };
    const read = async (body: object) => {
      const reply = await respond(world, account, { ...ask, ...body });
      return (stream ? eventsOf(reply).at(-1).response : reply.json) as { output: any[] };
    };
    const question = { role: "user", content: "Use get_weather and crm__find" };
    const { output } = await read({ input: [question] });
    expect(output).toMatchObject([
      { type: "reasoning", summary: [{ text: expect.stringMatching(/\w/) }] },
      { type: "function_call", name: "get_weather" },
      { type: "function_call", name: "find", namespace: "crm" },
    ]);
    const results = output.slice(1).map(({ call_id }) => ({ type: "function_call_output", call_id, output: "fine" }));
    const next = await read({ input: [question, ...output, ...results] });
    expect(next.output.at(-1)).toMatchObject({ type: "message", status: "completed" });
  });
});

test("an interrupted stream is reported and free", async () => {
  const account = await world.account();
  const types = typesOf(eventsOf(await respond(world, account, { model: "demo/broken", stream: true })));
  expect(types.slice(-2)).toEqual(["error", "response.failed"]);
  await world.expectUntouched(account);
});
