// The openai package of Python against the gateway: chat, streams, tools, objects.
// Errors and what becomes of a stream that ends early are openai-failures.test.ts's.
import { expect, test } from "vitest";
import { costOf, useClients } from "../clients.ts";
import { describeWithPython, usePython } from "./python.ts";

describeWithPython("openai for Python", () => {
  const clients = useClients();
  const python = usePython("openai_chat");
  const customerAt = async () => {
    const customer = await clients.customer();
    const at = { base: clients.gateway.url, key: customer.account.key };
    const run = async (scenario: string, args: Record<string, unknown> = {}) => {
      const ran = await python.run(scenario, at, args);
      if (ran.raised) throw new Error(`${ran.raised.class}: ${ran.raised.text}`);
      return ran.value;
    };
    return { customer, run };
  };

  test("chat: the answer, its usage and the cost that was charged", async () => {
    const { customer, run } = await customerAt();
    const answer = await run("chat", { model: "plain/chat" });
    expect(answer).toMatchObject({ object: "chat.completion", model: "plain/chat", choices: [{ finish_reason: "stop" }] });
    expect(answer.choices[0].message.content).toContain("You said:");
    const { prompt_tokens, completion_tokens, cost } = answer.usage;
    expect(cost).toBeCloseTo(costOf({ input: prompt_tokens, output: completion_tokens }), 8);
    expect(await customer.spent()).toBe(cost);
  });

  test("a stream says what the whole answer says, under one id, and is charged the same", async () => {
    const { customer, run } = await customerAt();
    const whole = await run("chat", { model: "plain/chat" });
    const answer = await run("stream", { model: "plain/chat", stream_options: { include_usage: true } });
    expect(answer).toMatchObject({ text: whole.choices[0].message.content, finish: ["stop"], models: ["plain/chat"], without_choices: 1 });
    expect(answer.ids).toHaveLength(1);
    expect(answer.usage).toEqual([whole.usage]);
    expect(await customer.spent()).toBeCloseTo(2 * whole.usage.cost, 8);
  });

  test("without stream_options every chunk has a choice, as naive programs need, and the call is charged", async () => {
    const { customer, run } = await customerAt();
    expect(await run("stream", { model: "plain/chat" })).toMatchObject({ usage: [], without_choices: 0, finish: ["stop"] });
    expect(await customer.spent()).toBeGreaterThan(0);
  });

  test("the helper's events and its final completion", async () => {
    const { run } = await customerAt();
    const { events, final } = await run("helper", { model: "plain/chat" });
    expect(events).toEqual(expect.arrayContaining(["chunk", "content.delta", "content.done"]));
    expect(final).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: { cost: expect.any(Number) } });
  });

  test("thinking is reasoning_content, whole and streamed", async () => {
    const { run } = await customerAt();
    const whole = await run("chat", { model: "think/other-field" });
    const answer = await run("stream", { model: "think/other-field", stream_options: { include_usage: true } });
    expect(answer.reasoning).toBe(whole.choices[0].message.reasoning_content);
    expect(answer.reasoning).not.toBe("");
    expect(answer.usage[0].completion_tokens_details.reasoning_tokens).toBe(32);
  });

  test.each(["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"])("tools of %s: streamed as whole", async (model) => {
    const { run } = await customerAt();
    for (const strict of [false, true]) {
      const { whole, streamed, done, finish } = await run("helper_tools", { model, strict });
      expect(streamed).toEqual(whole);
      expect(done).toEqual(["get_weather", "get_time"]);
      expect(finish).toBe("tool_calls");
    }
    const loop = await run("tool_loop", { model });
    expect(loop).toMatchObject({ names: ["get_weather", "get_time"], roles: ["user", "assistant", "tool", "tool", "assistant"] });
    expect(loop.text).toContain("You said:");
  });

  test("parse gives pydantic models: of the answer, of a stream and of a tool's arguments", async () => {
    const { run } = await customerAt();
    const review = { title: expect.any(String), stars: expect.any(Number), tags: expect.any(Array) };
    expect(await run("parse", { model: "plain/chat" })).toEqual({ type: "Review", value: review });
    expect(await run("parse_stream", { model: "plain/chat" })).toEqual(review);
    expect(await run("parse_tool", { model: "plain/chat" })).toEqual({ city: expect.any(String) });
  });

  test("with_raw_response shows the headers and the request id, and the package keeps the id beside the answer", async () => {
    const { run } = await customerAt();
    const { headers, request_id, own, retries } = await run("raw", { model: "best" });
    expect(headers).toMatchObject({ "x-svc-model": "plain/chat", "x-svc-alias": "best", "x-request-id": request_id });
    expect([own, retries]).toEqual([request_id, 0]);
    expect(request_id).toMatch(/^req_/);
  });

  test("models.list and models.retrieve", async () => {
    const { run } = await customerAt();
    const { ids, object, one } = await run("models");
    expect(object).toBe("list");
    expect(ids).toEqual(expect.arrayContaining(["plain/chat", "vectors/small"]));
    expect(one).toEqual({ id: "plain/chat", object: "model", created: expect.any(Number) });
  });
});
