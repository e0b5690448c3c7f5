// A chat answer that streams: when it has begun, in which order its records go out, and how it ended.
// What one chunk means is chunk.ts's.
import { setTimeout as startTimer } from "node:timers";
import type { Clock } from "../../clock.ts";
import type { UpstreamAnswer } from "../http.ts";
import { openSseParser, type SseRecord } from "../sse.ts";
import { UpstreamError, type ChatCall, type ChatRecord, type ChatStream } from "../types.ts";
import { allEnded, beginChunks, missingEnds, newChunkState, readChunk } from "./chunk.ts";
import { errorOfFirstRecord } from "./errors.ts";
import { readErrorValue, safeReason } from "./error-text.ts";
import { openFastPath } from "./fast-path.ts";
import { isObject, type Json } from "./json.ts";

type OnRecord = (record: ChatRecord) => void | Promise<void>;

/** Records without a use (roles, empty texts) that are kept while the first useful one is awaited. */
const waitingMax = 64;
/** The end of the body follows [DONE] at once; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

/**
 * Resolves when the first useful record is here, or `startAfterMs` after the headers (WIRE.md 10.3: a few seconds),
 * because a host that thinks for long has still accepted the call. Rejects where the stream fails before that.
 */
export async function openChatStream(answer: UpstreamAnswer, call: ChatCall, clock: Clock, startAfterMs: number): Promise<ChatStream> {
  const state = newChunkState(call.publicModel);
  const parser = openSseParser();
  const fast = openFastPath(state.tally);
  const waiting: string[] = [];
  const started = Promise.withResolvers<void>();
  const attached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => undefined); // forEach may never be called
  let hasStarted = false;
  let hasEnded = false;
  let verdict: UpstreamError | null = null;
  let onRecord: OnRecord | null = null;
  const timer = startTimer(start, startAfterMs);

  function start(): void {
    if (hasStarted) return;
    beginChunks(state, {}, clock);
    hasStarted = true;
    clearTimeout(timer);
    started.resolve();
  }

  function end(): void {
    start();
    hasEnded = true;
    ended.resolve();
  }

  function fail(error: unknown): void {
    clearTimeout(timer);
    started.reject(error);
    ended.reject(error);
  }

  function condemn(error: UpstreamError): never {
    verdict = error;
    throw error;
  }

  /** Goes on from `from`; gives a promise only where a record has to be waited for. */
  function takeAll(records: SseRecord[], from = 0): void | Promise<void> {
    for (let at = from; at < records.length; at += 1) {
      const pending = hasEnded ? undefined : take(records[at]!);
      if (pending) return pending.then(() => takeAll(records, at + 1));
    }
  }

  function take({ event, data }: SseRecord): void | Promise<void> {
    const quick = event === "" ? fast.forward(data) : null;
    if (quick !== null) return emit(quick);
    if (data === "") return;
    if (data.trim() === "[DONE]") return takeDone();
    const chunk = parseRecord(data, event);
    const read = readChunk(chunk, state, clock);
    if (read.error !== undefined) condemn(recordError(read.error));
    if (!read.steady) fast.forget();
    else if (hasStarted && !anyEnded()) fast.learn(data, read.records[0]!);
    const pending = emitAll(read.records);
    if (read.useful || waiting.length >= waitingMax) start();
    return pending;
  }

  function takeDone(): void | Promise<void> {
    if (state.choices.size === 0) condemn(new UpstreamError("unreadable", "the stream ended without an answer", { status: 200 }));
    const pending = emitAll(missingEnds(state));
    if (pending) return pending.then(finishDone);
    finishDone();
  }

  function finishDone(): void {
    end();
    startTimer(() => answer.body.cancel(), lingerMs).unref();
  }

  function parseRecord(data: string, event: string): Json {
    let value: unknown = data;
    try {
      value = JSON.parse(data);
    } catch {
      if (event !== "error") condemn(new UpstreamError("unreadable", "a record of the stream is not JSON", { status: 200 }));
    }
    if (event === "error") condemn(recordError(value));
    if (!isObject(value)) condemn(new UpstreamError("unreadable", "a record of the stream is not an object", { status: 200 }));
    return value;
  }

  function recordError(error: unknown): UpstreamError {
    if (!hasStarted) return errorOfFirstRecord(error, call.route.provider);
    const reason = safeReason(readErrorValue(error).message, call.route.provider, "the stream broke");
    return new UpstreamError("unavailable", reason, { status: 200 });
  }

  function anyEnded(): boolean {
    for (const choice of state.choices.values()) if (choice.finish !== null) return true;
    return false;
  }

  function emitAll(records: string[], from = 0): void | Promise<void> {
    for (let at = from; at < records.length; at += 1) {
      const pending = emit(records[at]!);
      if (pending) return pending.then(() => emitAll(records, at + 1));
    }
  }

  function emit(json: string): void | Promise<void> {
    if (onRecord) return onRecord({ json });
    waiting.push(json);
    if (hasStarted) return attached.promise; // begun, and nobody listens yet: the socket waits
  }

  async function readToEnd(): Promise<void> {
    await answer.body.read((chunk) => takeAll(parser.push(chunk)));
    await takeAll(parser.end());
    if (hasEnded) return;
    if (allEnded(state)) return end();
    if (!state.begun) condemn(new UpstreamError("unreadable", "the stream is empty", { status: 200 }));
    throw new UpstreamError("unavailable", "the stream ended too early", { status: 200 });
  }

  readToEnd().catch((error: unknown) => {
    if (hasEnded) return;
    // The socket broke after every choice had ended: the answer is whole.
    if (verdict === null && error instanceof UpstreamError && allEnded(state)) end();
    else fail(verdict ?? error);
  });
  await started.promise;

  return {
    kind: "stream",
    tally: state.tally,
    cancel: () => answer.body.cancel(),
    async forEach(listener) {
      try {
        for (let json = waiting.shift(); json !== undefined; json = waiting.shift()) {
          call.signal.throwIfAborted();
          const pending = listener({ json });
          if (pending) await pending;
        }
      } catch (error) {
        answer.body.cancel();
        throw error;
      }
      onRecord = listener;
      attached.resolve();
      await ended.promise;
    },
  };
}
