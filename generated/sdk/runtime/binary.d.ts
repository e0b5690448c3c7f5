import { type Watch } from "./watch.js";
/** Bytes of an answer. They can be taken once, in one of four ways; each throws a `SvcError` when the connection breaks off. */
export interface Binary {
    /** Media type, such as `audio/mpeg`. */
    readonly contentType: string;
    /** What it cost in USD; null where the answer doesn't say. */
    readonly cost: number | null;
    /** Headers of the answer, such as `x-svc-model` and `x-svc-duration-sec`. */
    readonly headers: Headers;
    /** The bytes as they come; cancelling it ends the request. */
    stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
    /** All bytes. */
    arrayBuffer(): Promise<ArrayBuffer>;
    /** All bytes, such as `fs.writeFile` takes them. */
    bytes(): Promise<Uint8Array<ArrayBuffer>>;
    /** All bytes, with the media type. */
    blob(): Promise<Blob>;
}
/** For routes whose answer is bytes. */
export declare function binary(response: Response, watched: Watch, contentType: string): Binary | undefined;
