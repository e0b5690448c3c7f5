import { SvcError } from "./error.js";
/** Guards one try from its sending to the end of its answer. */
export interface Watch {
    readonly controller: AbortController;
    /** Starts the time in which something must come. */
    start(): void;
    /** Stops the time: it is not the gateway's turn. */
    rest(): void;
    /** The answer is over: leaves no timer and no listener behind. */
    end(): void;
    /** What an exception of fetch means, or of reading an answer of which the head came. */
    fault(cause: unknown, response?: Response): SvcError;
}
export declare function watch(caller: AbortSignal | null | undefined, timeout: number): Watch;
/** The pieces of an answer's body. Leaving the loop early cancels the request. */
export declare function piecesOf(response: Response, watched: Watch): AsyncGenerator<Uint8Array, void, undefined>;
