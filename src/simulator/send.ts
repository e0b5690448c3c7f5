// Sends a plan over a socket: delays, pace, back-pressure, and the faults that break an answer half way.
// Knows no protocol; stops at once, with no timer left, when the client goes away.
import type { ServerResponse } from "node:http";
import type { OpenCall } from "./calls.ts";
import { faultReply, renderStreamError } from "./faults.ts";
import type { Directives } from "./directive-list.ts";
import type { FileReply, HostBill, PiecesReply, Plan, SimulatorProtocol, StreamReply, WholeReply } from "./protocol.ts";

const streamHeaders = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };
const audioBill: HostBill = { input: 1, output: 0 };
/** One comment before every so many records: often enough to meet a parser's every state, seldom enough to read. */
const recordsPerComment = 3;

/** `directives` are the plan's, without its faults once a flaky model has recovered. */
export async function sendPlan(
  plan: Plan,
  directives: Directives,
  protocol: SimulatorProtocol,
  call: OpenCall,
  response: ServerResponse,
): Promise<void> {
  const { bill = audioBill } = plan;
  call.billed = { input: bill.input, output: bill.output, searches: bill.searches ?? 0 };
  if (directives.left !== undefined)
    watchDisconnect(response, () => endForDisconnect(directives.left!, directives, protocol, call, response));
  if (directives.slowMs && !(await waitFor(response, directives.slowMs))) return;
  // The client's own time-out ends a hanging call.
  if (directives.hang) return;
  if (directives.reset) {
    call.billed = null;
    return reset(call, response);
  }
  const { reply } = plan;
  const spoken = plan.rewordRefusal === undefined ? protocol : { ...protocol, rewordRefusal: plan.rewordRefusal };
  const fault = faultReply(directives, spoken, promiseOf(reply, directives, spoken));
  if (fault === null) plan.takeEffect?.();
  else call.billed = null;
  const sent = fault ?? reply;
  call.status = "status" in sent ? sent.status : 200;
  if (sent.kind === "file") await sendFile(sent, response);
  else if (sent.kind === "pieces") await sendPieces(sent, directives, call, response);
  else if (sent.kind === "stream") await sendStream(sent, directives, protocol, call, response, bill);
  else if (fault === null && isBroken(directives)) sendHalf(sent, directives, call, response);
  else response.writeHead(sent.status, sent.headers).end(sent.body);
}

/** Bytes in pieces meet sim-empty under their own content type; the half document in their place is one of an error. */
function promiseOf(reply: Plan["reply"], directives: Directives, protocol: SimulatorProtocol): { streaming: boolean; body: Buffer | null } {
  if (reply.kind === "pieces")
    return { streaming: directives.empty !== undefined, body: Buffer.from(renderStreamError(protocol, directives)) };
  return { streaming: reply.kind === "stream", body: reply.kind === "whole" ? reply.body : null };
}

function isBroken(directives: Directives): boolean {
  return (
    directives.cutAfter !== undefined ||
    directives.cutInside !== undefined ||
    directives.endAfter !== undefined ||
    directives.stallAfter !== undefined
  );
}

/** An answer that doesn't stream breaks after half its bytes, whatever the directive's number. */
function sendHalf(reply: WholeReply, directives: Directives, call: OpenCall, response: ServerResponse): void {
  const half = reply.body.subarray(0, Math.floor(reply.body.length / 2));
  if (directives.endAfter !== undefined) {
    response.writeHead(reply.status, { ...reply.headers, "content-length": String(half.length) }).end(half);
    return;
  }
  response.writeHead(reply.status, reply.headers);
  response.write(half);
  if (directives.cutAfter !== undefined || directives.cutInside !== undefined) cut(call, response);
}

/** Before node:http ends the connection. A connection that is kept for more calls keeps no listener of those that are over. */
function watchDisconnect(response: ServerResponse, left: () => void): void {
  const { socket } = response.req;
  socket.prependOnceListener("end", left);
  response.once("close", () => socket.off("end", left));
}

/** The answer to a client that has closed its side of the connection, and may still read. */
function endForDisconnect(
  status: number,
  directives: Directives,
  protocol: SimulatorProtocol,
  call: OpenCall,
  response: ServerResponse,
): void {
  if (response.writableEnded) return;
  call.finish("aborted");
  const error = renderStreamError(protocol, directives);
  if (!response.headersSent) return void response.writeHead(status).end(status < 400 ? "" : error);
  response.end(status < 400 ? "" : frameOf(protocol, error, "\n"));
}

/** A record as the protocol frames it: as server-sent events have it, unless it says otherwise. */
function frameOf({ eventName, frame }: SimulatorProtocol, data: string, lineEnd: string): string | Buffer {
  if (frame !== undefined) return frame(data);
  const name = eventName?.(data) ?? "";
  return `${name === "" ? "" : `event: ${name}${lineEnd}`}data: ${data}${lineEnd}${lineEnd}`;
}

async function sendFile({ status, headers, pieces }: FileReply, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  if (response.req.method === "HEAD") return void response.end();
  for (const piece of pieces()) {
    if (!(response.write(piece) || (await waitFor(response, "drain")))) return;
  }
  response.end();
}

async function sendStream(
  reply: StreamReply,
  directives: Directives,
  protocol: SimulatorProtocol,
  call: OpenCall,
  response: ServerResponse,
  { tokensIn = () => 0 }: HostBill,
): Promise<void> {
  response.writeHead(200, protocol.streamType === undefined ? streamHeaders : { "content-type": protocol.streamType });
  response.flushHeaders();
  if (directives.empty) return void response.end();
  const lineEnd = directives.crlf ? "\r\n" : "\n";
  const write = (data: string) => writeFrame(response, frameOf(protocol, data, lineEnd), directives);
  for (const data of records(reply, directives, protocol)) {
    if (call.records > 0 && directives.paceMs && !(await waitFor(response, directives.paceMs))) return;
    if (call.records === directives.cutAfter) return cut(call, response);
    if (call.records === directives.cutInside) return cutInside(frameOf(protocol, data, lineEnd), call, response);
    if (call.records === directives.stallAfter) return;
    if (call.records === directives.endAfter) return void response.end();
    if (isGone(response)) return;
    if (directives.comments && protocol.frame === undefined && call.records % recordsPerComment === 0)
      response.write(`: keep-alive${lineEnd}${lineEnd}`);
    const flowing = write(data);
    call.records += 1;
    // With sim-drop-stalled a record that wasn't taken was not generated.
    if (directives.dropStalledMs === undefined && call.billed !== null) call.billed.output += tokensIn(data);
    if (flowing !== true && !(await flowing)) return;
    if (directives.dropStalledMs !== undefined && call.billed !== null) call.billed.output += tokensIn(data);
  }
  const errorAt = errorPosition(directives);
  const failed = errorAt !== undefined && call.records > errorAt;
  if (reply.terminator !== null && !directives.noDone && !(failed && protocol.errorEndsStream)) await write(reply.terminator);
  response.end();
}

/** The reply's records with the directives' spoilt ones: an error in place of the rest, or a first record that isn't JSON. */
function* records(reply: StreamReply, directives: Directives, protocol: SimulatorProtocol): Iterable<string> {
  const errorAt = errorPosition(directives);
  let count = 0;
  for (const data of reply.records()) {
    if (count === errorAt) {
      yield renderStreamError(protocol, directives);
      return;
    }
    yield count === 0 && directives.badJson ? data.slice(0, Math.ceil(data.length / 2)) : data;
    count += 1;
  }
}

function errorPosition(directives: Directives): number | undefined {
  return directives.okError ? 0 : directives.errorAfter;
}

/** True, or a promise of whether the client is still there once the socket has taken what it was given. */
function writeFrame(response: ServerResponse, frame: string | Buffer, directives: Directives): true | Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false);
  if (directives.dropStalledMs !== undefined) return writeOrDrop(response, frame, directives.dropStalledMs);
  if (directives.splitBytes) return writeSplit(response, typeof frame === "string" ? Buffer.from(frame) : frame, directives.splitBytes);
  return response.write(frame) || waitFor(response, "drain");
}

// What sending does to a client's connection: waiting for it, cutting it, and slicing what is written.
// No timer and no listener is left when the client goes away.

/** Whether the client has closed the connection or its side of it. */
function isGone(response: ServerResponse): boolean {
  return response.destroyed || response.req.socket.readableEnded;
}

/**
 * True once the socket has taken it; a client that takes nothing for so long is dropped. A process that was kept from running calls its timers before
 * it looks at its sockets, so these are looked at once more.
 */
function writeOrDrop(response: ServerResponse, frame: string | Buffer, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    let taken = false;
    const drop = () => void (taken || response.destroy());
    const late = setTimeout(() => setImmediate(() => setImmediate(drop)), ms);
    response.write(frame, (error) => {
      taken = true;
      clearTimeout(late);
      resolve(error == null);
    });
  });
}

/** Waits for milliseconds or for the socket to drain; false as soon as the client has gone. */
function waitFor(response: ServerResponse, what: number | "drain"): Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false);
  const { socket } = response.req;
  return new Promise((resolve) => {
    const timer = typeof what === "number" ? setTimeout(() => finish(true), what) : null;
    const drained = () => finish(true);
    const left = () => finish(false);
    function finish(present: boolean): void {
      if (timer !== null) clearTimeout(timer);
      response.off("drain", drained).off("close", left);
      socket.off("end", left);
      resolve(present);
    }
    if (timer === null) response.on("drain", drained);
    response.on("close", left);
    socket.on("end", left);
  });
}

/** A reset without a byte of answer, as a crashing host or a firewall gives it. */
function reset(call: OpenCall, response: ServerResponse): void {
  call.finish("broken");
  response.socket?.resetAndDestroy();
}

/**
 * Everything written so far arrives (a FIN, not a reset), then the connection is gone without the body's end.
 * A turn of the loop later, because node:http holds what was written in this one back from the socket.
 */
function cut(call: OpenCall, response: ServerResponse): void {
  call.finish("broken");
  setImmediate(() => response.socket?.destroySoon());
}

/** The first half of a record, and no more. */
function cutInside(frame: string | Buffer, call: OpenCall, response: ServerResponse): void {
  response.write(frame.slice(0, Math.ceil(frame.length / 2)));
  cut(call, response);
}

/** Slices leave in turns of the event loop of their own, so that the reader meets each border. */
async function writeSplit(response: ServerResponse, bytes: Buffer, sliceBytes: number): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (isGone(response)) return false;
    const flowing = response.write(bytes.subarray(at, at + sliceBytes)) || waitFor(response, "drain");
    if (!(await flowing)) return false;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
}

// Sends an answer that is bytes and comes as they are made, as audio does: piece by piece, with the directives that streams of records have.

async function sendPieces(
  { headers, pieces }: PiecesReply,
  directives: Directives,
  call: OpenCall,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, headers);
  response.flushHeaders();
  if (directives.empty) return void response.end();
  for (const piece of pieces()) {
    if (call.records > 0 && directives.paceMs && !(await waitFor(response, directives.paceMs))) return;
    if (call.records === directives.cutAfter) return cut(call, response);
    if (call.records === directives.stallAfter) return;
    if (call.records === directives.endAfter) return void response.end();
    // One piece a turn of the event loop: it arrives as it would from a model that still speaks.
    const slice = directives.splitBytes ?? piece.length;
    if (
      !(await (directives.dropStalledMs === undefined
        ? writeSplit(response, piece, slice)
        : writeOrDrop(response, piece, directives.dropStalledMs)))
    )
      return;
    call.records += 1;
  }
  response.end();
}
