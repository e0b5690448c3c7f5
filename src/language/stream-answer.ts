// An answer as server-sent events, in any dialect: records as they come, the charge before the last byte, a record
// that says so when the stream broke. The charge is durable before the client reads the end.
import { errors } from "../../generated/errors.ts";
import type { Ask } from "../admission/ask.ts";
import { isLeft } from "../concurrency/stopping.ts";
import type { Context } from "../context.ts";
import type { Sink } from "../operation.ts";
import { failureWithoutText } from "../providers/errors/failure.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { AnswerStream } from "../providers/types.ts";
import { streamBroke, streamEnded } from "../routing/attempt.ts";
import { countedUsage } from "./counted-usage.ts";
import type { Bill, OpenCall } from "./open-call.ts";
import { chargeDelivered } from "./serve.ts";

/** WIRE.md 2.1: the norm among gateways; proxies close silent connections after 15 s and more. */
const keepAliveMs = 10_000;

const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** How a dialect writes its stream. Every text is whole events, their blank lines included; "" writes nothing. */
export interface StreamForm<Rec> {
  record(record: Rec): string;
  keepAlive: string;
  /** After everything was charged. */
  end(bill: Bill): string;
  /** After a stream that broke: nothing is charged. */
  interrupted(error: unknown): string;
}

/** An answer that has begun: what is kept of its request, and where its records come from. */
export interface StreamedAnswer<Source extends AnswerStream<unknown>> {
  ask: Ask;
  call: OpenCall;
  source: Source;
}

/** The reply of an answer that streams. */
export function streamReply<Rec>(
  context: Context,
  answer: StreamedAnswer<AnswerStream<Rec>> & { headers: Record<string, string> },
  form: StreamForm<Rec>,
) {
  const stream = (sink: Sink) => streamAnswer(context, answer, form, sink);
  return { status: 200, headers: { ...answer.headers, ...eventStreamHeaders }, stream };
}

export async function streamAnswer<Rec>(
  context: Context,
  answer: StreamedAnswer<AnswerStream<Rec>>,
  form: StreamForm<Rec>,
  sink: Sink,
): Promise<void> {
  const { ask, call, source } = answer;
  const silence = setTimeout(() => {
    void sink.write(form.keepAlive);
    silence.refresh();
  }, keepAliveMs);
  try {
    await source.forEach((record) => {
      const text = form.record(record);
      if (text === "") return;
      silence.refresh();
      return sink.write(text);
    });
    streamEnded(context.breakers, call.attempts);
    const bill = await call.complete(source.tally.usage, () => countedUsage(context, call.size, source.tally));
    await sink.write(form.end(bill));
  } catch (error) {
    if (isLeft(ask.signal)) return await chargeDelivered(context, answer);
    const route = streamBroke(context.breakers, call.attempts, error);
    context.log.warn({ ...withoutWords(error), route, request_id: ask.requestId }, "a stream broke");
    await settleBroken(context, ask, call);
    await sink.write(form.interrupted(error));
  } finally {
    clearTimeout(silence);
  }
}

/** WIRE.md 2.4 prefers the record to a dead socket, also where the books can't be reached: the hold then ends by itself. */
async function settleBroken({ log }: Context, { requestId }: Ask, call: OpenCall): Promise<void> {
  try {
    await call.interrupted();
  } catch (cause) {
    log.error({ err: cause, request_id: requestId }, "a stream that broke could not be settled");
  }
}

/** What an upstream says of its failure may quote the prompt, and prompts stay out of logs. */
function withoutWords(error: unknown): Record<string, unknown> {
  return error instanceof UpstreamError
    ? { fault: error.fault, upstream_status: error.status, ...failureWithoutText(error) }
    : { err: error };
}

// What a stream that broke says, in the fields that every dialect shares (gateway-api.md "Events").

export function streamFault({ publicUrl }: Pick<Context, "publicUrl">, { requestId }: Pick<Ask, "requestId">) {
  const { message, type, retryable } = errors.stream_interrupted;
  return {
    message,
    type,
    code: "stream_interrupted" as const,
    param: null,
    retryable,
    request_id: requestId,
    doc_url: `${publicUrl}/docs/errors#stream_interrupted`,
  };
}
