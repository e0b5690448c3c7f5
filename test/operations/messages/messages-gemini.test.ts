// POST /v1/messages over hosts of the Gemini protocol: blocks, tools and thinking through both translations, charged by what was measured.
import { describe, expect, test } from "vitest";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";
import { askMessage, eventsOf, messageOf } from "./message-events.ts";

const star = (model: string, more: object = {}) => ({ provider: "star", model, ...more });
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };
const world = chatWorld(
  [
    language("demo/star", [star("star")], { ...able, max_output_tokens: 8000 }),
    language("demo/newer", [star("newer+sim-adaptive-only", { thinking: "adaptive" })], able),
    language("demo/blocked", [star("blocked+sim-refuse")]),
    language("demo/cut", [star("cut+sim-cut-after-6")]),
    language("demo/there", [star("there+sim-503"), { provider: "north", model: "second" }]),
  ],
  { providers: [provider("north"), provider("star", { protocol: "gemini", base_url: "simulator:/gemini" })] },
);
const weather = { name: "get_weather", input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } };

describe("200", () => {
  test("whole and streamed say the same and cost the same", async () => {
    const account = await world.account();
    const whole = await askMessage(world, account, { model: "demo/star", system: "Be short." });
    expect(whole.status, whole.text).toBe(200);
    expect(whole.json).toMatchObject({ type: "message", model: "demo/star", stop_reason: "end_turn" });
    const streamed = messageOf(eventsOf(await askMessage(world, account, { model: "demo/star", system: "Be short.", stream: true })));
    expect(streamed.content).toEqual(whole.json.content);
    expect(streamed.usage).toMatchObject({ output_tokens: whole.json.usage.output_tokens, cost: whole.json.usage.cost });
    expect(world.sent()[0]).toMatchObject({ systemInstruction: { parts: [{ text: "Be short." }] } });
  });

  test("a tool is called, and its call goes back signed with the result", async () => {
    const account = await world.account();
    const asked = { role: "user", content: "use get_weather please" };
    const body = { model: "demo/newer", tools: [weather] };
    const called = await askMessage(world, account, { ...body, messages: [asked] });
    expect(called.json.stop_reason).toBe("tool_use");
    const use = called.json.content.find(({ type }: any) => type === "tool_use");
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "Rain.", is_error: true }] };
    const answered = await askMessage(world, account, {
      ...body,
      messages: [asked, { role: "assistant", content: called.json.content }, result],
    });
    expect(answered.json.stop_reason, answered.text).toBe("end_turn");
    const [, again] = world.sent() as any[];
    expect(again.contents[1].parts[0]).toMatchObject({ functionCall: { args: use.input } });
    expect(again.contents[1].parts[0].thoughtSignature).not.toBe("skip_thought_signature_validator");
    expect(again.contents[2].parts[0].functionResponse).toEqual({ name: "get_weather", response: { output: "Error: Rain." } });
  });

  test("thinking comes as blocks of its own", async () => {
    const { json } = await askMessage(world, await world.account(), {
      model: "demo/star",
      max_tokens: 4000,
      thinking: { type: "enabled", budget_tokens: 2000 },
    });
    expect(json.content.map(({ type }: any) => type)).toEqual(["thinking", "text"]);
    expect(world.sent()[0]).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 2000, includeThoughts: true } } });
  });

  test("an overloaded host: the other protocol's answers", async () => {
    const reply = await askMessage(world, await world.account(), { model: "demo/there" });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
  });
});

test("403 route_refused: a prompt that was blocked is free", async () => {
  const account = await world.account();
  const reply = await askMessage(world, account, { model: "demo/blocked" });
  expect(reply.status).toBe(403);
  await world.expectUntouched(account);
});

test("a stream that breaks ends in an error and is free", async () => {
  const account = await world.account();
  const events = eventsOf(await askMessage(world, account, { model: "demo/cut", stream: true }));
  expect(events.at(-1)).toMatchObject({ event: "error" });
  await world.expectUntouched(account);
});
