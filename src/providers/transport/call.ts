// One upstream call over undici's dispatch, Node's cheapest way to make one (docs/behaviour/operation.md#performance). Owns the call's
// deadline, its abort and the return of its slot; http.ts owns the pools.
import { subscribe } from "node:diagnostics_channel";
import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Dispatcher, Pool } from "undici";
import { alreadyGone, type Slots } from "../../concurrency/slots.ts";
import { type Failure, socketFailure, UpstreamError } from "../errors/upstream-error.ts";
import { type BodyFeed, openBody } from "./body.ts";
import { targetOf } from "./target.ts";
import type { StreamedBody, UpstreamAnswer, UpstreamLimits, UpstreamRequest } from "./types.ts";

/** `request.path` is the whole path on the pool's origin, query included. */
export function startCall(pool: Pool, slots: Slots, request: UpstreamRequest, limits: UpstreamLimits, whenAnswered: Answered): void {
  const call = openCall(request, limits, whenAnswered);
  const leave = slots.take(() => {
    call.leaveQueue = alreadyGone;
    call.sends();
    pool.dispatch(dispatchOptions(request, openBodyOf(request, call), limits), handlerOf(call, slots, request));
  }, request.account);
  if (leave === false) call.stop(new UpstreamError("local_overload", "too many calls wait for this provider"));
  else if (!call.over && call.controller === null) call.leaveQueue = leave;
}

/** One of them is called, once. */
interface Answered {
  resolve(answer: UpstreamAnswer): void;
  reject(reason: unknown): void;
}

/** A call from its start to its one end; only `stop` and `finish` end it. */
interface OpenCall {
  controller: Dispatcher.DispatchController | null;
  over: boolean;
  /** A streamed body that is being sent. */
  sent: Readable | null;
  feed: BodyFeed;
  leaveQueue: () => void;
  /** The call's socket, from its first byte on. */
  socket: Socket | null;
  /** Set once the host was told to stop: its closing is then no fault. */
  closedFor: { reason: unknown; readOn: NodeJS.Timeout } | null;
  /** The request goes onto a socket. */
  starts(): void;
  /** The call waits no longer: the host's timeout starts now. */
  sends(): void;
  answer(status: number, headers: IncomingHttpHeaders): void;
  /** The first reason wins: undici's error after our own abort is only its echo. */
  stop(reason: unknown): void;
  finish(): void;
}

function openCall(request: UpstreamRequest, { recordMs, streamMs }: UpstreamLimits, { resolve, reject }: Answered): OpenCall {
  const { signal, disconnect } = request;
  const firstByteMs = firstByteOf(request);
  let sending = false;
  let answered = false;
  const control = {
    pause: () => call.controller?.pause(),
    resume: () => call.controller?.resume(),
    stop: (reason: unknown) => call.stop(reason),
  };
  const feed = openBody(control, { recordMs: Math.max(recordMs, firstByteMs), streamMs });
  const late = () => (!sending ? noSocket(firstByteMs) : noAnswer(firstByteMs, call.controller !== null));
  const deadline = setTimeout(() => call.stop(late()), firstByteMs);
  const onAbort = () => call.stop(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const onStopUpstream = () => closeOurSide(call, disconnect?.stopUpstream.reason);
  disconnect?.stopUpstream.addEventListener("abort", onStopUpstream, { once: true });
  const call: OpenCall = {
    controller: null,
    over: false,
    sent: null,
    feed,
    leaveQueue: alreadyGone,
    socket: null,
    closedFor: null,
    starts: () => disconnect?.onSent(),
    sends() {
      sending = true;
      deadline.refresh();
    },
    answer(status, headers) {
      clearTimeout(deadline);
      answered = true;
      resolve({ status, headers, body: feed.body });
    },
    stop(reason) {
      if (call.over) return;
      call.finish();
      call.leaveQueue();
      if (answered) feed.fail(reason);
      else reject(reason);
      // Before the request is on a socket there is no controller yet; onRequestStart then aborts it.
      call.controller?.abort(new Error("stopped by the gateway"));
      call.sent?.destroy();
    },
    finish() {
      call.over = true;
      clearTimeout(deadline);
      clearTimeout(call.closedFor?.readOn); // it would keep the whole call
      signal.removeEventListener("abort", onAbort);
      disconnect?.stopUpstream.removeEventListener("abort", onStopUpstream);
    },
  };
  return call;
}

/** How long a host is read that doesn't close its side when we close ours. */
const readOnMs = 2_000;

/**
 * Closes only our side of the socket: hosts take that for a client that is gone and close theirs. What they generated until then still
 * arrives and is counted; a reset would lose it, and they bill it.
 */
function closeOurSide(call: OpenCall, reason: unknown): void {
  const isUploading = call.sent !== null && !call.sent.readableEnded; // a host would answer half a request with an error of its own
  if (call.socket === null || isUploading) return call.stop(reason);
  call.socket.end();
  call.closedFor = { reason, readOn: setTimeout(() => call.stop(reason), readOnMs).unref() };
}

/** undici tells the socket of a request only here, right after the request's onRequestStart. */
let starting: OpenCall | null = null;
subscribe("undici:client:sendHeaders", (message) => {
  if (starting !== null) starting.socket = (message as { socket: Socket }).socket;
  starting = null;
});

/** What hosts take at the least, nginx by default: a smaller body is not too large for one. */
const largeBody = 1_048_576;

/** A slot returns when undici is done with the request, so that what undici holds stays bounded too. Keeps no reference to the request. */
function handlerOf(call: OpenCall, slots: Slots, { account, body }: UpstreamRequest): Dispatcher.DispatchHandler {
  const isLarge = body !== null && body.length >= largeBody;
  let answered = false;
  return {
    onRequestStart(controller) {
      call.controller = controller;
      starting = call.over ? null : call;
      if (call.over) controller.abort(new Error("stopped by the gateway"));
      else call.starts();
    },
    onResponseStart(_controller, status, headers) {
      answered ||= status >= 200;
      if (status >= 200 && !call.over) call.answer(status, headers); // below 200 the answer is still to come
    },
    onResponseData(_controller, chunk) {
      // After a pause the parser may deliver an empty chunk: a reader that waits for it would pause it again, for ever.
      if (!call.over && chunk.length > 0) call.feed.push(chunk);
    },
    onResponseEnd() {
      slots.release(account);
      call.sent?.destroy(); // answered before the whole body was sent
      if (call.closedFor !== null) call.socket?.destroy(); // nothing more can be sent on it
      if (call.over) return;
      call.finish();
      call.feed.end();
    },
    onResponseError(_controller, error) {
      slots.release(account);
      call.stop(call.closedFor?.reason ?? connectionFault(error, isLarge && !answered));
    },
  };
}

/** A body that can't be read is our own fault, not the upstream's. */
function openBodyOf({ body }: UpstreamRequest, call: OpenCall): string | Buffer | Readable | null {
  if (!isStreamed(body)) return body;
  call.sent = body.open();
  call.sent.on("error", (cause) => call.stop(new Error("The request's body can't be read.", { cause })));
  return call.sent;
}

function dispatchOptions(
  request: UpstreamRequest,
  body: string | Buffer | Readable | null,
  limits: UpstreamLimits,
): Dispatcher.DispatchOptions {
  const headers = [
    ...targetOf(request.provider).headers,
    "accept",
    request.accept,
    "x-request-id",
    request.requestId,
    ...(request.headers ?? []),
  ];
  if (request.body !== null) headers.push("content-type", request.contentType);
  if (isStreamed(request.body)) headers.push("content-length", String(request.body.length));
  return {
    method: request.method,
    path: request.path,
    headers,
    body,
    bodyTimeout: Math.max(limits.idleMs, firstByteOf(request)), // see idleMs; undici doesn't count while we pause it
  };
}

function isStreamed(body: UpstreamRequest["body"]): body is StreamedBody {
  return body !== null && typeof body === "object" && "open" in body;
}

function firstByteOf({ provider, firstByteMs = 0 }: UpstreamRequest): number {
  return Math.max(provider.timeoutMs, firstByteMs);
}

function noAnswer(timeoutMs: number, isConnected: boolean): UpstreamError {
  const reason = `no answer within ${timeoutMs} ms`;
  const failure: Failure = isConnected
    ? { cause: "timeout_first_byte", detail: reason }
    : { cause: "timeout_connect", detail: `no connection within ${timeoutMs} ms` };
  return new UpstreamError("unavailable", reason, { job: { code: "provider_timeout", word: null }, failure });
}

/** The host never saw the call: too many of our own, mostly one account's, were waiting. */
function noSocket(timeoutMs: number): UpstreamError {
  return new UpstreamError("local_overload", `no socket of this provider was free within ${timeoutMs} ms`);
}

/** Repeats only the error's code: its message may quote a header. `isUpload`: of a large body, and without an answer. */
function connectionFault(error: Error, isUpload: boolean): UpstreamError {
  const code = (error as { code?: unknown }).code;
  const word = typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : error.name;
  if (word === "UND_ERR_INVALID_ARG") return new UpstreamError("our_fault", "the provider's path or headers can't be sent");
  const failure = socketFailure(error);
  if (word === "UND_ERR_BODY_TIMEOUT") return new UpstreamError("unavailable", "the answer stopped arriving", { failure });
  const cutUpload = isUpload && failure.cause === "connection_reset";
  return new UpstreamError("unavailable", `the connection failed (${word})`, { failure, cutUpload });
}
