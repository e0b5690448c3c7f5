// What the server passes to a handler and what the handler returns. Types only.
import type { operations } from "../generated/api.d.ts";
import type { ErrorCode } from "../generated/errors.ts";
import type { OperationId } from "../generated/operations.ts";
import type { Ask } from "./calls/ask.ts";
import type { Context } from "./context.ts";
import type { JsonText } from "./providers/json/splice.ts";

/**
 * What was sent, after routing, authentication and validation: plain values, no HTTP objects. It is free once its handler has returned,
 * however long the answer streams: what the stream needs is in `Ask`.
 */
export interface Request<Id extends OperationId = OperationId> extends Pick<Ask, "caller" | "requestId" | "receivedAt"> {
  path: PathOf<Id>;
  query: QueryOf<Id>;
  /** Lower-cased names. */
  headers: Record<string, string | undefined>;
  /** Undefined where the body was a form. */
  body: JsonBodyOf<Id>;
  /** Null: the body was JSON, or absent. */
  form: FormOf<Id> | null;
  /** The body's bytes as received. */
  rawBody: Buffer;
  /** The JSON body as received, for forwarding. */
  text: JsonText;
  /** The client's address, as text: of its connection, or from the trusted proxies' header. */
  address: string;
}

/** What a form held. */
export interface FormBody<Fields> {
  /** Typed and validated like JSON; a field that was left empty is absent. */
  fields: Fields;
  /** The first one. */
  file: FormFile;
  /** All, in the order received. */
  files: readonly FormFile[];
}

/** A form's file, on disk until the request is answered; its content is unchecked. */
export interface FormFile {
  /** The part, without the `[]` of one that may be repeated. */
  field: string;
  path: string;
  bytes: number;
  /** As the form calls it. */
  name: string;
}

/** The sink of a stream. */
export interface Sink {
  /** Returns a promise when the client is slow: await it before writing on. */
  write(chunk: string | Uint8Array): void | Promise<void>;
}

export type Headers = Record<string, string>;

export type Reply<Id extends OperationId = OperationId> =
  | JsonReply<Id>
  /** Prepared bytes, e.g. a precomputed list. `headers` must have content-type. */
  | { status: number; headers: Headers; bytes: Buffer }
  /** The same in a coding that the client accepts, chosen by the server. Only the one that is sent is computed. */
  | { status: number; headers: Headers; coded: { plain: Buffer; gzip: () => Promise<Buffer> } }
  /** The head goes out at once; the reply ends when the promise settles. */
  | { status: number; headers: Headers; stream: (sink: Sink) => Promise<void> };

/** Compiles only with a status and body that the contract declares for the operation. */
type JsonReply<Id extends OperationId> = Id extends OperationId
  ? {
      [Status in keyof operations[Id]["responses"] & number]: operations[Id]["responses"][Status] extends {
        content: { "application/json": infer Body };
      }
        ? { status: Status; headers?: Headers; body: Body }
        : { status: Status; headers?: Headers; body?: undefined };
    }[keyof operations[Id]["responses"] & number]
  : never;

export interface Handler<Id extends OperationId = OperationId> {
  (context: Context, request: Request<Id>, ask: Ask): Promise<Reply<Id>> | Reply<Id>;
  /** Refuses right after authentication and the request ceiling, whatever the body (docs/behaviour/requests.md#order). */
  beforeBody?: (context: Context, address: string) => void;
  /** Refuses a form's file, after it was received and before the fields are validated. */
  checkFile?: (context: Context, file: FormFile) => Promise<void>;
  /** Of quotes: the handler whose form it takes, whose refusals before the fields hold for it, too. */
  quoted?: (operation: OperationId) => Handler;
}

/** Every operation has one; a missing one is a type error. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

type PathOf<Id extends OperationId> = operations[Id]["parameters"] extends { path: infer Path } ? Path : Record<never, never>;
type QueryOf<Id extends OperationId> = operations[Id]["parameters"] extends { query?: infer Query }
  ? NonNullable<Query>
  : Record<never, never>;
type FormOf<Id extends OperationId> = operations[Id] extends { requestBody?: { content: { "multipart/form-data": infer Sent } } }
  ? FormBody<Omit<Sent, "file" | "image" | "mask">>
  : never;
type JsonBodyOf<Id extends OperationId> = operations[Id] extends { requestBody?: { content: { "application/json": infer Body } } }
  ? Body
  : undefined;

/** A request that comes from a batch instead of a connection. */
export interface LineRequest {
  operation: OperationId;
  caller: Ask["caller"];
  requestId: string;
  /** The JSON body. */
  body: Buffer;
  /** Under which it is carried out once. */
  idempotencyKey: string;
  /** Fires when the gateway has to stop. */
  stopping: AbortSignal;
}

export interface LineReply {
  status: number;
  /** JSON. */
  body: string;
  /** Null: it was answered. */
  code: ErrorCode | null;
  retryable: boolean;
  /** Null: no time is told. */
  retryAfterMs: number | null;
}
