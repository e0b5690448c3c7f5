// The runtime's exports for users and for types.d.ts.
export type { Binary } from "./binary.ts";
export type { Answer, Call, Result } from "./call.ts";
export { type Client, type ClientOptions, createClient, type IdempotentOptions, type RequestOptions } from "./client.ts";
export { costOf } from "./cost.ts";
export {
  type AnyErrorCode,
  type ErrorFields,
  type JobFailure,
  type LocalError,
  type LocalErrorCode,
  type OperationError,
  SvcError,
} from "./error.ts";
export type { Bytes, Upload } from "./form.ts";
export type { Pages } from "./pages.ts";
export type { Stream } from "./stream.ts";
export { type KeySet, type ReceiptProofLike, type VerifiedReceipt, verifyReceipt } from "./verify-receipt.ts";
export type { Succeeded, WaitOptions } from "./wait.ts";
