// Calls anthropicMessages and anthropicChat against a host that answers with a recorded body.
import { readFileSync } from "node:fs";
import type { ServerTool } from "../../../generated/withheld-fields.ts";
import { anthropicChat, anthropicMessages, type MessageTimes } from "../../../src/providers/anthropic/messages.ts";
import type { Provider, Route } from "../../../src/providers/types.ts";
import type { ChatStream, ChatWhole } from "../../../src/providers/verbs/chat.ts";
import type { MessageRecord, MessageStream, MessageWhole } from "../../../src/providers/verbs/messages.ts";
import { events, json } from "../openai/chat-fixture.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";

export const publicModel = "acme/deep-1";

export interface MessageAsk {
  stream?: boolean;
  signal?: AbortSignal;
  provider?: Partial<Provider>;
  thinking?: Route["thinking"];
  times?: Partial<MessageTimes>;
  body?: object | string;
  betas?: string | null;
  outputMax?: number;
  serverTools?: readonly ServerTool[];
}

const hello = { model: "claude-up", max_tokens: 2048, messages: [{ role: "user", content: "Hello" }] };

function callOf(host: Host, { stream = false, signal = new AbortController().signal, body = hello, ...options }: MessageAsk) {
  const route = { ...routeTo(`${host.url}/v1`, { protocol: "anthropic", ...options.provider }), thinking: options.thinking ?? "budget" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { outputMax = 4096, betas = null, serverTools = [] } = options;
  return {
    route,
    signal,
    requestId: "req_test",
    body: text,
    stream,
    publicModel,
    outputMax,
    betas,
    serverTools,
    promptTokens: async () => 7,
  };
}

export async function ask(host: Host, options: MessageAsk = {}): Promise<MessageWhole | MessageStream> {
  return await anthropicMessages(useUpstream(), options.times)(callOf(host, options));
}

export async function askChat(host: Host, options: MessageAsk = {}): Promise<ChatWhole | ChatStream> {
  return await anthropicChat(anthropicMessages(useUpstream(), options.times))(callOf(host, options));
}

/** What reached the host. */
export async function sentFor(body: object | string, options: MessageAsk = {}): Promise<any> {
  const host = await startHost(json(200, JSON.stringify(answer([]))));
  await ask(host, { body, ...options });
  return JSON.parse(host.requests[0]!.body);
}

export async function askWhole(reply: Answer | object, options: MessageAsk = {}): Promise<MessageWhole> {
  const host = await startHost(typeof reply === "function" ? (reply as Answer) : json(200, JSON.stringify(reply)));
  const whole = await ask(host, options);
  if (whole.kind !== "whole") throw new Error("a whole answer was expected");
  return whole;
}

export async function askStream(reply: Answer | string, options: MessageAsk = {}): Promise<MessageStream> {
  const host = await startHost(typeof reply === "string" ? events(reply) : reply);
  const stream = await ask(host, { ...options, stream: true });
  if (stream.kind !== "stream") throw new Error("a stream was expected");
  return stream;
}

export async function collect(stream: MessageStream): Promise<any[]> {
  const records: any[] = [];
  await stream.forEach(({ event, json: text }: MessageRecord) => {
    const record = JSON.parse(text);
    if (record.type !== event || text.includes("\n")) throw new Error(`event ${event} carries ${text}`);
    records.push(record);
  });
  return records;
}

export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}.events.txt`, import.meta.url), "utf8");
}

/** A whole message as Anthropic sends it. */
export function answer(content: object[], more: object = {}): object {
  return {
    ...{ id: "msg_01", type: "message", role: "assistant", model: "claude-up", content },
    ...{ stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 9, output_tokens: 4 } },
    ...more,
  };
}

/** Events with their names. */
export function sse(...list: { type: string; [key: string]: unknown }[]): string {
  return list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

export const start = (more: object = {}) => ({
  type: "message_start",
  message: { id: "msg_01", type: "message", role: "assistant", content: [], usage: { input_tokens: 9, output_tokens: 1 }, ...more },
});
export const textBlock = (index: number, ...pieces: string[]) => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  ...pieces.map((text) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text } })),
  { type: "content_block_stop", index },
];
export const end = (stop_reason = "end_turn", usage: object | null = { output_tokens: 4 }) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  ...(usage === null ? {} : { usage }),
});
export const stop = { type: "message_stop" };
