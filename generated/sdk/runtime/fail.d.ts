import { SvcError } from "./error.js";
export declare function errorOf(response: Response): Promise<SvcError>;
/** `status` null: an error inside a stream. */
export declare function errorFrom(body: unknown, response: Response, status: number | null): SvcError;
/** An answer that the contract doesn't know. */
export declare function unexpected(message: string, { headers, status: httpStatus }: Response, body?: unknown): SvcError;
export declare function parsed(text: string, response: Response): unknown;
