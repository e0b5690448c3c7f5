// Audio between an upstream's answer and its reader: converted on the way where it must be, begun with its first byte, never before.
import { type Conversion, convertPiece } from "../../sound/convert.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Provider } from "../types.ts";
import type { AudioBody, MadeAudio } from "../verbs/audio.ts";
import { isJson, wholeText } from "./exchange.ts";
import { openHostTime } from "./host-time.ts";
import { readAnswer, unreadable } from "./json-answer.ts";
import { openOutlet, type Outlet } from "./outlet.ts";
import type { UpstreamAnswer } from "./types.ts";

/** Of an error under status 200. */
const wordsBytesMax = 65_536;

export interface StreamLimits {
  /** Of what the source sends. */
  bytesMax: number;
  /** To the first byte of audio, from the head on: a host may send whatever else it likes meanwhile. */
  startMs: number;
  /** To the last, without the time that its reader is waited for. */
  wholeMs: number;
}

/** Speech of the longest text is a quarter of an hour and 88 MB of the largest form, and may be heard as it is said. */
const shippedLimits: StreamLimits = { bytesMax: 268_435_456, startMs: 600_000, wholeMs: 3_600_000 };

/** What writing so many characters as speech takes at most until the first byte comes, from hosts that make all of it first. */
export function speechFirstByteMs(text: string): number {
  return text.length * 20;
}

/** Audio in one piece, as it was made or converted. Throws UpstreamError where there is none. */
export function wholeAudio(bytes: Buffer): MadeAudio {
  if (bytes.length === 0) throw unreadable("the answer holds no audio");
  return { kind: "whole", bytes };
}

/** Throws UpstreamError for an answer that is words: an error under status 200, a page. */
export async function assertAudio(answer: UpstreamAnswer, provider: Provider): Promise<void> {
  if (!isJson(answer) && !/^text\//i.test(String(answer.headers["content-type"] ?? ""))) return;
  readAnswer(await wholeText(answer, wordsBytesMax), provider);
  throw unreadable("the answer is no audio");
}

/**
 * Resolves with the first byte of the result. Rejects with UpstreamError where the source fails before it, `unreadable` where it ends
 * without one; with the signal's reason where that fired.
 */
export async function streamAudio(
  source: AudioBody,
  conversion: Conversion | null,
  signal: AbortSignal,
  { bytesMax, startMs, wholeMs }: StreamLimits = shippedLimits,
): Promise<MadeAudio> {
  const outlet = openOutlet<Buffer>(
    () => undefined,
    () => undefined,
  );
  let failed: { reason: unknown } | null = null;

  function give(piece: Buffer): void | Promise<void> {
    if (failed !== null) throw failed.reason; // slices that are left after the end are for nobody
    if (piece.length === 0) return;
    const pending = outlet.emit(piece);
    if (pending) whole.pausedFor(pending);
    return pending;
  }

  function fail(reason: unknown): void {
    failed ??= { reason };
    outlet.fail(reason);
  }

  let bytes = 0;
  const take = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > bytesMax) throw unreadable("there is more audio than anybody asked for");
    return conversion === null ? give(piece) : convertPiece(conversion, piece, give);
  };

  function stop(reason: unknown): void {
    fail(reason);
    source.cancel();
  }
  const late = (ms: number) => () => {
    const detail = `the audio took more than ${ms} ms`;
    stop(new UpstreamError("unavailable", detail, { status: 200, trouble: { cause: "timeout_answer", detail } }));
  };
  const start = setTimeout(late(startMs), startMs);
  const whole = openHostTime(wholeMs, late(wholeMs));

  async function readAll(): Promise<void> {
    await source.read(take);
    const rest = conversion?.end();
    if (rest) await give(rest);
    if (!outlet.begun) throw unreadable("the answer holds no audio");
    outlet.end();
  }

  readAll()
    .catch(fail)
    .finally(() => {
      clearTimeout(start);
      whole.stop();
    });
  await outlet.started;
  clearTimeout(start);
  const cancel = () => stop(new DOMException("The upstream call was cancelled.", "AbortError"));
  return { kind: "stream", body: bodyOf(outlet, cancel, signal) };
}

function bodyOf(outlet: Outlet<Buffer>, cancel: () => void, signal: AbortSignal): AudioBody {
  return {
    cancel,
    async read(onChunk) {
      try {
        await outlet.forEach(onChunk, signal);
      } catch (error) {
        cancel(); // a reader that threw; after a broken socket it changes nothing
        throw error;
      }
    },
  };
}
