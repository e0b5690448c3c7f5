// The fast path gives the same records and counts as the slow path, whatever the text.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newChunkState, readChunk } from "../../../src/providers/openai/chunk.ts";
import { openRecordReader } from "../../../src/providers/openai/record-reader.ts";
import { openFastPath } from "../../../src/providers/openai/fast-path.ts";
import { providerAt } from "../upstream-fixture.ts";

const now = () => new Date(1_790_000_000_000);
const provider = providerAt("http://demo.example");
const model = 'acme/"odd"\\zap';

/** Ids that the gateway gives are random. */
function parsed(record: string): unknown {
  return JSON.parse(record.replace(/call_[0-9a-f]{24}/g, "call"));
}

function run(texts: string[]) {
  const quickState = newChunkState(model, provider);
  const reader = openRecordReader(quickState, provider, now);
  const slowState = newChunkState(model, provider);
  let quick = 0;
  texts.forEach((data, at) => {
    const read = reader.read({ event: "", data }, at > 0);
    if (typeof read === "string") quick += 1;
    const records = typeof read === "string" ? [read] : read.records;
    const expected = readChunk(JSON.parse(data), slowState, now).records;
    expect(records.map(parsed), data).toEqual(expected.map(parsed));
  });
  expect(quickState.tally).toEqual(slowState.tally);
  return quick;
}

type Write = (delta: Record<string, unknown>, padding: string, index: number) => string;
const compact: Write = (delta) =>
  JSON.stringify({
    id: "c-1",
    object: "chat.completion.chunk",
    created: 5,
    model: "up",
    choices: [{ index: 0, delta, finish_reason: null }],
  });
const forms: Record<string, Write> = {
  compact,
  spaced: (delta) => compact(delta, "", 0).replace(/":/g, '": ').replace(/,"/g, ', "'),
  padded: (delta, obfuscation) =>
    JSON.stringify({
      id: "c-1",
      created: 5,
      service_tier: "default",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
      usage: null,
      obfuscation,
    }),
  paddedFirst: (delta, obfuscation) =>
    JSON.stringify({ id: "c-1", created: 5, obfuscation, choices: [{ index: 0, delta, finish_reason: null }], usage: null }),
  reordered: (delta) =>
    JSON.stringify({
      choices: [{ delta: { ...delta, role: "assistant", tool_calls: [] }, index: 0 }],
      usage: null,
      model: "up",
      created: 5,
      id: "c-1",
      x_groq: { id: "r" },
    }),
  traps: (delta) =>
    JSON.stringify({
      id: '"delta":{"content":"',
      created: 5,
      system_fingerprint: '"content":"x"}',
      choices: [{ index: 0, delta, finish_reason: null }],
    }),
  nested: (delta) => JSON.stringify({ id: "c-1", created: 5, extra: { delta: { content: "const" } }, choices: [{ index: 0, delta }] }),
  counted: (delta, _padding, index) =>
    JSON.stringify({
      id: "c-1",
      created: 5,
      choices: [{ index: 0, delta }],
      usage: { prompt_tokens: 1, completion_tokens: index, total_tokens: 1 + index },
    }),
  changing: (delta, _padding, index) => JSON.stringify({ id: "c-1", created: 5 + index, choices: [{ index: 0, delta }] }),
};

const tricky = [
  '","finish_reason":"stop"',
  '"content":"',
  '\\"',
  "\\",
  '"',
  '"}}],"usage":{"prompt_tokens":1}',
  "\n",
  "\u0000",
  "\u2028",
  "😀",
  "\ud83d",
  '","obfuscation":"x',
  "[DONE]",
  "",
];
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(...tricky),
  fc.array(fc.constantFrom(...tricky, "a"), { maxLength: 4 }).map((parts) => parts.join("")),
);

const delta = fc.oneof(
  { weight: 6, arbitrary: text.map((content) => ({ content })) },
  { weight: 2, arbitrary: text.map((reasoning_content) => ({ content: null, reasoning_content })) },
  { weight: 2, arbitrary: text.map((reasoning) => ({ content: "", reasoning })) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(2), text).map(([index, args]) => ({ tool_calls: [{ index, function: { arguments: args } }] })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(2), text)
      .map(([index, id]) => ({ tool_calls: [{ index, id, type: "function", function: { name: "f", arguments: "" } }] })),
  },
  { weight: 1, arbitrary: text.map((args) => ({ tool_calls: [{ function: { arguments: args } }] })) },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([content, reasoning]) => ({ content, reasoning })) },
);

describe("the fast path", () => {
  test.each(Object.entries(forms))("chunks written %s: any texts, in any order, read as on the slow path", (_name, write) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(delta, fc.stringMatching(/^[A-Za-z0-9]{0,8}$/)), { maxLength: 14 }), (deltas) => {
        run(
          [{ role: "assistant", content: "" }, ...deltas.map(([value]) => value)].map((value, at) =>
            write(value, deltas[at]?.[1] ?? "", at),
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("a piece without an index continues the call that the last piece went to, forwarded or parsed", () => {
    const call = (more: object) => ({ tool_calls: [{ function: { arguments: "" }, ...more }] });
    const deltas = [
      { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "" } }] },
      call({ index: 0 }),
      call({ index: 1 }), // never named, so never started
      call({ index: 0 }),
      call({ function: { arguments: "x" } }),
    ];
    run(deltas.map((delta, at) => compact(delta, "", at)));
  });

  test.each([
    ["compact", 18],
    ["spaced", 18],
    ["padded", 18],
    ["reordered", 18],
    ["traps", 18],
    ["nested", 0],
    ["counted", 0],
    ["changing", 0],
    ["paddedFirst", 0],
  ])("of 20 text chunks written %s, %i are forwarded without being parsed", (name, quick) => {
    expect(
      run([...Array(20).keys()].map((at) => forms[name]!({ content: at % 3 === 0 ? ' "quoted"\n' : "word" }, "p".repeat(at), at))),
    ).toBe(quick);
  });

  test("thinking, then text, then arguments: each has its own template", () => {
    const call = { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "" } }] };
    const deltas = [
      ...Array(5).fill({ reasoning: "hm" }),
      ...Array(5).fill({ content: "hi" }),
      call,
      ...Array(5).fill({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
    ];
    expect(run(deltas.map((value) => compact(value, "", 0)))).toBe(11); // each kind: first read, then forwarded
  });

  test("a call that starts anew at the same index, an end, another usage: what was learned before no longer holds", () => {
    const start = (id: string) => ({ tool_calls: [{ index: 0, id, type: "function", function: { name: "f", arguments: "" } }] });
    const args = { tool_calls: [{ index: 0, function: { arguments: "1" } }] };
    run([start("a"), args, args, start("b"), args, args].map((value) => compact(value, "", 0)));
    const end = JSON.stringify({ id: "c-1", created: 5, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    run([...Array(4).fill(compact({ content: "a" }, "", 0)), end, compact({ content: "" }, "", 0)]);
    const counted = (tokens: number) => forms["counted"]!({ content: "a" }, "", tokens);
    run([counted(1), counted(1), counted(1), counted(2), counted(1)]);
  });

  test("text that is no valid JSON string, or that closes it, is never forwarded", () => {
    const tally = newChunkState("m", provider).tally;
    const fast = openFastPath(tally);
    const data = compact({ content: "a" }, "", 0);
    fast.learn(data, data);
    const [head, tail] = data.split('"a"') as [string, string];
    expect(fast.forward(`${head}"b"${tail}`)).toBe(`${head}"b"${tail}`);
    for (const inner of ['x","role":"tool', "\\", "\\u12", "\\x", "tab\there", "\u0001", '"'])
      expect(fast.forward(`${head}"${inner}"${tail}`)).toBeNull();
    expect(tally).toMatchObject({ deltas: 1, characters: 1 });
    const padded = forms["padded"]!({ content: "a" }, "xyz", 0);
    fast.learn(padded, data);
    expect(fast.forward(padded.replace("xyz", "q"))).toBe(data);
    for (const inner of ["\\q", "\u0001", 'x","usage":"y']) expect(fast.forward(padded.replace("xyz", inner))).toBeNull();
  });
});
