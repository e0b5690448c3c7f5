// The history of a chat request in the Anthropic dialect: system messages, tool calls and their results.
import { describe, expect, test } from "vitest";
import { chatToMessageRequest } from "../../src/providers/translation/chat-to-message-request.ts";

const hi = { role: "user", content: "Hi" };
const said = { role: "user", content: [{ type: "text", text: "Hi" }] };
const budget = (chat: object): any => chatToMessageRequest({ model: "up", ...chat }, { route: { thinking: "budget" }, outputMax: 4000 });
const messagesOf = (...messages: object[]): any[] => budget({ messages }).messages;
const call = (id: string | undefined, name: string, text: string) => ({ id, type: "function", function: { name, arguments: text } });
const calls = (...list: object[]) => ({ role: "assistant", content: null, tool_calls: list });
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const answered = (id: string, content: unknown, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content, ...more });
const missing = (id: string) => answered(id, "No result was provided.", { is_error: true });

describe("system", () => {
  test("leading ones are joined by line feeds, developer's too; names are dropped", () => {
    const sent = budget({
      messages: [
        { role: "system", content: "A" },
        { role: "developer", name: "d", content: [{ type: "text", text: "B" }] },
        { ...hi, name: "Ann" },
      ],
    });
    expect(sent).toMatchObject({ system: "A\nB", messages: [said] });
  });
  test("a cached part keeps its mark", () => {
    const cached = { type: "text", text: "A", cache_control: { type: "ephemeral" } };
    expect(budget({ messages: [{ role: "system", content: [cached] }, { role: "system", content: "B" }, hi] }).system).toEqual([
      ...[cached, { type: "text", text: "B" }],
    ]);
  });
  test("a later one becomes a user's words in clear tags, in its place", () => {
    const sent = messagesOf(hi, { role: "assistant", content: "Yes." }, { role: "system", content: "Be brief." }, hi);
    expect(sent[2]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "<system>\nBe brief.\n</system>" },
        { type: "text", text: "Hi" },
      ],
    });
  });
});

describe("calls and their results", () => {
  test("all following results are in one user message, in the order of the calls, before anything else", () => {
    const sent = messagesOf(
      hi,
      calls(call("a", "look", '{"q":1}'), call("b", "list", "")),
      result("b", "two"),
      hi,
      result("a", [{ type: "text", text: "one" }]),
    );
    expect(sent).toEqual([
      said,
      { role: "assistant", content: [use("a", "look", { q: 1 }), use("b", "list", {})] },
      { role: "user", content: [answered("a", "one"), answered("b", "two"), { type: "text", text: "Hi" }] },
    ]);
  });
  test("missing results are added, also at the end and between two turns of the assistant", () => {
    const sent = messagesOf(hi, calls(call("a", "look", "{}")), { role: "assistant", content: "Well." }, calls(call("b", "list", "{}")));
    expect(sent.slice(2)).toEqual([
      { role: "user", content: [missing("a")] },
      { role: "assistant", content: [{ type: "text", text: "Well." }, use("b", "list", {})] },
      { role: "user", content: [missing("b")] },
    ]);
  });
  test("orphan results become text; of several results the last wins", () => {
    const sent = messagesOf(hi, calls(call("a", "look", "{}")), result("a", "old"), result("x", "lost"), result("a", "new"));
    expect(sent[2].content).toEqual([answered("a", "new"), { type: "text", text: "lost" }]);
  });
  test("arguments that are no object keep their text", () => {
    const [, { content }] = messagesOf(hi, calls(call("a", "look", '{"q":'), call("b", "look", "[1]"), call("c", "look", " ")));
    expect(content.map(({ input }: any) => input)).toEqual([{ _raw: '{"q":' }, { _raw: "[1]" }, {}]);
  });
  test("ids of odd letters, ids used again, and none at all: each is unique and finds its result", () => {
    const sent = messagesOf(
      hi,
      calls(call("a.1", "look", "{}"), call("a:1", "look", "{}")),
      result("a:1", "B"),
      result("a.1", "A"),
      calls(call("a.1", "look", "{}")),
      result("a.1", "C"),
      calls(call("", "look", "{}"), call("", "list", "{}")),
      result("", "D"),
      result("", "E"),
    );
    const ids = sent.flatMap(({ content }) => content.filter(({ type }: any) => type === "tool_use").map(({ id }: any) => id));
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    const results = sent.flatMap(({ content }) => content.filter(({ type }: any) => type === "tool_result"));
    expect(results.map((block: any) => [block.tool_use_id, block.content])).toEqual(ids.map((id: string, at: number) => [id, "ABCDE"[at]]));
  });
  test("the older function role answers by name", () => {
    const sent = messagesOf(
      hi,
      { role: "assistant", content: null, function_call: { name: "look", arguments: '{"q":1}' } },
      { role: "function", name: "look", content: "sea" },
    );
    expect(sent.slice(1)).toEqual([
      { role: "assistant", content: [use("look", "look", { q: 1 })] },
      { role: "user", content: [answered("look", "sea")] },
    ]);
  });
  test("reasoning_content of earlier turns stays behind; a result may hold images", () => {
    const [, assistant] = messagesOf(hi, { role: "assistant", content: "Yes.", reasoning_content: "Hmm" }, hi);
    expect(assistant).toEqual({ role: "assistant", content: [{ type: "text", text: "Yes." }] });
    const image = [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }];
    expect(messagesOf(hi, calls(call("a", "look", "{}")), result("a", image))[2].content[0].content[0].type).toBe("image");
  });
  test("an answer that was begun is refused: no model of the other dialect is known to continue it", () => {
    expect(() => messagesOf(hi, { role: "assistant", content: "Once upon" })).toThrow(/cannot continue/);
    expect(messagesOf(hi, { role: "assistant", content: "" })).toEqual([said]);
  });
});
