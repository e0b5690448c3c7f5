// Audio as a reply: whole once it is charged, or streamed. The last byte of a stream waits until its charge is committed; an interrupted
// stream ends without a proper end and is free (docs/behaviour/billing.md#ends).
import type { ErrorCode } from "../../generated/errors.ts";
import { type Ask, isDisconnected } from "../calls/ask.ts";
import { settleWithout } from "../calls/call.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors/fail.ts";
import { type Amount, usdText } from "../money.ts";
import type { Headers, Sink } from "../operation.ts";
import { type AudioCharge, audioCost } from "../pricing/audio-cost.ts";
import { isSlowReader, withoutWords } from "../providers/errors/upstream-error.ts";
import type { AudioBody, MadeAudio } from "../providers/verbs/audio.ts";
import { streamBroke, streamEnded } from "../routing/attempt.ts";
import type { AudioBill, AudioCall } from "./audio-call.ts";

interface AudioAnswer {
  charge: AudioCharge;
  /** Besides those of the bill: the media type, and what the endpoint counts in. */
  headers: Headers;
  /** The code of an interrupted stream in the usage log. */
  interruptedCode: ErrorCode;
}

type Replying = Pick<Context, "log" | "breakers">;

export function audioReply(context: Replying, ask: Ask, call: AudioCall, made: MadeAudio, answer: AudioAnswer) {
  return made.kind === "whole" ? wholeReply(ask, call, made.bytes, answer) : streamReply(context, ask, call, made.body, answer);
}

async function wholeReply({ signal }: Ask, call: AudioCall, bytes: Buffer, { charge, headers }: AudioAnswer) {
  const bill = await chargeMade(signal, call, charge);
  return { status: 200, headers: { ...billHeaders(call, bill), ...headers }, bytes };
}

/** A caller who disconnected while the audio was made pays for it too, and gets it by repeating the request with its idempotency key. */
export async function chargeMade(signal: AbortSignal, call: AudioCall, charge: AudioCharge): Promise<AudioBill> {
  if (isDisconnected(signal)) return await call.aborted(charge);
  signal.throwIfAborted();
  return await call.complete(charge);
}

/** The head shows the balance as it will be after this charge. */
function streamReply(context: Replying, ask: Ask, call: AudioCall, body: AudioBody, answer: AudioAnswer) {
  const cost = audioCost(answer.charge);
  const bill = { cost, balance: call.hold.balance - cost };
  const sending = openSending(context, ask, call, body, answer);
  // A proxy that buffers the whole answer would defeat streaming.
  return { status: 200, headers: { ...billHeaders(call, bill), ...answer.headers, "x-accel-buffering": "no" }, stream: sending };
}

export function billHeaders({ admitted, served }: AudioCall, { cost, balance }: { cost: Amount; balance: Amount }): Headers {
  const { model, alias } = admitted;
  const layer = served?.layer ?? 0;
  return {
    "x-litellm-response-cost": usdText(cost),
    "x-svc-model": model.id,
    ...(alias === null ? {} : { "x-svc-alias": alias }),
    "x-svc-cost-usd": usdText(cost),
    "x-svc-balance-usd": usdText(balance),
    ...(layer === 0 ? {} : { "x-svc-fallback": "true", "x-svc-fallback-layer": String(layer) }),
  };
}

function openSending(
  context: Replying,
  ask: Ask,
  call: AudioCall,
  body: AudioBody,
  answer: Pick<AudioAnswer, "charge" | "interruptedCode">,
) {
  const ending = watchEnding(context, ask, call, { ...answer, cancel: body.cancel });
  return async (sink: Sink): Promise<void> => {
    call.isOut = true;
    const tail = keepLastByte((chunk) => sink.write(chunk));
    try {
      await body.read((chunk) => tail.push(chunk));
      streamEnded(context.breakers, call.attempts);
      await call.complete(answer.charge);
      await sink.write(tail.last());
    } catch (cause) {
      const error = await ending.broke(cause);
      if (error !== null) throw error;
    } finally {
      ending.stop();
    }
  };
}

interface Ending extends Pick<AudioAnswer, "charge" | "interruptedCode"> {
  /** Stops the upstream. */
  cancel: () => void;
}

/** Settles a stream that does not come to its end, even where the client disconnects before anything of it is read. */
export function watchEnding(context: Replying, ask: Ask, call: AudioCall, { charge, interruptedCode, cancel }: Ending) {
  const { signal } = ask;
  const interrupted = async (cause: unknown): Promise<ApiError> => {
    const error = new ApiError(interruptedCode, { status: 200 });
    // What a provider has begun to make, it bills whole.
    if (isDisconnected(signal) || isSlowReader(cause))
      await call.aborted(charge).catch((unsettled: unknown) => reportUnsettled(context, ask, unsettled));
    else await settleWithout(context, call, error);
    return error;
  };
  const onAbort = () => {
    cancel();
    void interrupted(null);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });

  return {
    /** The error that the caller is to get; null: the caller disconnected. */
    async broke(cause: unknown): Promise<ApiError | null> {
      cancel();
      const route = isDisconnected(signal) ? null : streamBroke(context.breakers, call.attempts, cause);
      const error = await interrupted(cause);
      if (isDisconnected(signal)) return null;
      context.log.warn({ ...withoutWords(cause), route, request_id: ask.requestId }, "an audio stream was interrupted");
      return error;
    },
    stop: () => signal.removeEventListener("abort", onAbort),
  };
}

function reportUnsettled({ log }: Pick<Context, "log">, { requestId }: Ask, cause: unknown): void {
  log.error({ err: cause, request_id: requestId }, "an aborted audio stream could not be settled");
}

// Passes bytes on as they come, except for the last byte, so that a client with the whole file has been charged for it. Holding back one byte
// rather than a chunk delays nothing that can be heard.

interface KeptByte {
  push(chunk: Buffer): void | Promise<void>;
  /** Empty if no byte came. */
  last(): Buffer;
}

export function keepLastByte(write: (chunk: Buffer) => void | Promise<void>): KeptByte {
  let last: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      if (chunk.length === 0) return;
      const held = last;
      last = Buffer.from(chunk.subarray(-1));
      // Both leave in one write to the socket; joining them would copy every chunk.
      const before = held.length > 0 ? write(held) : undefined;
      return (chunk.length > 1 ? write(chunk.subarray(0, -1)) : undefined) ?? before;
    },
    last: () => last,
  };
}
