// The story of one request to a known operation, in the order that WIRE.md 14.1 fixes: authentication, rate, body, content
// type, JSON, fields, after a slow body authentication again; then the handler, whose reply is sent by reply.ts.
import { forms, parameters } from "../../generated/validators.js";
import type { Form, Operation, OperationId } from "../../generated/operations.ts";
import type { Caller } from "../context.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { bigBytes, readBigJson } from "./big-json.ts";
import type { Edge, Exchange } from "./edge.ts";
import { formFields } from "./form-fields.ts";
import { loggableModel } from "./log-request.ts";
import { rateLimiter } from "./limit-rate.ts";
import { failForm } from "./parse-form.ts";
import { holdValue, readBody } from "./read-body.ts";
import { readForm, takesForm } from "./read-form.ts";
import { readJson, type JsonContent } from "./read-json.ts";
import { parameterReader } from "./read-parameters.ts";
import { sendReply } from "./reply.ts";
import type { FormBody, FormFile, Handler, Headers, Request } from "./types.ts";

type RunOperation = (exchange: Exchange) => Promise<void>;

/** Prepares what doesn't depend on the request. */
export function operationRunner(edge: Edge, operation: Operation, handler: Handler): RunOperation {
  const { id } = operation;
  const readParameters = parameterReader(operation, parameters[id]);
  const limitRate = rateLimiter(operation);
  // What belongs to one account, its credentials above all, is kept by no cache, unless the handler says otherwise.
  const isPublic = operation.auth === "none" && operation.method === "get";

  const handle = async (exchange: Exchange, known: number, content: JsonContent, form: FormBody<unknown> | null) => {
    // Whoever signed out, was suspended or deleted the key while a slow body came in, ended this request too.
    if (performance.now() - known > knownMaxMs) await identify(edge, exchange, operation);
    return handler(edge.context, requestOf(exchange, id, readParameters(exchange), content, form));
  };
  // A function of its own, which is over before the reply is sent: what a stream waits in must not hold the request's body.
  const replyTo = async (exchange: Exchange, known: number) => handle(exchange, known, await readContent(edge, exchange, operation), null);

  return async (exchange) => {
    exchange.operation = operation;
    exchange.dialect = operation.dialect;
    if (!isPublic) exchange.headers["cache-control"] = "no-store";
    const known = await identify(edge, exchange, operation);
    // Once: what is taken of a share goes back to the same, whoever counts after a slow body.
    if (exchange.caller !== null) exchange.holder = exchange.caller.accountId;
    await limitRate(edge, exchange);
    admit(edge, exchange, operation);
    handler.beforeBody?.(edge.context, exchange.address);
    const { form } = operation;
    if (form === undefined || !takesForm(operation, exchange.req.headers)) return sendReply(edge, exchange, await replyTo(exchange, known));
    await withForm(edge, exchange, { operation, handler, form }, async (sent) =>
      sendReply(edge, exchange, await handle(exchange, known, noContent, sent)),
    );
  };
}

/** Who calls is asked again when the body took longer: a client may take minutes over one. */
const knownMaxMs = 500;

/** Returns when the caller's credential was looked at, on the clock that only goes forward. */
async function identify({ context }: Edge, exchange: Exchange, operation: Operation): Promise<number> {
  const askedAt = performance.now();
  if (operation.auth !== "none") exchange.caller = await authenticate(context.accounts, operation, exchange.req.headers);
  return askedAt;
}

const noContent: JsonContent = { bytes: Buffer.alloc(0), text: "", value: undefined, heapBytes: 0 };

/** Runs `work` with what a form says; its file is gone when that is over, however it ends. */
async function withForm(
  edge: Edge,
  exchange: Exchange,
  { operation, handler, form }: { operation: Operation; handler: Handler; form: Form },
  work: (sent: FormBody<unknown>) => Promise<void>,
): Promise<void> {
  try {
    await edge.context.media.withTempFile(async (path) => {
      const sent = await readForm(edge, exchange, form, path);
      if (sent.file !== null) await handler.checkFile?.(edge.context, sent.file);
      const fields = formFields(sent, form, forms[operation.id]);
      exchange.model = loggableModel(fields);
      // The validator has asked for the file.
      await work({ fields, file: sent.file as FormFile });
    });
  } finally {
    edge.files.giveBack(exchange.holder, exchange.fileBytes);
    exchange.fileBytes = 0;
  }
}

async function readContent(edge: Edge, exchange: Exchange, operation: Operation): Promise<JsonContent> {
  if (operation.bodies.length === 0) return noContent;
  const { headers } = exchange.req;
  const bytes = await readBody(edge, exchange, operation.bodyMax);
  if (bytes.length === 0 && !operation.bodyRequired) return noContent;
  if (!operation.bodies.includes("application/json")) failForm("the content-type must be multipart/form-data");
  const found = (model: string | null) => (exchange.model = model);
  const content =
    bytes.length < bigBytes ? readJson(operation, headers, bytes, found) : await readBigJson(edge, exchange, operation, bytes, found);
  holdValue(edge, exchange, content.heapBytes);
  return content;
}

function requestOf(
  exchange: Exchange,
  operationId: OperationId,
  { path, query }: { path: unknown; query: unknown },
  { value, bytes, text }: JsonContent,
  form: FormBody<unknown> | null,
): Request {
  const request = {
    operationId,
    requestId: exchange.requestId,
    receivedAt: exchange.receivedAt,
    since: exchange.since,
    // Absent on public operations, whose handlers never look at it.
    caller: exchange.caller as Caller,
    path,
    query,
    headers: exchange.req.headers,
    body: value,
    form,
    rawBody: bytes,
    text,
    address: exchange.address,
    addHeaders: (headers: Headers) => void Object.assign(exchange.headers, headers),
    signal: exchange.signal(),
  };
  return request as Request;
}
