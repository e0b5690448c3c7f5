// For any history of a chat request: after translation Anthropic's rules of histories hold, and no content is lost.
import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanMessages } from "../../src/providers/anthropic/request.ts";
import { chatToMessageRequest } from "../../src/providers/translation/chat-to-message-request.ts";

const id = fc.constantFrom("a", "b", "c.1", "c:1", "");
const words = fc.constantFrom("", " ", "one", "two ", "three");
const argumentText = fc.oneof(fc.json({ maxDepth: 1 }), fc.constantFrom("", "{", '{"n":12345678901234567890,"m":1.0}'));
const image = fc.constant({ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } });
const parts = fc.array(fc.oneof(fc.record({ type: fc.constant("text"), text: words }), image), { maxLength: 3 });
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "system"), content: words }),
  fc.record({ role: fc.constant("user"), content: parts }),
  fc.record({ role: fc.constant("tool"), tool_call_id: id, content: words }),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(words, fc.constant(null)),
    tool_calls: fc.array(
      fc.record({ id, type: fc.constant("function"), function: fc.record({ name: fc.constant("look"), arguments: argumentText }) }),
      { maxLength: 3 },
    ),
  }),
);

test("roles, pairs, ids and blank texts are as Claude takes them; images and calls keep their number and order", () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (history: any[]) => {
      const chat = [...history, { role: "user", content: "Well?" }];
      const { messages }: any = chatToMessageRequest({ model: "up", messages: chat }, { route: { thinking: "budget" }, outputMax: 100 });
      const sent = cleanMessages(messages) as any[];
      expect(sent[0].role).toBe("user");
      const used = new Set<string>();
      let open: string[] = [];
      for (const { role, content } of sent) {
        expect(content.length).toBeGreaterThan(0);
        const blocks: any[] = typeof content === "string" ? [] : content;
        for (const block of blocks) if (block.type === "text") expect(block.text.trim()).not.toBe("");
        const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id);
        expect(results).toEqual(role === "user" ? open : []);
        expect(blocks.slice(0, results.length).every(({ type }) => type === "tool_result")).toBe(true);
        open = blocks.filter(({ type }) => type === "tool_use").map((block) => block.id);
        for (const one of open) {
          expect(one).toMatch(/^[a-zA-Z0-9_-]+$/);
          expect(used.has(one)).toBe(false);
          used.add(one);
        }
      }
      expect(open).toEqual([]);
      expect(JSON.stringify(sent).split('"type":"image"').length - 1).toBe(JSON.stringify(chat).split('"type":"image_url"').length - 1);
      const asked = chat.flatMap(({ tool_calls }: any) => [
        ...new Map((tool_calls ?? []).map((call: any, at: number) => [call.id || `#${at}`, call])).values(),
      ]);
      const inputs = sent.flatMap(({ content }) =>
        typeof content === "string" ? [] : content.filter(({ type }: any) => type === "tool_use"),
      );
      expect(inputs.map(({ input }) => JSON.stringify(input))).toEqual(asked.map((call: any) => inputText(call.function.arguments)));
    }),
    { numRuns: 300 },
  );
});

/** The same JSON without white space; text that is not an object stays unchanged. */
function inputText(text: string): string {
  if (text.trim() === "") return "{}";
  if (text.startsWith('{"n":1')) return text;
  try {
    const value = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return JSON.stringify(value);
  } catch {
    // the text is kept below
  }
  return JSON.stringify({ _raw: text });
}
