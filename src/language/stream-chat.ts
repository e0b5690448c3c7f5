// A chat answer as server-sent events (WIRE.md 2): records as they come, the charge before the last byte, a record
// that says so when the stream broke. The charge is durable before the client reads [DONE].
import { errors } from "../../generated/errors.ts";
import type { Context } from "../context.ts";
import { UpstreamError } from "../providers/types.ts";
import type { Sink } from "../server/types.ts";
import { chatUsage } from "./chat-usage.ts";
import type { Bill, OpenCall } from "./open-call.ts";
import { chargeDelivered, type ChatAnswer, type ChatAsk, countedUsage, isLeft } from "./run-chat.ts";

/** WIRE.md 2.1: the norm among gateways; proxies close silent connections after 15 s and more. */
const keepAliveMs = 10_000;

export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export async function streamChat(
  context: Context,
  ask: ChatAsk,
  answer: Extract<ChatAnswer, { kind: "stream" }>,
  sink: Sink,
): Promise<void> {
  const { call, source } = answer;
  const silence = setTimeout(() => {
    void sink.write(": keep-alive\n\n");
    silence.refresh();
  }, keepAliveMs);
  try {
    await source.forEach((record) => {
      silence.refresh();
      return sink.write(`data: ${record.json}\n\n`);
    });
    const bill = await call.complete(source.tally.usage, countedUsage(call, source.tally));
    const asked = ask.body.stream_options?.include_usage === true;
    await sink.write(`${asked ? `data: ${usageRecord(answer, bill)}\n\n` : ""}data: [DONE]\n\n`);
  } catch (error) {
    if (isLeft(ask.signal)) return await chargeDelivered(answer);
    context.log.warn({ ...withoutWords(error), request_id: ask.requestId }, "a stream broke");
    await settleBroken(context, ask, call);
    await sink.write(`data: ${interruptedRecord(context, ask, answer)}\n\ndata: [DONE]\n\n`);
  } finally {
    clearTimeout(silence);
  }
}

/** WIRE.md 2.4 prefers the record to a dead socket, also where the books can't be reached: the hold then ends by itself. */
async function settleBroken({ log }: Context, { requestId }: ChatAsk, call: OpenCall): Promise<void> {
  try {
    await call.interrupted();
  } catch (cause) {
    log.error({ err: cause, request_id: requestId }, "a stream that broke could not be settled");
  }
}

/** What an upstream says of its failure may quote the prompt, and prompts stay out of logs. */
function withoutWords(error: unknown): Record<string, unknown> {
  return error instanceof UpstreamError ? { fault: error.fault, upstream_status: error.status } : { err: error };
}

function usageRecord({ call, source }: Extract<ChatAnswer, { kind: "stream" }>, bill: Bill): string {
  return JSON.stringify({ ...chunkHead(source.tally, call.admitted.model.id), choices: [], usage: chatUsage(bill, call.admitted.model) });
}

/** WIRE.md 2.4: top-level `error` with a string message; clients miss it anywhere else. */
function interruptedRecord(
  { publicUrl }: Context,
  { requestId }: ChatAsk,
  { call, source }: Extract<ChatAnswer, { kind: "stream" }>,
): string {
  const { message, type, retryable } = errors.stream_interrupted;
  return JSON.stringify({
    ...chunkHead(source.tally, call.admitted.model.id),
    choices: [{ index: 0, delta: {}, finish_reason: "error" }],
    error: {
      message,
      type,
      code: "stream_interrupted",
      param: null,
      retryable,
      request_id: requestId,
      doc_url: `${publicUrl}/docs/errors#stream_interrupted`,
    },
  });
}

function chunkHead({ id, created }: { id: string; created: number }, model: string): Record<string, unknown> {
  return { id, object: "chat.completion.chunk", created, model };
}
