// Runs a corpus over a protocol's adapters: answers in the shapes that vendors and their clients publish, each with its source, and what a
// caller of either dialect and the bill get of them. Our own words stand in them.
import { describe, expect, test } from "vitest";
import { openAdapters } from "../../src/providers/adapters.ts";
import type { Protocol, Provider } from "../../src/providers/types.ts";
import type { ChatStream } from "../../src/providers/verbs/chat.ts";
import type { MessageStream } from "../../src/providers/verbs/messages.ts";
import type { Usage } from "../../src/usage.ts";
import { requestFaults } from "./descriptions/described.ts";
import { collect as collectMessage } from "./anthropic/message-fixture.ts";
import { assembled, collect as collectChat, expectFault, publicModel } from "./openai/chat-fixture.ts";
import { expectRules } from "./openai/rules.ts";
import { type Answer, routeTo, startHost, useUpstream } from "./upstream-fixture.ts";

/** One published shape: an answer and what is told of it, or an error and its fault. */
export interface Shape {
  name: string;
  /** Where it is published: an address, or a package and its version. */
  source: string;
  status?: number;
  headers?: Record<string, string>;
  told?: Told;
  /** What the Anthropic dialect says of the end, where `told.finish` doesn't say it. */
  stop?: string;
  fault?: string;
  reason?: unknown;
  retryAfterMs?: number;
}

/** What is left out is empty; `finish` in the words of the OpenAI dialect. */
export interface Told {
  content?: string | null;
  reasoning?: string;
  calls?: [name: string, input: string][];
  finish: string;
}

export interface Corpus<Row extends Shape> {
  protocol: Protocol;
  rows: readonly Row[];
  isStream(row: Row): boolean;
  answerOf(row: Row): Answer;
  /** Disjoint buckets, as far as they are stated; null: none reported. */
  usageOf(row: Row): Partial<Usage> | null;
  /** Below the host's address. */
  path?: string;
  provider?: Partial<Provider>;
  modelOf?(row: Row): string;
}

const dialects = ["chat", "messages"] as const;
type Dialect = (typeof dialects)[number];

const stops: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

export function runCorpus<Row extends Shape>(corpus: Corpus<Row>): void {
  const { rows } = corpus;
  const answers = rows.filter(({ fault }) => fault === undefined);
  const faults = rows.filter(({ fault }) => fault !== undefined);

  test("thirty shapes at least, each with its source, errors and streams among them", () => {
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const { source } of rows) expect(source).toMatch(/^https:\/\/\S+|^[a-z-]+: \S+|^[@/a-z-]+ \d+\.\d+\.\d+, \S+/);
    expect(rows.some(corpus.isStream)).toBe(true);
    expect(faults.length).toBeGreaterThan(0);
  });

  describe.each(dialects)("%s", (dialect) => {
    test.each(answers)("$name ($source)", async (row) => {
      const { shown, usage } = await answered(corpus, row, dialect);
      expect(shown).toEqual({ ...nothing, ...toldIn(row, dialect) });
      const expected = corpus.usageOf(row);
      if (expected === null) expect(usage).toBeNull();
      else expect(usage).toMatchObject({ cacheRead: 0, cacheWrite: 0, ...expected });
    });

    test.each(faults)("$fault: $name ($source)", async (row) => {
      for (const stream of corpus.isStream(row) ? [true] : [false, true]) {
        const said: string[] = [];
        const error = await expectFault(answered(corpus, row, dialect, stream, said), row.fault as "gone");
        if (row.reason !== undefined) expect(error.reason).toEqual(row.reason);
        expect(error.retryAfterMs).toBe(row.retryAfterMs ?? null);
        expect(said.join("")).toBe(row.told?.content ?? "");
      }
    });
  });
}

const nothing = { content: "", reasoning: "", calls: [] as [string, unknown][] };

function toldIn({ told, stop }: Shape, dialect: Dialect) {
  const { content, calls = [], finish, ...rest } = told!;
  const end = dialect === "chat" ? finish : (stop ?? stops[finish]);
  return { ...rest, content: content ?? "", calls: calls.map(([name, input]) => [name, JSON.parse(input) as unknown]), finish: end };
}

/** `said` gets the texts as they come. */
async function answered<Row extends Shape>(
  corpus: Corpus<Row>,
  row: Row,
  dialect: Dialect,
  stream = corpus.isStream(row),
  said: string[] = [],
) {
  const host = await startHost(corpus.answerOf(row));
  const { protocol, path = "", modelOf } = corpus;
  const base = routeTo(host.url + path, { protocol, ...corpus.provider });
  const route = modelOf === undefined ? base : { ...base, model: modelOf(row) };
  const body = JSON.stringify({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "Hello" }], ...(stream && { stream }) });
  const signal = new AbortController().signal;
  const call = { route, signal, requestId: "req_test", body, stream, publicModel, outputMax: 100 };
  const adapters = openAdapters(useUpstream(), noFiles);
  const described = () =>
    expect(host.requests.map(({ url, body: sent }) => requestFaults({ path: url, json: JSON.parse(sent) }))).toEqual([[]]);
  if (dialect === "chat") {
    const answer = await adapters.chat[protocol]!(call).finally(described);
    return answer.kind === "whole"
      ? { shown: shownOfCompletion(answer.completion), usage: answer.usage }
      : { shown: await shownOfChunks(answer, said), usage: answer.tally.usage };
  }
  const answer = await adapters.messages[protocol]!({
    ...call,
    betas: null,
    serverTools: [],
    promptTokens: () => Promise.resolve(7),
  }).finally(described);
  return answer.kind === "whole"
    ? { shown: shownOfMessage(answer.message), usage: answer.usage }
    : { shown: await shownOfEvents(answer, said), usage: answer.tally.usage };
}

const noFiles = { fetchReference: refuse, fetchMade: refuse };
function refuse(): never {
  throw new Error("no files are fetched here");
}

function shownOfCompletion({ choices: [choice] }: any) {
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls = [] } = choice.message;
  return {
    content: content ?? refusal ?? "",
    reasoning: reasoning ?? "",
    calls: calls.map((call: any) => [call.function.name, JSON.parse(call.function.arguments)]),
    finish: choice.finish_reason,
  };
}

async function shownOfChunks(stream: ChatStream, said: string[]) {
  const { forEach } = stream;
  const records = await collectChat({
    ...stream,
    forEach: (onRecord) =>
      forEach((record) => {
        said.push(...JSON.parse(record.json).choices.map(({ delta }: any) => delta.content ?? ""));
        return onRecord(record);
      }),
  });
  expectRules(records);
  const { calls, ...shown } = assembled(records);
  return { ...shown, calls: calls.map(({ name, arguments: text }) => [name, JSON.parse(text) as unknown]) };
}

function shownOfMessage({ content, stop_reason: finish }: any) {
  const join = (type: string, key: string) => content.map((block: any) => (block.type === type ? block[key] : "")).join("");
  const calls = content.filter(({ type }: any) => type === "tool_use").map(({ name, input }: any) => [name, input]);
  return { content: join("text", "text"), reasoning: join("thinking", "thinking"), calls, finish };
}

async function shownOfEvents(stream: MessageStream, said: string[]) {
  const { forEach } = stream;
  const records = await collectMessage({
    ...stream,
    forEach: (onRecord) =>
      forEach((record) => {
        said.push(JSON.parse(record.json).delta?.text ?? "");
        return onRecord(record);
      }),
  });
  const [start, ...rest] = records.filter(({ type }) => type !== "ping");
  expect(start).toMatchObject({ type: "message_start", message: { role: "assistant", model: publicModel } });
  const blocks: any[] = [];
  let open = false;
  for (const { type, index, content_block: block, delta } of rest) {
    expect([type, open]).toEqual([type, type !== "content_block_start"]);
    open = type !== "content_block_stop";
    if (type === "content_block_start") expect(blocks.push({ ...block, pieces: "" }) - 1).toBe(index);
    else expect(index).toBe(blocks.length - 1);
    if (type === "content_block_delta") blocks[index].pieces += delta.text ?? delta.thinking ?? delta.partial_json ?? "";
  }
  expect(open).toBe(false);
  const content = blocks.map(({ type, name, pieces }) =>
    type === "tool_use" ? { type, name, input: JSON.parse(pieces === "" ? "{}" : pieces) } : { type, [type]: pieces, text: pieces },
  );
  return shownOfMessage({ content, stop_reason: stream.tally.end?.stop_reason });
}
