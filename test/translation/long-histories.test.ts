// Histories as long as a body may be: translated in linear time, however repetitive, and without deep recursion.
import { describe, expect, test } from "vitest";
import { toChatRequest } from "../../src/language/responses/chat-request.ts";
import type { ResponseRequest } from "../../src/language/responses/types.ts";
import { messageSize } from "../../src/language/messages/size.ts";
import { chatToMessageRequest } from "../../src/providers/translation/chat-to-message-request.ts";
import { messageToChatRequest } from "../../src/providers/translation/message-to-chat-request.ts";
import type { MessageRequest } from "../../src/providers/translation/message-types.ts";
import { openToolNames } from "../../src/providers/translation/tool-names.ts";

/** A search for each of them would take minutes. */
const many = 20_000;
/** More than a call takes arguments. */
const parts = 200_000;

const listOf = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const asMessages = (messages: object[]): any[] =>
  chatToMessageRequest({ model: "up", messages }, { route: { thinking: "budget" }, outputMax: 100 })["messages"] as any[];
const asChat = (messages: object[]) =>
  messageToChatRequest({ model: "up", max_tokens: 9, messages } as MessageRequest, openToolNames())["messages"] as any[];

describe("a chat for Anthropic's hosts", () => {
  test.each([
    ["each result names its call", (index: number) => ({ tool_call_id: `c${index}` })],
    ["no result names its call", () => ({})],
  ])("many calls of one turn: %s", (_title, named) => {
    const results = listOf(many, (index) => ({ role: "tool", ...named(index), content: `r${index}` }));
    const [, turn, answers] = asMessages([
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: listOf(many, (index) => call(`c${index}`)) },
      ...results,
    ]);
    expect(turn.content).toHaveLength(many);
    expect(answers.content.map(({ tool_use_id, content }: any) => `${tool_use_id} ${content}`)).toEqual(
      listOf(many, (index) => `c${index} r${index}`),
    );
  });

  test("one id in every turn", () => {
    const turns = listOf(many, () => [
      { role: "assistant", tool_calls: [call("c")] },
      { role: "tool", tool_call_id: "c", content: "r" },
    ]);
    const sent = asMessages([{ role: "user", content: "Hi" }, ...turns.flat()]);
    expect(sent.at(-1).content).toEqual([{ type: "tool_result", tool_use_id: `c_${many}`, content: "r" }]);
  });

  test("many parts of one message", () => {
    const [{ content }] = asMessages([{ role: "user", content: listOf(parts, () => ({ type: "text", text: "a" })) }]);
    expect(content).toHaveLength(parts);
  });
});

describe("messages", () => {
  test("results that are spread over many turns are merged", () => {
    const calls = listOf(many, (index) => ({ type: "tool_use", id: `t${index}`, name: "look", input: {} }));
    const results = listOf(many, (index) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "r" }],
    }));
    expect(asChat([{ role: "assistant", content: calls }, ...results])).toHaveLength(1 + many);
  });

  test("a search's many texts are counted", () => {
    const found = { type: "search_result", source: "s", title: "t", content: listOf(parts, () => ({ type: "text", text: "abcd" })) };
    expect(messageSize({ messages: [{ role: "user", content: [found] }] }).tokensLikely).toBeGreaterThan(parts);
  });
});

test("a response's many images in one result are shown after it", () => {
  const output = listOf(parts, () => ({ type: "input_image", image_url: "data:image/png;base64,AA==" }));
  const input = [
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output },
  ];
  const { messages } = toChatRequest({ model: "m", input } as ResponseRequest).chat.body;
  expect(messages.at(-1)!.content).toHaveLength(parts);
});
