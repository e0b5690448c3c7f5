// Audio between an upstream's answer and its reader: converted on the way where it must be, begun with its first byte, never before.
import { type Conversion, convertPiece } from "../sound/convert.ts";
import { readAnswer, unreadable } from "./answer-json.ts";
import type { AudioBody, MadeAudio } from "./audio.ts";
import { isJson, wholeText } from "./exchange.ts";
import type { UpstreamAnswer } from "./http.ts";
import { openOutlet } from "./outlet.ts";
import type { Provider } from "./types.ts";

/** Of an error under status 200. */
const wordsBytesMax = 65_536;

/** What writing so many characters as speech takes at most until the first byte comes, from hosts that make all of it first. */
export function speechFirstByteMs(text: string): number {
  return text.length * 20;
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
export async function streamAudio(source: AudioBody, conversion: Conversion | null, signal: AbortSignal): Promise<MadeAudio> {
  const outlet = openOutlet<Buffer>(
    () => undefined,
    () => undefined,
  );
  let failed: { reason: unknown } | null = null;

  function give(piece: Buffer): void | Promise<void> {
    if (failed !== null) throw failed.reason; // slices that are left after the end are for nobody
    if (piece.length > 0) return outlet.emit(piece);
  }

  function fail(reason: unknown): void {
    failed ??= { reason };
    outlet.fail(reason);
  }

  async function readAll(): Promise<void> {
    await source.read(conversion === null ? give : (piece) => convertPiece(conversion, piece, give));
    const rest = conversion?.end();
    if (rest) await give(rest);
    if (!outlet.begun) throw unreadable("the answer holds no audio");
    outlet.end();
  }

  readAll().catch(fail);
  await outlet.started;
  const cancel = () => {
    fail(new DOMException("The upstream call was cancelled.", "AbortError"));
    source.cancel();
  };
  return {
    kind: "stream",
    body: {
      cancel,
      async read(onChunk) {
        try {
          await outlet.forEach(onChunk, signal);
        } catch (error) {
          cancel(); // a reader that threw; after a broken socket it changes nothing
          throw error;
        }
      },
    },
  };
}
