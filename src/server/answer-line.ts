// Answers a request that comes from a batch as its endpoint would, without a connection: the key's rules, the load of this process, fields, handler,
// errors in the operation's envelope.
import { operations } from "../../generated/operations.ts";
import { assertNotExpired, assertOperationAllowed } from "../accounts/key-policy.ts";
import { type Ask, tagsOf } from "../calls/ask.ts";
import { failSuspended } from "../accounts/users.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { rowAt } from "../errors/text.ts";
import type { Handler, Handlers, LineReply, LineRequest, Reply, Request } from "../operation.ts";
import { bigBytes, readBigBytes } from "./big-json.ts";
import type { Edge } from "./edge.ts";
import { type JsonContent, readJson } from "./parse-json.ts";
import { renderError } from "./render-error.ts";
import { plannedError } from "./send-error.ts";

const jsonHeaders = { "content-type": "application/json" };

export async function answerLine(edge: Edge, handlers: Handlers, request: LineRequest): Promise<LineReply> {
  const { accountId } = request.caller;
  const held = request.body.length;
  let atWork = false;
  let isHeld = false;
  try {
    if (!(atWork = edge.work.take(accountId, 1)) || !(isHeld = edge.bodies.take(accountId, held))) fail("overloaded");
    const reply = await handle(edge, handlers, request);
    return { status: reply.status, body: textOf(reply), code: null, retryable: false, retryAfterMs: null };
  } catch (thrown) {
    return refused(edge, request, thrown);
  } finally {
    if (atWork) edge.work.giveBack(accountId, 1);
    if (isHeld) edge.bodies.giveBack(accountId, held);
  }
}

async function handle(edge: Edge, handlers: Handlers, request: LineRequest): Promise<Reply> {
  const { caller, requestId, stopping } = request;
  const { context } = edge;
  const operation = operations[request.operation];
  if (caller.suspended) failSuspended();
  if (caller.policy !== null) {
    assertNotExpired(caller.policy, context.clock().getTime());
    assertOperationAllowed(caller.policy, operation.id);
  }
  if (request.body.length > operation.bodyMax) fail("request_too_large");
  const { bytes, text, value } = await read(edge, request);
  if ((value as { stream?: unknown }).stream === true) failParameter("stream", "a batch answers whole");
  const receivedAt = context.clock();
  const ask: Ask = {
    ...{ operationId: operation.id, caller, requestId, receivedAt, since: performance.now(), signal: stopping, stopping: () => stopping },
    tags: tagsOf(operation.id, value),
    isBatch: true,
    addHeaders: () => undefined,
  };
  const headers = { ...jsonHeaders, "idempotency-key": request.idempotencyKey };
  const asked = { caller, requestId, receivedAt, path: {}, query: {}, headers, body: value, form: null, rawBody: bytes, text, address: "" };
  return await (handlers[operation.id] as Handler)(context, asked as unknown as Request, ask);
}

/** As of a connection: big ones in the thread. */
async function read(
  edge: Edge,
  { operation: id, body, stopping, caller }: LineRequest,
): Promise<Pick<JsonContent, "bytes" | "text" | "value">> {
  const { bodies } = operations[id];
  if (body.length < bigBytes) return readJson({ id, bodies }, jsonHeaders, body, () => undefined);
  return readBigBytes(
    edge,
    { operation: { id, bodies }, headers: jsonHeaders, bytes: body as Uint8Array<ArrayBuffer> },
    { signal: stopping, holder: caller.accountId },
  );
}

function textOf(reply: Reply): string {
  if ("bytes" in reply && reply.bytes !== undefined) return reply.bytes.toString();
  if ("stream" in reply || "coded" in reply) throw new Error("a batch's line was answered by a stream");
  return JSON.stringify((reply as { body?: unknown }).body ?? null);
}

function refused(edge: Edge, { operation: id, requestId }: LineRequest, thrown: unknown): LineReply {
  const { code, details } = plannedError(edge, thrown, { requestId, operation: id });
  const { dialect, errors } = operations[id];
  if (!errors.includes(code)) edge.onUndeclared(id, code);
  const { status, body } = renderError(code, details, { dialect, requestId, publicUrl: edge.publicUrl });
  const { retryable } = rowAt(code, status);
  return { status, body: JSON.stringify(body), code, retryable, retryAfterMs: details.windowMs ?? details.retryAfterMs ?? null };
}
