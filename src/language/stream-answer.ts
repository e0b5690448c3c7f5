// Sends an answer as server-sent events, in any dialect: records as they come, keep-alives in silence, an error record if the stream is
// interrupted. The charge is committed before the client reads the end.
import { type Ask, isDisconnected } from "../calls/ask.ts";
import { eventStreamHeaders, keepAliveMs } from "../calls/event-stream.ts";
import { isStopped } from "../calls/upstream-connection.ts";
import { onSilence } from "../clock.ts";
import type { Context } from "../context.ts";
import type { Sink } from "../operation.ts";
import { isSlowReader, UpstreamError, withoutWords } from "../providers/errors/upstream-error.ts";
import type { AnswerStream } from "../providers/types.ts";
import { streamBroke, streamEnded } from "../routing/attempt.ts";
import { countedUsage } from "./counted-usage.ts";
import { chargeReceived } from "./abandoned-call.ts";
import type { TokenBill, TokenCall } from "./token-call.ts";

/**
 * Thrown by an encoder that keeps what it sends, where that becomes too much: its caller asked for it (`top_logprobs` is fifty times the text), so
 * it is no fault of the route, and what was received is charged.
 */
export class AnswerTooLarge extends Error {}

/** Writes an answer in a dialect. Every text is whole events with their blank lines; "" writes nothing. */
export interface StreamEncoder<Rec> {
  record(record: Rec): string;
  keepAlive: string;
  /** Called once the call is charged. */
  end(bill: TokenBill): string | Promise<string>;
  /** Called for an interrupted stream. Nothing of it is charged, unless its client read too slowly or asked for too much. */
  interrupted(error: unknown): string;
}

/** An answer that has begun: its request, its call and the source of its records. */
export interface StreamedAnswer<Source extends AnswerStream<unknown>> {
  ask: Ask;
  call: TokenCall;
  source: Source;
}

/** Of a kept answer (response-cache.ts): it is charged before it is sent. Absent: it is charged at its end. */
export interface Charged {
  bill?: TokenBill;
}

/** The reply of an operation that streams. */
export function streamReply<Rec>(
  context: Context,
  answer: StreamedAnswer<AnswerStream<Rec>> & Charged & { headers: Record<string, string> },
  encoder: StreamEncoder<Rec>,
) {
  const { source, bill, headers } = answer;
  const stream = (sink: Sink) =>
    bill === undefined ? streamAnswer(context, answer, encoder, sink) : sendKept(source, bill, encoder, sink);
  return { status: 200, headers: { ...headers, ...eventStreamHeaders }, stream };
}

/** No route can interrupt it. */
async function sendKept<Rec>(source: AnswerStream<Rec>, bill: TokenBill, encoder: StreamEncoder<Rec>, sink: Sink): Promise<void> {
  await source.forEach((record) => {
    const text = encoder.record(record);
    if (text !== "") return sink.write(text);
  });
  await sink.write(await encoder.end(bill));
}

export async function streamAnswer<Rec>(
  context: Context,
  answer: StreamedAnswer<AnswerStream<Rec>>,
  encoder: StreamEncoder<Rec>,
  sink: Sink,
): Promise<void> {
  const { ask, call, source } = answer;
  call.isOut = true;
  const boundWait = waitForUsage(answer);
  const begunAt = performance.now();
  const silence = onSilence(keepAliveMs, () => void sink.write(encoder.keepAlive));
  try {
    await source.forEach((record) => {
      boundWait();
      const text = encoder.record(record);
      if (text === "") return;
      silence.heard();
      return sink.write(text);
    });
    streamEnded(context.breakers, call.attempts);
    noteSpeed(context, answer, begunAt);
    if (isDisconnected(ask.signal)) return await chargeReceived(context, answer);
    const bill = await call.complete(source.tally.usage, () => countedUsage(context, call.size, source.tally));
    await sink.write(await encoder.end(bill));
  } catch (error) {
    if (isDisconnected(ask.signal) && !ask.stopping().aborted && (isStopped(call) || !(error instanceof UpstreamError)))
      return await chargeReceived(context, answer);
    const route = streamBroke(context.breakers, call.attempts, error);
    context.log.warn({ ...withoutWords(error), route, request_id: ask.requestId }, "a stream was interrupted");
    await settleInterrupted(context, answer, error);
    await sink.write(encoder.interrupted(error));
  } finally {
    silence.stop();
  }
}

/** Of an answer that its client read to the end: from the call of its upstream to now. */
function noteSpeed({ routeFigures }: Context, { call, source, ask }: StreamedAnswer<AnswerStream<unknown>>, begunAt: number): void {
  const { usage } = source.tally;
  if (usage === null || isDisconnected(ask.signal)) return;
  const { candidate, latencyMs } = call.attempts.at(-1)!;
  if (candidate.model.routes.length > 1) routeFigures.wrote(candidate.routeId, usage.output, latencyMs + performance.now() - begunAt);
}

/** Usage follows the finish reason within a moment; a host that reports none may keep its stream open. */
const usageMs = 10_000;

/** Bounds how long a finished answer is read on for its usage once its client has disconnected. Called for each record. */
function waitForUsage({ ask: { signal }, call, source: { tally } }: StreamedAnswer<AnswerStream<unknown>>): () => void {
  let bounded = false;
  const bound = () => {
    // Of several choices one may end long before the next one begins, which is billed as well.
    if (bounded || !tally.finished || tally.ended < call.hold.choices || !isDisconnected(signal)) return;
    bounded = true;
    setTimeout(() => call.connection?.close(), usageMs).unref();
  };
  signal.addEventListener("abort", bound, { once: true });
  bound();
  return bound;
}

/** Never rejects: the client gets its error record even when the database is unavailable. The hold then ends by itself. */
async function settleInterrupted(context: Context, answer: StreamedAnswer<AnswerStream<unknown>>, error: unknown): Promise<void> {
  try {
    if (isSlowReader(error) || error instanceof AnswerTooLarge) await chargeReceived(context, answer);
    else await answer.call.interrupted();
  } catch (cause) {
    context.log.error({ err: cause, request_id: answer.ask.requestId }, "an interrupted stream could not be settled");
  }
}
