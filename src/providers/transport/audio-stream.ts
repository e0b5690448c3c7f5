// Streams audio from an upstream's answer to its reader, converted on the way where needed. The stream begins with its first byte of audio.
import { type Conversion, convertPiece } from "../../sound/convert.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Provider } from "../types.ts";
import type { AudioBody, MadeAudio } from "../verbs/audio.ts";
import { openHostTime } from "./body.ts";
import { isJson, wholeText } from "./exchange.ts";
import { readAnswer, unreadable } from "./json.ts";
import { openOutlet, type Outlet } from "./outlet.ts";
import type { UpstreamAnswer } from "./types.ts";

/** Bytes that are read of an error under status 200. */
const wordsBytesMax = 65_536;

interface StreamLimits {
  /** Of what the source sends. */
  bytesMax: number;
  /** Milliseconds from the headers to the first byte of audio, whatever else the host sends meanwhile. */
  startMs: number;
  /** Milliseconds to the last byte, without the time spent waiting for the reader. */
  wholeMs: number;
}

/** Speech of the longest text lasts a quarter of an hour and is 88 MB in the largest format; a reader may play it in real time. */
const shippedLimits: StreamLimits = { bytesMax: 268_435_456, startMs: 600_000, wholeMs: 3_600_000 };

/** The longest time to the first byte of speech, for hosts that make all of it first. */
export function speechFirstByteMs(text: string): number {
  return text.length * 20;
}

/** Audio in one piece. Throws UpstreamError where it is empty. */
export function wholeAudio(bytes: Buffer): MadeAudio {
  if (bytes.length === 0) throw unreadable("the answer holds no audio");
  return { kind: "whole", bytes };
}

/** Throws UpstreamError for an answer that is text: an error under status 200, an HTML page. */
export async function assertAudio(answer: UpstreamAnswer, provider: Provider): Promise<void> {
  if (!isJson(answer) && !/^text\//i.test(String(answer.headers["content-type"] ?? ""))) return;
  readAnswer(await wholeText(answer, wordsBytesMax), provider);
  throw unreadable("the answer is no audio");
}

/**
 * Resolves with the first byte of the result. Rejects with UpstreamError where the source fails before it (`unreadable` where it ends
 * without one), and with the signal's reason where that fired.
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
    if (failed !== null) throw failed.reason; // what is left after the end is dropped
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
    if (bytes > bytesMax) throw unreadable("the audio is larger than any request allows");
    return conversion === null ? give(piece) : convertPiece(conversion, piece, give);
  };

  function stop(reason: unknown): void {
    fail(reason);
    source.cancel();
  }
  const late = (ms: number) => () => {
    const detail = `the audio took more than ${ms} ms`;
    stop(new UpstreamError("unavailable", detail, { status: 200, failure: { cause: "timeout_answer", detail } }));
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
  await outlet.started();
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
