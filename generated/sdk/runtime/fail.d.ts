import { type ErrorFields, SvcError } from "./error.js";
/** An error about an answer: what its head says, and `fields`. */
export declare function failure({ headers, status: httpStatus }: Response, fields: ErrorFields): SvcError;
export declare function errorOf(response: Response): Promise<SvcError>;
/** `status` null: an error inside a stream, or of a job. */
export declare function errorFrom(body: unknown, response: Response, status: number | null): SvcError;
/** An answer that the contract doesn't know. */
export declare function unexpected(message: string, response: Response, body?: unknown): SvcError;
export declare function parsed(text: string, response: Response): unknown;
