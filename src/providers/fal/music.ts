// Music over a fal queue: submits a song, polls until it is made, downloads it (docs/behaviour/providers.md#fal). The caller waits, so
// nothing outlives the call: work without a waiting caller is cancelled.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Clock, systemClock } from "../../clock.ts";
import { convertWhole } from "../../sound/convert.ts";
import { type AudioFormat, audioFormats, isWav, readWav } from "../../sound/formats.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { wholeAudio } from "../transport/audio-stream.ts";
import { unreadable } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type { FetchMade, MakeMusic, MusicOrder } from "../verbs/audio.ts";
import type { MadeFile, Ticket, UpstreamQueue } from "../verbs/media.ts";
import { songParts } from "./output.ts";
import { falQueue, submit } from "./queue.ts";

export interface MusicTimes {
  /** The first pause between two polls, and the longest that it grows to. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** From the submit to the song, in ms. */
  wholeMs: number;
}

const shippedTimes: MusicTimes = { firstPauseMs: 500, longestPauseMs: 2_000, wholeMs: 600_000 };
/** Consecutive failed polls: a few seconds without an answer from the queue don't end the work. */
const failedLooksMax = 5;
/** Time to cancel work; the caller doesn't wait for it. */
const cancelMs = 10_000;

export function falMusic(
  upstream: Upstream,
  fetchMade: FetchMade,
  change: Partial<MusicTimes> = {},
  clock: Clock = systemClock,
): MakeMusic {
  const times = { ...shippedTimes, ...change };
  const queue = falQueue(upstream, clock, songParts);
  return async (given) => {
    const deadline = AbortSignal.timeout(times.wholeMs);
    const call = { ...given, signal: AbortSignal.any([given.signal, deadline]), jobId: randomUUID() };
    try {
      const begun = await submit(upstream, clock, call, inputOf(call.order), songParts);
      const files = begun.kind === "made" ? begun.files : await lookUntilMade(queue, call, begun.ticket, times);
      const bytes = await bytesOf(files[0]!, call, fetchMade);
      return wholeAudio(await inFormat(bytes, call.order.format, call.signal));
    } catch (error) {
      if (!deadline.aborted || given.signal.aborted) throw error;
      throw new UpstreamError("unavailable", "the song was not made in time", {
        job: { code: "provider_timeout", word: null },
        failure: { cause: "timeout_answer", detail: `the song was not made within ${times.wholeMs} ms` },
        cause: error,
      });
    }
  };
}

/** Each model has its own field for the length and ignores the others: all are sent with the same value. */
function inputOf({ prompt, lyrics, seconds, format }: MusicOrder): Record<string, unknown> {
  return {
    prompt,
    output_format: format,
    ...(lyrics !== null && { lyrics, lyrics_prompt: lyrics }),
    ...(seconds !== null && { duration: seconds, seconds_total: seconds, music_length_ms: Math.round(seconds * 1_000) }),
  };
}

async function lookUntilMade(queue: UpstreamQueue, call: UpstreamCall, ticket: Ticket, times: MusicTimes): Promise<MadeFile[]> {
  let waitMs = times.firstPauseMs;
  let failed = 0;
  try {
    for (;;) {
      await pauseOf(waitMs, call.signal);
      waitMs = Math.min(waitMs * 1.5, times.longestPauseMs);
      try {
        const looked = await queue.look(call, ticket);
        if (looked.kind === "made") return looked.files;
        failed = 0;
      } catch (error) {
        failed += 1;
        if (!saysNothingOfTheWork(error) || failed >= failedLooksMax) throw error;
      }
    }
  } catch (error) {
    if (!isOver(error))
      queue.cancel({ ...call, signal: AbortSignal.timeout(cancelMs), disconnect: undefined }, ticket).catch(() => undefined);
    throw error;
  }
}

/** Rejects with the signal's reason. */
async function pauseOf(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

function saysNothingOfTheWork(error: unknown): boolean {
  return error instanceof UpstreamError && ["unavailable", "rate_limited", "unreadable", "local_overload"].includes(error.fault);
}

/** The work itself has failed: there is nothing to cancel. */
function isOver(error: unknown): boolean {
  return error instanceof UpstreamError && ["refused", "rejected", "failed"].includes(error.fault);
}

async function bytesOf({ source }: MadeFile, call: UpstreamCall, fetchMade: FetchMade): Promise<Buffer> {
  const bytes = "bytes" in source ? source.bytes : await fetchMade(source.url, call.route.provider, call.signal);
  if (bytes.length === 0) throw unreadable("the song is empty");
  return bytes;
}

/** Models make MP3 at a bit rate of their own; a WAV file can be converted to any format. */
async function inFormat(bytes: Buffer, format: AudioFormat, signal: AbortSignal): Promise<Buffer> {
  if (isWav(bytes)) {
    const sound = readWav(bytes);
    if (sound !== null) return convertWhole(sound.pcm, sound.sampleRate, format, signal);
  } else if (audioFormats[format].encoding === "mp3" && isMp3(bytes)) return bytes;
  throw unreadable("the song is not in the requested format");
}

function isMp3(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 3) === "ID3" || (bytes[0] === 0xff && (bytes[1]! & 0xe6) === 0xe2);
}
