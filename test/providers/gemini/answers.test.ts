// Answers of the Gemini API as they are published, and what callers and the bill get of them.
import { expect, test } from "vitest";
import { geminiChat } from "../../../src/providers/gemini/chat.ts";
import { geminiEmbed } from "../../../src/providers/gemini/embed.ts";
import type { ChatCall } from "../../../src/providers/verbs/chat.ts";
import { assembled, collect, events, expectFault, json, publicModel, sse } from "../openai/chat-fixture.ts";
import { expectRules } from "../openai/rules.ts";
import { type Answer, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { answers } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { Row } from "./corpus-row.ts";

const signal = new AbortController().signal;

async function ask(answer: Answer, stream: boolean) {
  const host = await startHost(answer);
  const route = routeTo(host.url, { protocol: "gemini" });
  const body = '{"messages":[{"role":"user","content":"Hello"}]}';
  const call: ChatCall = { route, signal, requestId: "req_test", body, stream, publicModel, outputMax: 100 };
  return await geminiChat(useUpstream())(call);
}

const answerOf = ({ answer, records, status = 200 }: Row) =>
  records === undefined ? json(status, JSON.stringify(answer)) : events(sse(...records));

const usageOf = ({ usage }: Row) => {
  if (usage == null) return null;
  const [input, cacheRead, output, reasoning] = usage;
  return { input, cacheRead, cacheWrite: 0, output, reasoning };
};

const callsOf = (calls: any[]) =>
  calls.map(({ name, arguments: text, function: called }) => [name ?? called.name, text ?? called.arguments]);

test.each(answers.filter(({ records }) => records === undefined))("$name ($source)", async (row) => {
  const whole = await ask(answerOf(row), false);
  if (whole.kind !== "whole") throw new Error("a whole answer was expected");
  const [choice] = whole.completion.choices;
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = choice!.message;
  expect({ content, reasoning, calls: callsOf(calls), finish: choice!.finish_reason }).toEqual({
    reasoning: undefined,
    calls: [],
    ...row.told,
  });
  expect(whole.usage).toEqual(usageOf(row));
});

test.each(answers.filter(({ records }) => records !== undefined))("$name ($source)", async (row) => {
  const stream = await ask(answerOf(row), true);
  if (stream.kind !== "stream") throw new Error("a stream was expected");
  const records = await collect(stream);
  expectRules(records);
  const { calls, ...told } = assembled(records);
  expect({ ...told, calls: callsOf(calls) }).toEqual({ content: "", reasoning: "", calls: [], ...row.told });
  expect(stream.tally.usage).toEqual(usageOf(row));
});

test.each(faults)("$fault: $name ($source)", async (row) => {
  const error = await expectFault(ask(answerOf(row), row.records !== undefined), row.fault as "gone");
  if (row.reason !== undefined) expect(error.reason).toEqual(row.reason);
  expect(error.retryAfterMs).toBe(row.retryAfterMs ?? null);
});

test("more texts than a batch takes go in several, and the tokens add up", async () => {
  const host = await startHost((_request, response, body) => {
    const { requests } = JSON.parse(body);
    const embeddings = requests.map(({ content }: any) => ({ values: [Number(content.parts[0].text), 1] }));
    const usageMetadata = { promptTokenCount: requests.length, promptTokenDetails: [{ modality: "TEXT", tokenCount: requests.length }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ embeddings, usageMetadata }));
  });
  const texts = Array.from({ length: 150 }, (_, index) => String(index));
  const route = routeTo(host.url, { protocol: "gemini" });
  const call = { route, signal, requestId: "req_test", publicModel, inputs: 150, dimensions: null, base64: false };
  const whole = await geminiEmbed(useUpstream())({ ...call, body: JSON.stringify({ input: texts }) });
  expect(host.requests.map(({ body }) => JSON.parse(body).requests.length)).toEqual([100, 50]);
  expect(whole.vectors.map(([first]) => first)).toEqual(texts.map(Number));
  expect(whole.usage).toMatchObject({ input: 150, output: 0 });
});
