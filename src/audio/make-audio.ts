// What music and sound effects share: hold the price, make the audio, measure its length where it was not asked for, then answer with the
// bytes or with a permanent address (docs/behaviour/audio.md#music).
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type Ask, isDisconnected } from "../calls/ask.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { uuidHex } from "../ids.ts";
import { madeLimits } from "../media/fetch-to-file.ts";
import { type Media, MediaFault } from "../media/types.ts";
import { toUsd } from "../money.ts";
import type { AudioCharge } from "../pricing/audio-cost.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Protocol, UpstreamCall } from "../providers/types.ts";
import type { MadeAudio } from "../providers/verbs/audio.ts";
import { type AudioFormat, audioFormats } from "../sound/formats.ts";
import { askRoutes, routesOf } from "./ask-routes.ts";
import { type AudioCall, openAudioCall, whileOpen } from "./audio-call.ts";
import { audioReply, billHeaders, chargeMade } from "./audio-reply.ts";

export interface MakePlan<Order extends { format: AudioFormat }> {
  asked: Resolved;
  charge: AudioCharge;
  order: Order;
  adapters: Partial<Record<Protocol, (call: UpstreamCall & { order: Order }) => Promise<MadeAudio>>>;
  /** As billed; null where it has to be measured. */
  seconds: number | null;
  /** Whether the file is kept at a permanent address. */
  keep: boolean;
}

export async function makeAudio<Order extends { format: AudioFormat }>(context: Context, ask: Ask, plan: MakePlan<Order>) {
  const { asked, charge, order, adapters, seconds: known, keep } = plan;
  const candidates = routesOf(context, ask, asked);
  const call = await openAudioCall(context, ask, { asked, slot: "speech", stream: false, routes: () => candidates }, () => charge);
  return await whileOpen(context, call, async () => {
    const answer = (seconds: number) => ({ charge, headers: headersOf(order, seconds), interruptedCode: "provider_error" as const });
    if (known !== null && !keep) {
      const made = await askRoutes(context, ask, call, { candidates, adapters, order, take: (audio) => audio });
      return await audioReply(context, ask, call, made, answer(known));
    }
    const take = async (made: MadeAudio) => {
      const bytes = await collectAudio(made);
      return { bytes, seconds: known ?? (await measureMade(context.media, bytes, order.format, ask.stopping())) };
    };
    const { bytes, seconds } = await askRoutes(context, ask, call, { candidates, adapters, order, take });
    if (keep) return await keptReply(context, ask, call, { charge, bytes, format: order.format, seconds });
    return await audioReply(context, ask, call, { kind: "whole", bytes }, answer(seconds));
  });
}

function headersOf({ format }: { format: AudioFormat }, seconds: number): Record<string, string> {
  return { "content-type": audioFormats[format].contentType, "x-svc-duration-sec": String(seconds) };
}

interface Keeping {
  charge: AudioCharge;
  bytes: Buffer;
  format: AudioFormat;
  seconds: number;
}

/** Stores the file before the charge, so that a file that is lost is not paid for, and removes it again if the charge fails or it has no reader. */
async function keptReply(
  context: Context,
  { signal, requestId, callId }: Ask,
  call: AudioCall,
  { charge, bytes, format, seconds }: Keeping,
) {
  const { media, publicUrl, log } = context;
  const { extension } = audioFormats[format];
  const { name } = await media.keepAudio({ bytes, name: randomBytes(16).toString("hex"), extension });
  try {
    const bill = await chargeMade(signal, call, charge);
    // Without an idempotency key the client has no way to learn its address.
    if (isDisconnected(signal) && callId === undefined) signal.throwIfAborted();
    return {
      status: 200 as const,
      headers: { ...billHeaders(call, bill), "x-svc-duration-sec": String(seconds) },
      body: {
        object: "audio.generation" as const,
        job_id: `aud_${uuidHex(call.hold.id)}`,
        kind: "audio" as const,
        model: call.admitted.model.id,
        url: `${publicUrl}/media/${name}`,
        duration_sec: seconds,
        cost_usd: toUsd(bill.cost),
        balance_usd: toUsd(bill.balance),
      },
    };
  } catch (error) {
    await media.store
      .remove(name)
      .catch((cause: unknown) => log.error({ err: cause, request_id: requestId, name }, "a file without a recipient could not be removed"));
    throw error;
  }
}

// Collects audio and measures how long it lasts, for endpoints that state its length before its first byte.

/** Throws UpstreamError `unreadable` for more than 64 MB. */
export async function collectAudio(made: MadeAudio): Promise<Buffer> {
  if (made.kind === "whole") return withinBounds(made.bytes.length, made.bytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    await made.body.read((chunk) => {
      size += chunk.length;
      chunks.push(withinBounds(size, chunk));
    });
  } finally {
    made.body.cancel();
  }
  return Buffer.concat(chunks, size);
}

function withinBounds(size: number, bytes: Buffer): Buffer {
  const { bytesMax } = madeLimits;
  if (size > bytesMax) throw new UpstreamError("unreadable", `the audio has more than ${bytesMax} bytes`);
  return bytes;
}

/** In seconds, to the millisecond. Throws UpstreamError `unreadable` where nothing can be heard; fails with overloaded. */
export async function measureMade(media: Media, bytes: Buffer, format: AudioFormat, signal: AbortSignal): Promise<number> {
  const { encoding, sampleRate } = audioFormats[format];
  const seconds = encoding === "mp3" ? await measureFile(media, bytes, signal) : bytes.length / (encoding === "pcm" ? 2 : 1) / sampleRate;
  return Math.round(seconds * 1000) / 1000;
}

function measureFile(media: Media, bytes: Buffer, signal: AbortSignal): Promise<number> {
  return media.withTempFile(async (path) => {
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
    try {
      return await media.measureAudio({ path, extension: "mp3" }, signal);
    } catch (cause) {
      if (!(cause instanceof MediaFault)) throw cause;
      if (cause.reason === "overloaded") fail("overloaded", { cause });
      throw new UpstreamError("unreadable", "the audio can't be decoded", { cause });
    }
  });
}
