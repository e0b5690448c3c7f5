// Audio and other bytes, streamed or whole.
import { costIn } from "./cost.ts";
import { piecesOf, type Watch } from "./watch.ts";

/** Bytes of an answer. They can be read once, in one of four ways; each throws a `SvcError` if the connection breaks. */
export interface Binary {
  /** Media type, such as `audio/mpeg`. */
  readonly contentType: string;
  /** What it cost in USD; null where the answer doesn't say. */
  readonly cost: number | null;
  /** Headers of the answer, such as `x-svc-model` and `x-svc-duration-sec`. */
  readonly headers: Headers;
  /** The bytes as they arrive; cancelling the stream ends the request. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** All bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
  /** All bytes, in the form that `fs.writeFile` takes. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** All bytes, with the media type. */
  blob(): Promise<Blob>;
}

/** For routes whose answer is bytes. */
export function binary(response: Response, watched: Watch, contentType: string): Binary | undefined {
  if (contentType === "" || contentType.startsWith("text/")) return undefined;
  const { headers } = response;
  let taken = false;
  const stream = () => {
    if (taken || response.bodyUsed || response.body?.locked) throw new TypeError("svc-sdk: bytes can be read once.");
    taken = true;
    return streamOf(response, watched);
  };
  const blob = async () => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const reader = stream().getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
    return new Blob(pieces, { type: contentType });
  };
  const arrayBuffer = async () => (await blob()).arrayBuffer();
  const bytes = async () => new Uint8Array(await arrayBuffer());
  return { contentType, cost: costIn(headers), headers, stream, blob, arrayBuffer, bytes };
}

function streamOf(response: Response, watched: Watch): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = piecesOf(response, watched);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      },
      async cancel() {
        // First, because a generator that was never started runs no cleanup, and one that waits for a chunk would keep waiting.
        watched.controller.abort();
        watched.end();
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}
