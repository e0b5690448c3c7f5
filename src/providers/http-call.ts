// One upstream call over undici's dispatch, the cheapest way Node has (PERF.md: fetch costs ten times as much).
// Owns the call's deadline, its abort and the return of its slot; pools are http.ts's.
import type { Dispatcher, Pool } from "undici";
import { openBody } from "./answer-body.ts";
import type { UpstreamAnswer, UpstreamLimits, UpstreamRequest } from "./http.ts";
import type { Slots } from "./slots.ts";
import { targetOf } from "./target.ts";
import { UpstreamError } from "./types.ts";

export function startCall(pool: Pool, slots: Slots, request: UpstreamRequest, limits: UpstreamLimits): Promise<UpstreamAnswer> {
  const { signal, provider } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let over = false;
    let answered = false;
    let leaveQueue: () => void = () => undefined;
    const feed = openBody({ pause: () => controller?.pause(), resume: () => controller?.resume(), stop });
    const deadline = setTimeout(() => stop(noAnswer(provider.timeoutMs)), provider.timeoutMs);
    const onAbort = () => stop(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });

    function finish(): void {
      over = true;
      clearTimeout(deadline);
      signal.removeEventListener("abort", onAbort);
    }

    /** The first reason wins: what undici says after an abort of ours is only its echo. */
    function stop(reason: unknown): void {
      if (over) return;
      finish();
      leaveQueue();
      if (answered) feed.fail(reason);
      else reject(reason);
      // Before the request is on a socket there is no controller yet: onRequestStart then ends it.
      controller?.abort(new Error("stopped by the gateway"));
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given;
        if (over) given.abort(new Error("stopped by the gateway"));
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200 || over) return; // 1xx: the answer is still to come
        clearTimeout(deadline);
        answered = true;
        resolve({ status, headers, body: feed.body });
      },
      onResponseData(_controller, chunk) {
        if (!over) feed.push(chunk);
      },
      onResponseEnd() {
        slots.release();
        if (over) return;
        finish();
        feed.end();
      },
      onResponseError(_controller, error) {
        slots.release();
        stop(connectionFault(error));
      },
    };
    const leave = slots.take(() => {
      leaveQueue = () => undefined;
      pool.dispatch(dispatchOptions(request, limits), handler);
    });
    if (leave === false) stop(new UpstreamError("unavailable", "too many calls wait for this provider"));
    else if (!over) leaveQueue = leave;
  });
}

function dispatchOptions(request: UpstreamRequest, limits: UpstreamLimits): Dispatcher.DispatchOptions {
  const target = targetOf(request.provider);
  const headers = [...target.headers, "accept", request.accept, "x-request-id", request.requestId];
  if (request.body !== null) headers.push("content-type", request.contentType);
  return {
    method: request.method,
    path: target.path + request.path + target.query,
    headers,
    body: request.body,
    bodyTimeout: Math.max(limits.idleMs, request.provider.timeoutMs), // undici doesn't count while we paused it
  };
}

function noAnswer(timeoutMs: number): UpstreamError {
  return new UpstreamError("unavailable", `no answer within ${timeoutMs} ms`);
}

/** Only the error's code is repeated: a message may quote a header. */
function connectionFault(error: Error): UpstreamError {
  const code = (error as { code?: unknown }).code;
  const word = typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : error.name;
  if (word === "UND_ERR_INVALID_ARG") return new UpstreamError("our_fault", "the provider's path or headers can't be sent");
  if (word === "UND_ERR_BODY_TIMEOUT") return new UpstreamError("unavailable", "the answer stopped arriving");
  return new UpstreamError("unavailable", `the connection failed (${word})`);
}
