// Amazon's event stream: bytes in, frames out, however the bytes were cut. The format and its checksums are @smithy/core's; owned here are
// the border between two frames and the bound of one.
import { EventStreamCodec } from "@smithy/core/event-streams";
import { UpstreamError } from "../errors/upstream-error.ts";

export interface Frame {
  /** `event`, `exception` or `error`. */
  kind: string;
  /** The event's or exception's type; of an error its code. */
  type: string;
  /** JSON; of an error a sentence. */
  body: string;
}

/** A frame is a few hundred bytes; a larger one is not an answer. */
const frameBytesMax = 4_194_304;
/** A frame opens with its length. */
const lengthBytes = 4;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

/** Returns the frames that are complete with this chunk. Throws UpstreamError for bytes that are no frame. */
export function openFrameReader(): (chunk: Buffer) => Frame[] {
  let pieces: Buffer[] = [];
  let size = 0;
  let wanted = lengthBytes;
  const joined = () => {
    const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
    pieces = [bytes];
    return bytes;
  };
  return (chunk) => {
    const frames: Frame[] = [];
    pieces.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const bytes = joined();
      const length = bytes.readUInt32BE(0);
      if (length > frameBytesMax) throw new UpstreamError("unreadable", "one record of the stream is too large");
      if (size < length) {
        wanted = length;
        break;
      }
      frames.push(readFrame(bytes.subarray(0, length)));
      pieces = [bytes.subarray(length)];
      size -= length;
      wanted = lengthBytes;
    }
    return frames;
  };
}

function readFrame(bytes: Buffer): Frame {
  try {
    const { headers, body } = codec.decode(bytes);
    const header = (name: string) => String(headers[name]?.value ?? "");
    const kind = header(":message-type");
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
    if (kind === "error") return { kind, type: header(":error-code"), body: header(":error-message") };
    return { kind, type: header(kind === "exception" ? ":exception-type" : ":event-type"), body: text };
  } catch (cause) {
    throw new UpstreamError("unreadable", "a record of the stream is damaged", { status: 200, cause });
  }
}
