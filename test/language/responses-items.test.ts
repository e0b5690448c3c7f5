// Output items from chat deltas: however an answer is cut into pieces, the records are well formed.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Delta, newOutput } from "../../src/language/responses/output.ts";
import { addDelta, endOutput } from "../../src/language/responses/reply.ts";
import type { Callable, OutputItem } from "../../src/language/responses/types.ts";

const callables = new Map<string, Callable>([
  ["f", { kind: "function", name: "f", namespace: null }],
  ["n__f", { kind: "function", name: "f", namespace: "n" }],
  ["patch", { kind: "custom", name: "patch", namespace: null }],
]);

type Event = { type: string; output_index?: number; item_id?: string; content_index?: number; [key: string]: any };

function run(deltas: readonly Delta[], cut = false): { events: Event[]; items: OutputItem[] } {
  const events: Event[] = [];
  // Copied at once, as a stream sends it: items grow afterwards.
  const emit = (type: string, fields: object) => void events.push(JSON.parse(JSON.stringify({ type, ...fields })) as Event);
  const output = newOutput({ emit, idTail: "x", callables });
  for (const delta of deltas) addDelta(output, delta);
  endOutput(output, cut);
  return { events, items: JSON.parse(JSON.stringify(output.items)) as OutputItem[] };
}

/** What a model says, in the order in which it says it; `split` cuts every text of it into pieces. */
const piece = fc.oneof(
  fc.record({ kind: fc.constant("content" as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant("reasoning_content" as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant("refusal" as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constantFrom("f", "n__f", "patch", "unknown"), text: fc.string() }),
);
type Piece = typeof piece extends fc.Arbitrary<infer Value> ? Value : never;

const words = new Set(["content", "reasoning_content", "refusal"]);

function deltasOf(pieces: readonly Piece[], cutAt: (text: string) => string[]): Delta[] {
  let index = 0;
  return pieces.flatMap(({ kind, text }): Delta[] => {
    if (words.has(kind)) return cutAt(text).map((part) => ({ [kind]: part }));
    const at = index++;
    const given = kind === "patch" ? JSON.stringify({ input: text }) : text;
    return [
      { tool_calls: [{ index: at, id: `call_${at}`, function: { name: kind, arguments: "" } }] },
      ...cutAt(given).map((part) => ({ tool_calls: [{ index: at, function: { arguments: part } }] })),
    ];
  });
}

function assertWellFormed(events: Event[], items: OutputItem[]): void {
  const added = events.filter(({ type }) => type === "response.output_item.added");
  expect(added.map(({ output_index }) => output_index)).toEqual(added.map((_, index) => index));
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  items.forEach((item, index) => {
    const own = events.filter((event) => event.output_index === index);
    expect(own[0]).toMatchObject({ type: "response.output_item.added", item: { id: item.id, type: item.type } });
    expect(own.at(-1)).toEqual({ type: "response.output_item.done", output_index: index, item });
    expect(own.slice(1, -1).every((event) => event.item_id === item.id)).toBe(true);
    const said = (type: string, part?: number) =>
      own
        .flatMap((event) => (event.type === type && (part === undefined || event.content_index === part) ? [event.delta as string] : []))
        .join("");
    if (item.type === "function_call") expect(said("response.function_call_arguments.delta")).toBe(item.arguments);
    if (item.type === "custom_tool_call") expect(said("response.custom_tool_call_input.delta")).toBe(item.input);
    if (item.type === "reasoning") expect(said("response.reasoning_summary_text.delta")).toBe(item.summary[0]!.text);
    if (item.type !== "message") return;
    item.content.forEach((part, at) => {
      if (part.type === "output_text") expect(said("response.output_text.delta", at)).toBe(part.text);
      else expect(said("response.refusal.delta", at)).toBe(part.refusal);
      const steps = own.filter((event) => event.content_index === at).map(({ type }) => type);
      expect([steps[0], steps.at(-1)]).toEqual(["response.content_part.added", "response.content_part.done"]);
    });
  });
}

describe("any answer", () => {
  const pieces = fc.array(piece, { maxLength: 8 });

  test("in any pieces gives the items of the answer in one piece, and well-formed records", () => {
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (said, sizes) => {
        const cutAt = (text: string) => {
          const parts: string[] = [];
          for (let from = 0; from < text.length;) {
            const size = sizes.next().value as number;
            parts.push(text.slice(from, from + size));
            from += size;
          }
          return parts;
        };
        const streamed = run(deltasOf(said, cutAt));
        assertWellFormed(streamed.events, streamed.items);
        expect(streamed.items).toEqual(run(deltasOf(said, (text) => [text])).items);
      }),
    );
  });

  test("with parallel calls whose pieces take turns keeps each call's own", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string(), { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        (calls, turns) => {
          const left = calls.map((parts, index) => parts.map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })));
          const deltas: Delta[] = calls.map((_, index) => ({ tool_calls: [{ index, id: `c${index}`, function: { name: "f" } }] }));
          while (left.some((queue) => queue.length > 0)) {
            const open = left.filter((queue) => queue.length > 0);
            deltas.push(open[(turns.next().value as number) % open.length]!.shift()!);
          }
          const { events, items } = run(deltas);
          assertWellFormed(events, items);
          expect(items).toMatchObject(calls.map((parts, index) => ({ call_id: `c${index}`, arguments: parts.join("") })));
        },
      ),
    );
  });

  test("says something or nothing: empty deltas open no item", () => {
    expect(run([{ content: "" }, { content: null, refusal: null, reasoning_content: "", tool_calls: null }, {}])).toEqual({
      events: [],
      items: [],
    });
  });
});

describe("status", () => {
  test("what was cut is the last thing that was said; the rest is whole", () => {
    const { items } = run([{ content: "Hi" }, { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{" } }] }], true);
    expect(items.map((item) => "status" in item && item.status)).toEqual(["completed", "incomplete"]);
  });
});

describe("a custom tool's input", () => {
  test.each([
    ["its one field", '{"input": "a\\n\\"b\\""}', 'a\n"b"'],
    ["all that was written, where the schema was ignored", '{"patch": "x"}', '{"patch": "x"}'],
    ["and where it was cut", '{"input": "a', '{"input": "a'],
    ["and where it is no object", '"a"', '"a"'],
    ["nothing", "", ""],
  ])("is %s", (_, given, input) => {
    expect(run([{ tool_calls: [{ index: 0, id: "c", function: { name: "patch", arguments: given } }] }]).items[0]).toMatchObject({ input });
  });
});

test("an answer without an end is cut off at the size that a whole answer may have", () => {
  const output = newOutput({ emit: () => undefined, idTail: "x", callables });
  const piece = "x".repeat(4_194_304);
  for (let said = 0; said < 8; said += 1) addDelta(output, { content: piece });
  expect(() => addDelta(output, { tool_calls: [{ index: 0, function: { name: "f", arguments: "{" } }] })).toThrow("too large");
});
