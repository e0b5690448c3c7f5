// A message request as a chat request: order, ids, bytes of arguments and images survive (docs/behaviour/translation.md#edge-cases).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact } from "../../src/providers/json/read.ts";
import { messageToChatRequest } from "../../src/providers/translation/message-to-chat-request.ts";
import type { MessageRequest } from "../../src/providers/translation/message-types.ts";
import { openToolNames } from "../../src/providers/translation/tool-names.ts";

const translate = (request: object, names = openToolNames()): any =>
  messageToChatRequest({ model: "m", messages: [], ...request } as MessageRequest, names);
const conversation = (...messages: object[]) => translate({ messages }).messages;
const user = (...content: object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const imagePart = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const call = (id: string, name = "look", input: object = {}) => ({ type: "tool_use", id, name, input });
const result = (id: string, content?: unknown, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content, ...more });

describe("the conversation", () => {
  test("system comes first, and stays in place within the conversation", () => {
    const system = [text("x-anthropic-billing-header: cc_version=2; cch=abc;"), text("One."), text("Two.")];
    const messages = [user(text("Hi")), { role: "system", content: "Now be brief." }, user(text("Go"))];
    expect(translate({ system, messages }).messages).toEqual([
      { role: "system", content: "One.\n\nTwo." },
      { role: "user", content: "Hi" },
      { role: "system", content: "Now be brief." },
      { role: "user", content: "Go" },
    ]);
  });

  test("one text is a string, several parts are an array in order, empty texts are left out", () => {
    expect(conversation(user(text("A"), text("")))).toEqual([{ role: "user", content: "A" }]);
    expect(conversation(user(text("A"), image, text("B")))[0].content).toEqual([text("A"), imagePart, text("B")]);
    expect(conversation({ role: "user", content: "A" })).toEqual([{ role: "user", content: "A" }]);
  });

  test("images and PDFs go as data or address", () => {
    const url = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    const pdf = { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } };
    expect(conversation(user(url, pdf))[0].content).toEqual([
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
    ]);
  });

  test("results of tools come first, each as a message; errors are marked; their images follow the last", () => {
    const messages = conversation(
      user(text("Go")),
      { role: "assistant", content: [text("I call."), call("a"), call("b"), call("c")] },
      user(text("And?"), result("a", [text("One"), image]), result("b", "No", { is_error: true }), result("c")),
      user(text("Well?")),
    );
    expect(messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: "I call.",
        tool_calls: ["a", "b", "c"].map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
      },
      { role: "tool", tool_call_id: "a", content: "One\n[image returned by tool]" },
      { role: "tool", tool_call_id: "b", content: "Error: No" },
      { role: "tool", tool_call_id: "c", content: "" },
      { role: "user", content: [imagePart, text("And?")] },
      { role: "user", content: "Well?" },
    ]);
  });

  test("a result that answers no call of the turn before is said as text", () => {
    const asked = { role: "assistant", content: [call("a")] };
    const late = [user(result("z", "old")), asked, user(result("a", "new"), result("y", "stray"), text("Go"))];
    expect(conversation(...late).map(({ role, content, tool_call_id: id }: any) => [role, content, id])).toEqual([
      ["user", "old", undefined],
      ["assistant", null, undefined],
      ["tool", "new", "a"],
      ["user", [text("stray"), text("Go")], undefined],
    ]);
  });

  test("results spread over several messages are brought together", () => {
    const messages = conversation(
      { role: "assistant", content: [call("a"), call("b")] },
      user(result("a", [image])),
      user(result("b", "2")),
    );
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(["assistant", "tool", "tool", "user"]);
  });

  test("thinking of earlier turns is left out, and so is a turn of nothing else", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "" };
    expect(conversation({ role: "assistant", content: [thinking, text("Yes.")] }, user(text("Go")))[0]).toEqual({
      role: "assistant",
      content: "Yes.",
    });
    expect(conversation({ role: "assistant", content: [thinking] }, user(text("Go")))).toEqual([{ role: "user", content: "Go" }]);
  });

  test("numbers in arguments keep their digits", () => {
    const input = '{"big":12345678901234567890,"negative":-98765432109876543210,"plain":7}';
    const source = `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":${input}}]},{"role":"user","content":"x"}]}`;
    const { messages } = translate(parseExact(source) as object);
    expect(messages[0].tool_calls[0].function.arguments).toBe(input);
  });

  test("any JSON in arguments comes out with the same bytes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string({ minLength: 1 }), (input, id) => {
        const bytes = JSON.stringify(input);
        const messages = [{ role: "assistant", content: [call(id, "look", parseExact(bytes) as object)] }, user(text("x"))];
        const [{ tool_calls }] = translate({ messages }).messages;
        expect(tool_calls[0]).toEqual({ id, type: "function", function: { name: "look", arguments: JSON.stringify(JSON.parse(bytes)) } });
      }),
    );
  });
});

describe("tools", () => {
  const tools = [{ name: "look", input_schema: { type: "object" } }];

  test.each([
    [{ type: "auto" }, "auto"],
    [{ type: "any" }, "required"],
    [{ type: "none" }, "none"],
    [
      { type: "tool", name: "look" },
      { type: "function", function: { name: "look" } },
    ],
  ])("choice %o is %o", (tool_choice, expected) => {
    expect(translate({ tools, tool_choice }).tool_choice).toEqual(expected);
    expect(translate({ tool_choice })).not.toHaveProperty("tool_choice");
  });

  test("names of more than 64 characters are shortened everywhere, alike each time, and given back", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."abcXYZ019_-"), minLength: 65, maxLength: 128 });
    fc.assert(
      fc.property(fc.uniqueArray(letters, { minLength: 1, maxLength: 5 }), (long) => {
        const names = openToolNames();
        const messages = [{ role: "assistant", content: long.map((name) => call("id", name)) }, user(text("x"))];
        const request = { messages, tools: long.map((name) => ({ name, input_schema: {} })), tool_choice: { type: "tool", name: long[0] } };
        const sent = translate(request, names);
        const short = sent.tools.map((tool: any) => tool.function.name);
        expect(new Set(short).size).toBe(long.length);
        expect(short.every((name: string) => /^[\w-]{1,64}$/.test(name))).toBe(true);
        expect(short.map(names.full)).toEqual(long);
        expect(sent.tool_choice.function.name).toBe(short[0]);
        expect(sent.messages[0].tool_calls.map((made: any) => made.function.name)).toEqual(short);
        expect(translate(request).tools).toEqual(sent.tools);
      }),
    );
  });

  test("names of up to 64 characters stay", () => {
    const name = "n".repeat(64);
    expect(translate({ tools: [{ name, input_schema: {} }] }).tools[0].function.name).toBe(name);
  });
});

test("a service tier goes as it is, and Anthropic's word for the usual one as the other dialect's", () => {
  expect([translate({ service_tier: "flex" }), translate({ service_tier: "standard_only" })]).toMatchObject([
    { service_tier: "flex" },
    { service_tier: "default" },
  ]);
  expect(translate({})).not.toHaveProperty("service_tier");
});

test("a user id of more than 64 characters, which hosts refuse, goes as its hash", () => {
  const long = `user_${"a".repeat(200)}`;
  const { user: sent } = translate({ metadata: { user_id: long } });
  expect(sent).toMatch(/^[0-9a-f]{64}$/);
  expect(translate({ metadata: { user_id: "short" } }).user).toBe("short");
});
