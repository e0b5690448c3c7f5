// What the edge hands to a handler and what it takes back. Types only.
import type { operations } from "../generated/api.d.ts";
import type { OperationId } from "../generated/operations.ts";
import type { Caller } from "./accounts/caller.ts";
import type { Context } from "./context.ts";
import type { JsonText } from "./providers/json/text.ts";

/** A request after routing, authentication and validation; plain values, no HTTP objects. */
export interface Request<Id extends OperationId = OperationId> {
  operationId: Id;
  requestId: string;
  /** When the request arrived: the only time that its handler may use. */
  receivedAt: Date;
  /** The same moment as performance.now() counts, for durations. */
  since: number;
  /** Absent on operations without authentication. */
  caller: Caller;
  path: PathOf<Id>;
  query: QueryOf<Id>;
  /** Lower-cased names. */
  headers: Record<string, string | undefined>;
  /** Undefined where the body was a form. */
  body: JsonBodyOf<Id>;
  /** Null where the body was JSON, or absent. */
  form: FormOf<Id> | null;
  /** The body's bytes as they came. */
  rawBody: Buffer;
  /** The JSON body as it came, to be forwarded. */
  text: JsonText;
  /** The client's IP address: that of its connection, or what the trusted proxies report. */
  address: string;
  /** Fires when the client disconnects. */
  signal: AbortSignal;
  /** Adds headers to the reply of this request, also to a refusal. */
  addHeaders: (headers: Headers) => void;
}

/** A multipart form. */
export interface FormBody<Fields> {
  /** Typed and validated like JSON; fields that were left empty are absent. */
  fields: Fields;
  file: FormFile;
}

/** A form's file, on disk until the request is answered. Its kind is not checked yet. */
export interface FormFile {
  path: string;
  bytes: number;
}

/** The receiver of a stream. */
export interface Sink {
  /** Returns a promise when the client is slow: await it before writing on. */
  write(chunk: string | Uint8Array): void | Promise<void>;
}

export type Headers = Record<string, string>;

export type Reply<Id extends OperationId = OperationId> =
  | JsonReply<Id>
  /** Bytes made before, e.g. a precomputed list. `headers` must hold content-type. */
  | { status: number; headers: Headers; bytes: Buffer }
  /** The same in the encoding that the client accepts, which the edge negotiates. Only what is sent is made. */
  | { status: number; headers: Headers; coded: { plain: Buffer; gzip: () => Promise<Buffer> } }
  /** The head goes out at once; the reply ends when the promise settles. */
  | { status: number; headers: Headers; stream: (sink: Sink) => Promise<void> };

/** Only a status and a body that the contract declares for the operation compile. */
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
  (context: Context, request: Request<Id>): Promise<Reply<Id>> | Reply<Id>;
  /** Refuses right after authentication and the rate limit, whatever the body (docs/behaviour/requests.md#order). */
  beforeBody?: (context: Context, address: string) => void;
  /** Refuses a form's file once it has arrived, before the fields are validated. */
  checkFile?: (context: Context, file: FormFile) => Promise<void>;
}

/** A missing handler is a type error. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

type PathOf<Id extends OperationId> = operations[Id]["parameters"] extends { path: infer Path } ? Path : Record<never, never>;
type QueryOf<Id extends OperationId> = operations[Id]["parameters"] extends { query?: infer Query }
  ? NonNullable<Query>
  : Record<never, never>;
type FormOf<Id extends OperationId> = operations[Id] extends { requestBody?: { content: { "multipart/form-data": infer Sent } } }
  ? FormBody<Omit<Sent, "file">>
  : never;
type JsonBodyOf<Id extends OperationId> = operations[Id] extends { requestBody?: { content: { "application/json": infer Body } } }
  ? Body
  : undefined;
