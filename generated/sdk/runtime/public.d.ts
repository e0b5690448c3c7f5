export type { Binary } from "./binary.js";
export type { Answer, Call, Result } from "./call.js";
export { type Client, type ClientOptions, createClient, type IdempotentOptions, type RequestOptions } from "./client.js";
export { costOf } from "./cost.js";
export { type AnyErrorCode, type ErrorFields, type JobFailure, type LocalError, type LocalErrorCode, type OperationError, SvcError, } from "./error.js";
export type { Bytes, Upload } from "./form.js";
export type { Pages } from "./pages.js";
export type { Stream } from "./stream.js";
export type { Succeeded, WaitOptions } from "./wait.js";
