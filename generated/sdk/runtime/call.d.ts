import type { OperationId } from "../types.js";
import type { Client, IdempotentOptions } from "./client.js";
import { type OperationError } from "./error.js";
import { type Watch } from "./watch.js";
/** An answer and what came with it. */
export interface Answer<T> {
    readonly data: T;
    /** Its head; the body has been read, or is what `data` reads. */
    readonly response: Response;
    /** Id of the request, for support and for `usage.receipt`. */
    readonly requestId: string | null;
    /** What it cost in USD; null where the answer doesn't say. A stream knows it at its end: see `Stream.cost`. */
    readonly cost: number | null;
}
/** How a call ended, without an exception. */
export type Result<T, E> = ({
    readonly ok: true;
} & Answer<T>) | {
    readonly ok: false;
    readonly error: E;
};
/** A call under way. Awaiting it gives the answer or throws a `SvcError`. */
export interface Call<T, Op extends OperationId, Failure = never> extends Promise<T> {
    /** The answer with its headers, the id of the request and its cost. Throws as the call itself does. */
    withResponse(): Promise<Answer<T>>;
    /** Does not throw when the call fails: `{ ok: true, data, … }` or `{ ok: false, error }`, typed with what this operation can answer. */
    result(): Promise<Result<T, OperationError<Op> | Failure>>;
}
/** Reads an answer; undefined when it is not of the reader's kind. */
export type Reader = (response: Response, watched: Watch, type: string) => unknown;
/** What the functions know of their operation. */
export interface Route {
    /** A function where it has parameters: what is wrong with them fails the call, not the line that makes it. */
    readonly path: string | (() => string);
    readonly method?: "POST" | "PATCH" | "DELETE";
    /** Whose token it takes; default: the key's. */
    readonly auth?: "none" | "session" | "either";
    /** Fields of the input that belong into the address; of a GET all do. */
    readonly query?: readonly string[];
    /** Makes the key that lets it be repeated, where it takes one. */
    readonly newKey?: () => string;
    /** Makes the body out of the input, where that is not JSON alone. */
    readonly encode?: (body: Record<string, unknown>) => Promise<FormData | Record<string, unknown>> | Record<string, unknown>;
    /** Media types that it is asked for before JSON. */
    readonly accept?: string | undefined;
    /** Reads answers that are not JSON, where it has such. */
    readonly read?: Reader;
}
export declare function call<T, Op extends OperationId>(client: Client, route: Route, input?: object, options?: IdempotentOptions): Call<T, Op>;
/** The three ways to take an answer. Whoever takes another one than the promise itself has handled its failure. */
export declare function callOf<T, Op extends OperationId, Failure = never>(sent: Promise<Answer<T>>): Call<T, Op, Failure>;
