// Reads audio that MiniMax streams: server-sent records in hexadecimal, the last of which repeats the whole (docs/behaviour/providers.md#minimax).
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, objectOf, textOf } from "../json/read.ts";
import { inOrder } from "../transport/in-order.ts";
import { readRecordData, unreadable } from "../transport/json-answer.ts";
import { endedEarly } from "../transport/read-stream.ts";
import { openSseParser, type SseRecord } from "../transport/sse.ts";
import type { Provider } from "../types.ts";
import type { AudioBody } from "../verbs/audio.ts";
import { assertNoError } from "./errors.ts";

/** Characters of a record: the last one may hold all the audio of a long text. */
const recordCharactersMax = 67_108_864;
/** The body ends right after the last record; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

export function hexPieces(body: AudioBody, provider: Provider): AudioBody {
  async function read(onChunk: (chunk: Buffer) => void | Promise<void>): Promise<void> {
    const parser = openSseParser(recordCharactersMax);
    const digits = openDigits();
    const over = Promise.withResolvers<void>();
    let begun = false;
    let ended = false;

    function take(record: SseRecord): void | Promise<void> {
      const data = record.data.trim();
      if (ended || data === "" || data === "[DONE]") return;
      const parsed = readRecordData(data, "");
      if (!isObject(parsed)) throw unreadable("a record of the stream is not an object");
      assertNoError(parsed, provider);
      const { audio, status } = objectOf(parsed["data"]);
      const hex = textOf(audio);
      ended = status === 2;
      const bytes = hex === null || (ended && begun) ? nothing : digits.push(hex);
      if (hex !== null) begun = true;
      const pending = bytes.length === 0 ? undefined : onChunk(bytes);
      return ended ? finish(pending) : pending;
    }

    /** The reader gets the last piece first, whatever happens to the socket meanwhile. */
    async function finish(pending: void | Promise<void>): Promise<void> {
      try {
        await pending;
        if (!begun) throw unreadable("the stream holds no audio");
        digits.end();
        over.resolve();
        setTimeout(body.cancel, lingerMs).unref();
      } catch (error) {
        over.reject(error);
        throw error;
      }
    }

    async function readAll(): Promise<void> {
      await body.read((chunk) => inOrder(parser.push(chunk), take));
      await inOrder(parser.end(), take);
      if (ended) return;
      throw begun ? endedEarly() : unreadable("the stream holds no audio");
    }

    readAll().catch((error: unknown) => {
      const brokeAfterTheEnd = ended && error instanceof UpstreamError;
      if (!brokeAfterTheEnd) over.reject(error);
    });
    await over.promise;
  }
  return { read, cancel: body.cancel };
}

const nothing = Buffer.alloc(0);

/** Decodes hexadecimal that may be cut anywhere, also between the two digits of a byte. */
function openDigits() {
  let half = "";
  return {
    push(hex: string): Buffer {
      const all = half + hex;
      const whole = all.length - (all.length % 2);
      half = all.slice(whole);
      const bytes = Buffer.from(all.slice(0, whole), "hex"); // decoding stops at the first character that is not hexadecimal
      if (bytes.length * 2 !== whole) throw unreadable("a piece of the stream is not hexadecimal");
      return bytes;
    },
    end(): void {
      if (half !== "") throw unreadable("the stream ends within a byte");
    },
  };
}
