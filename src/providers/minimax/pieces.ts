// Audio that MiniMax streams: server-sent records with hexadecimal pieces, the last of which repeats all of them (WIRE.md 13.2).
import { readRecordData, unreadable } from "../answer-json.ts";
import type { AudioBody } from "../audio.ts";
import { inOrder } from "../in-order.ts";
import { isObject, objectOf, textOf } from "../json.ts";
import { openSseParser, type SseRecord } from "../sse.ts";
import { type Provider, UpstreamError } from "../types.ts";
import { assertNoError } from "./errors.ts";

/** Characters of a record: the last holds all of a long text's audio where a host sends it unasked. */
const recordCharactersMax = 67_108_864;
/** The end of the body follows the last record at once; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

export function hexPieces(body: AudioBody, provider: Provider): AudioBody {
  async function read(onChunk: (chunk: Buffer) => void | Promise<void>): Promise<void> {
    const parser = openSseParser(recordCharactersMax);
    let begun = false;
    let ended = false;

    function take(record: SseRecord): void | Promise<void> {
      const data = record.data.trim();
      if (ended || data === "" || data === "[DONE]") return;
      const told = readRecordData(data, "");
      if (!isObject(told)) throw unreadable("a record of the stream is not an object");
      assertNoError(told, provider, begun);
      const { audio, status } = objectOf(told["data"]);
      const hex = textOf(audio);
      const repeats = status === 2 && begun;
      const pending = hex === null || repeats ? undefined : onChunk(bytesOf(hex));
      if (hex !== null) begun = true;
      if (status !== 2) return pending;
      ended = true;
      setTimeout(body.cancel, lingerMs).unref();
      return pending;
    }

    try {
      await body.read((chunk) => inOrder(parser.push(chunk), take));
    } catch (error) {
      if (!ended || !isEndOfBody(error)) throw error;
    }
    await inOrder(parser.end(), take);
    if (!begun) throw unreadable("the stream holds no audio");
    if (!ended) throw new UpstreamError("unavailable", "the stream ended too early", { status: 200 });
  }
  return { read, cancel: body.cancel };
}

/** After the last record: a socket that broke, or that we closed ourselves. A reader's own error is neither. */
function isEndOfBody(error: unknown): boolean {
  return error instanceof UpstreamError || (error instanceof DOMException && error.name === "AbortError");
}

function bytesOf(hex: string): Buffer {
  const bytes = Buffer.from(hex, "hex"); // decoding ends at the first that is none
  if (bytes.length * 2 !== hex.length) throw unreadable("a piece of the stream is not hexadecimal");
  return bytes;
}
