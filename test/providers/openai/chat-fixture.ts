// Calls openaiChat against a host that answers with a recorded body.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import { type ChatTimes, openaiChat } from "../../../src/providers/openai/chat.ts";
import type { Provider } from "../../../src/providers/types.ts";
import type { ChatCall, ChatStream, ChatWhole } from "../../../src/providers/verbs/chat.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";

export const publicModel = "acme/zap-1";

export interface Ask {
  stream?: boolean;
  signal?: AbortSignal;
  provider?: Partial<Provider>;
  times?: Partial<ChatTimes>;
  body?: string;
}

export async function ask(host: Host, options: Ask = {}): Promise<ChatWhole | ChatStream> {
  const { stream = false, signal = new AbortController().signal, body = '{"model":"upstream-model"}' } = options;
  const route = routeTo(`${host.url}/v1`, options.provider);
  const call: ChatCall = { route, signal, requestId: "req_test", body, stream, publicModel, outputMax: 100 };
  return await openaiChat(useUpstream(), options.times)(call);
}

export async function askWhole(answer: Answer | string, options: Ask = {}): Promise<ChatWhole> {
  const host = await startHost(typeof answer === "string" ? json(200, answer) : answer);
  const whole = await ask(host, options);
  if (whole.kind !== "whole") throw new Error("a whole answer was expected");
  return whole;
}

export async function askStream(answer: Answer | string, options: Ask = {}): Promise<ChatStream> {
  const host = await startHost(typeof answer === "string" ? events(answer) : answer);
  const stream = await ask(host, { ...options, stream: true });
  if (stream.kind !== "stream") throw new Error("a stream was expected");
  return stream;
}

export async function collect(stream: ChatStream): Promise<any[]> {
  const records: any[] = [];
  await stream.forEach(({ json: text }) => void records.push(JSON.parse(text)));
  return records;
}

export async function expectFault(promise: Promise<unknown>, fault: UpstreamError["fault"]): Promise<UpstreamError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UpstreamError);
  expect((error as UpstreamError).fault, (error as UpstreamError).reason).toBe(fault);
  return error as UpstreamError;
}

/** `name` is `<host>/<quirk>.{json,sse}`. */
export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/hosts/${name}`, import.meta.url), "utf8");
}

export function json(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

export function events(body: string): Answer {
  return (_request, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
}

export function sse(...records: unknown[]): string {
  return records.map((record) => `data: ${typeof record === "string" ? record : JSON.stringify(record)}\n\n`).join("");
}

/** A chunk as OpenAI sends it. */
export function chunk(delta: unknown, finish: string | null = null, more: Record<string, unknown> = {}) {
  return {
    id: "up-1",
    object: "chat.completion.chunk",
    created: 1_790_000_000,
    model: "up",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

/** What a client puts together from the records of one choice. */
export function assembled(records: any[], index = 0) {
  const choices = records.flatMap((record) => record.choices).filter((choice) => choice.index === index);
  const join = (key: string) => choices.map((choice) => choice.delta[key] ?? "").join("");
  const calls: any[] = [];
  for (const call of choices.flatMap((choice) => choice.delta.tool_calls ?? [])) {
    if (call.id !== undefined) calls[call.index] = { id: call.id, name: call.function.name, arguments: "" };
    calls[call.index].arguments += call.function.arguments;
  }
  return { content: join("content"), reasoning: join("reasoning_content"), calls, finish: choices.at(-1)?.finish_reason };
}
