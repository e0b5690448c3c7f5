// The items of /v1/responses as chat messages: who says what, in which order, tied to which call.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toChatRequest } from "../../src/language/responses/chat-request.ts";
import type { ChatMessage, InputItem, ResponseRequest } from "../../src/language/responses/types.ts";

const translate = (request: Partial<ResponseRequest>) =>
  toChatRequest({ model: "m", input: "Hi", ...request } as ResponseRequest).chat.body;
const messagesOf = (input: InputItem[], more: Partial<ResponseRequest> = {}) => translate({ ...more, input }).messages as ChatMessage[];

const user = (content: InputItem["content"]): InputItem => ({ role: "user", content: content! });
const call = (call_id: string): InputItem => ({ type: "function_call", call_id, name: "f", arguments: "{}" });
const result = (call_id: string, output: InputItem["output"] = `of ${call_id}`): InputItem => ({
  type: "function_call_output",
  call_id,
  output: output!,
});
const asked = (...ids: string[]) => ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } }));

describe("turns", () => {
  test("instructions and the messages of system and developer at the start become one message of the system", () => {
    const input = [
      {
        role: "developer",
        content: [
          { type: "input_text", text: "A" },
          { type: "input_text", text: "B" },
        ],
      },
      { type: "message", role: "system", content: "C" },
      user("Hi"),
      { role: "developer", content: "D" },
    ];
    expect(messagesOf(input, { instructions: "I" })).toEqual([
      { role: "system", content: "I\n\nA\n\nB\n\nC" },
      { role: "user", content: "Hi" },
      { role: "system", content: "D" },
    ]);
  });

  test("thinking, text and calls of one turn become one message of the assistant, their results follow it", () => {
    const input: InputItem[] = [
      user("Hi"),
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
      { role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      call("a"),
      call("b"),
      result("b"),
      result("a"),
    ];
    expect(messagesOf(input)).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "I look.", reasoning_content: "Hm.", tool_calls: asked("a", "b") },
      { role: "tool", tool_call_id: "a", content: "of a" },
      { role: "tool", tool_call_id: "b", content: "of b" },
    ]);
  });

  test("a result that stands later than the next words is moved to its call", () => {
    expect(messagesOf([call("a"), user("Hurry"), result("a")])).toEqual([
      { role: "assistant", content: null, tool_calls: asked("a") },
      { role: "tool", tool_call_id: "a", content: "of a" },
      { role: "user", content: "Hurry" },
    ]);
  });

  test("calls and results in turns stay in turns", () => {
    expect(messagesOf([call("a"), result("a"), call("b"), result("b")]).map(({ role }) => role)).toEqual([
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });

  test("two answers one after the other stay two; a refusal is what it says", () => {
    const input = [
      { role: "assistant", content: "One." },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    ];
    expect(messagesOf(input)).toEqual([
      { role: "assistant", content: "One." },
      { role: "assistant", content: "No." },
    ]);
  });

  test("thinking in its own words wins over its summary; without words it is dropped", () => {
    const own = {
      type: "reasoning",
      content: [{ type: "reasoning_text", text: "Own." }],
      summary: [{ type: "summary_text", text: "Sum." }],
    };
    expect(messagesOf([own, call("a")])[0]).toHaveProperty("reasoning_content", "Own.");
    const none = { type: "reasoning", summary: [], content: null, encrypted_content: "x" };
    expect(messagesOf([none, call("a")])[0]).not.toHaveProperty("reasoning_content");
  });

  test("what a provider's own tools left behind is dropped", () => {
    expect(messagesOf([user("Hi"), { type: "web_search_call", id: "ws" }, { type: "image_generation_call", id: "ig" }])).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });
});

describe("results", () => {
  test("their parts become text; images follow the last of them in a message of the user", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA" };
    const input = [call("a"), call("b"), result("a", [image]), result("b", [{ type: "input_text", text: "fine" }])];
    expect(messagesOf(input).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "[image returned by tool]" },
      { role: "tool", tool_call_id: "b", content: "fine" },
      { role: "user", content: [{ type: "image_url", image_url: { url: image.image_url } }] },
    ]);
  });

  test("one without a call stays where it is, for the model's provider to reject", () => {
    expect(messagesOf([user("Hi"), result("x")])[1]).toEqual({ role: "tool", tool_call_id: "x", content: "of x" });
  });
});

describe("tools", () => {
  test("calls of custom tools and of namespaces go back under the names that the model saw", () => {
    const long = "n".repeat(60);
    const tools = [
      { type: "custom", name: "patch" },
      { type: "namespace", name: "crm", tools: [{ type: "custom", name: "find" }] },
      { type: "namespace", name: "mcp__x__", tools: [{ type: "function", name: "go" }] },
      {
        type: "namespace",
        name: long,
        tools: [
          { type: "function", name: "a" },
          { type: "function", name: "aaaaa" },
        ],
      },
    ];
    const input: InputItem[] = [
      { type: "custom_tool_call", call_id: "1", name: "patch", input: 'say "x"' },
      { type: "custom_tool_call", call_id: "2", name: "find", namespace: "crm", input: "y" },
      { type: "function_call", call_id: "3", name: "aaaaa", namespace: long, arguments: "{}" },
    ];
    const body = translate({ tools, input });
    const names = (body.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names.slice(0, 4)).toEqual(["patch", "crm__find", "mcp__x__go", `${long}__a`]);
    expect(names.every((name) => name.length <= 64)).toBe(true);
    const [turn] = body.messages as unknown as { tool_calls: { function: { name: string; arguments: string } }[] }[];
    expect(turn!.tool_calls.map((made) => made.function)).toEqual([
      { name: "patch", arguments: '{"input":"say \\"x\\""}' },
      { name: "crm__find", arguments: '{"input":"y"}' },
      { name: names[4], arguments: "{}" },
    ]);
  });
});

describe("whatever the order of items", () => {
  const ids = fc.constantFrom("a", "b", "c", "d");
  const item = fc.oneof(
    fc.constant(user("Hi")),
    fc.constant<InputItem>({ role: "assistant", content: "Yes." }),
    fc.constant<InputItem>({ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }),
    ids.map(call),
    ids.map((id) => result(id)),
  );
  const once = (items: InputItem[]) =>
    items.filter(
      (one, index) =>
        one.call_id === undefined || items.findIndex((other) => other.type === one.type && other.call_id === one.call_id) === index,
    );

  test("every call and every result appears once, and results follow their turn at once", () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 20 }).map(once), (items) => {
        fc.pre(items.some(({ type }) => type !== "reasoning"));
        const messages = messagesOf(items);
        const of = (type: string) => items.filter((one) => one.type === type).map((one) => one.call_id);
        const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id);
        expect(calls).toEqual(of("function_call"));
        expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? []).sort()).toEqual(of("function_call_output").sort());
        messages.forEach((message, index) => {
          const answered = (message.tool_calls ?? []).map(({ id }) => id).filter((id) => of("function_call_output").includes(id));
          const follow = messages.slice(index + 1, index + 1 + answered.length).map(({ tool_call_id }) => tool_call_id);
          const before = messages.slice(0, index).map(({ tool_call_id }) => tool_call_id);
          if (answered.every((id) => !before.includes(id))) expect(follow).toEqual(answered);
        });
      }),
    );
  });
});
