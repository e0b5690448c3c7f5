/** Bytes of a file. Streams are read to their end before anything is sent, so that a retry can send them again. */
export type Bytes = Blob | ArrayBuffer | ArrayBufferView | Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
/**
 * A file to send: a `File` or `Blob` (in Node `await fs.openAsBlob(path)`), bytes, a `Response` of fetch, or a stream such as
 * `fs.createReadStream(path)`. With `{ name, data }` it gets a name; its content alone decides what it is.
 */
export type Upload = Bytes | {
    name: string;
    data: Bytes;
};
/** FormData when the body holds a file, else the same body for JSON. */
export declare function formOf(body: Record<string, unknown>): Promise<FormData | Record<string, unknown>>;
