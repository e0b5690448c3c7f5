import { SvcError } from "./error.js";
export declare function errorOf(response: Response): Promise<SvcError>;
/** `status` null: an error inside a stream. */
export declare function errorFrom(body: unknown, { headers, status: httpStatus }: Response, status: number | null): SvcError;
