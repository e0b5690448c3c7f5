// Reads the bytes of a request body, after authentication: bounded by length, by time and by the total of all requests.
// parse-json.ts parses them; reply.ts drains a body that was refused.
import { onSilence, type Silence } from "../clock.ts";
import { fail } from "../errors/fail.ts";
import { countTransferred } from "../transfer-garbage.ts";
import type { Edge, Exchange } from "./edge.ts";

const empty = Buffer.alloc(0);

export function hasBody(exchange: Exchange): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = exchange.req.headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/** True where the client waits for "100 Continue" before it sends its body. */
export function awaitsContinue(exchange: Exchange): boolean {
  return /^100-continue$/i.test(exchange.req.headers.expect ?? "");
}

/** At most `max` bytes. */
export function readBody(edge: Edge, exchange: Exchange, max: number): Promise<Buffer> | Buffer {
  if (!hasBody(exchange)) return empty;
  // Checks the announced length first, so that a body that is too large is refused before it is sent.
  if (Number(exchange.req.headers["content-length"] ?? 0) > max) failTooLarge(max);
  if (!edge.bodies.fits(exchange.holder, Number(exchange.req.headers["content-length"] ?? 1))) fail("overloaded");
  if (awaitsContinue(exchange)) exchange.res.writeContinue();
  return collect(edge, exchange, max);
}

/** The bound for all bodies allows for a text and a value of each that take several times its bytes, as in real requests. */
const valuePerByte = 4;

/** A value that takes more counts against the bound as well: one of empty objects takes twenty times its bytes until it is answered. */
export function holdValue(edge: Edge, exchange: Exchange, heapBytes: number): void {
  const more = heapBytes - valuePerByte * exchange.bodyBytes;
  if (more <= 0 || exchange.gone) return; // closed: its call ends before it reaches a provider
  if (!edge.bodies.take(exchange.holder, more)) fail("overloaded");
  exchange.bodyBytes += more;
}

/** An answer that waits for its client takes over the room of its request's body, plus what it needs beyond. False: there is too little. */
export function holdAnswer(edge: Edge, exchange: Exchange, bytes: number): boolean {
  const more = bytes - exchange.bodyBytes;
  if (more <= 0) return true;
  if (!edge.bodies.take(exchange.holder, more)) return false;
  exchange.bodyBytes = bytes;
  return true;
}

/** A body with fewer bytes than this in `bodyIdleMs` counts as stalled: half a kilobyte a second. */
const leastBytes = 16_384;

/** Reports received bytes: enough of them end the silence `idle`. */
export function keepPatience(idle: Silence): (bytes: number) => void {
  let behind = 0;
  return (bytes) => {
    behind += bytes;
    if (behind < leastBytes) return;
    behind = 0;
    idle.heard();
  };
}

function collect(edge: Edge, exchange: Exchange, max: number): Promise<Buffer> {
  const { req } = exchange;
  return new Promise((resolve, reject) => {
    const { "content-length": announced } = req.headers;
    const gathered = openGatherer(announced === undefined ? null : Number(announced), max);
    // upload_timeout (408) is reserved and never sent, so a stalled body ends with the connection.
    const idle = onSilence(edge.limits.bodyIdleMs, () => req.destroy());
    const came = keepPatience(idle);
    const stop = () => {
      idle.stop();
      req.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
    };
    const settle = (action: () => void) => {
      stop();
      action();
    };
    const onData = (chunk: Buffer) => {
      came(chunk.length);
      const tooLarge = gathered.length() + chunk.length > max;
      if (!tooLarge) gathered.add(chunk);
      const more = gathered.held() - exchange.bodyBytes;
      if (!tooLarge && edge.bodies.take(exchange.holder, more)) {
        exchange.bodyBytes += more;
        return;
      }
      req.pause();
      settle(() => attempt(reject, () => (tooLarge ? failTooLarge(max) : fail("overloaded"))));
    };
    const onEnd = () => settle(() => resolve(gathered.whole()));
    const onClose = () => {
      // The response's own "close" comes a little later; nothing may be answered or reported in between.
      exchange.gone = true;
      settle(() => reject(new Error("the client disconnected before its body was complete")));
    };
    if (req.destroyed) return onClose();
    req.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  });
}

/** `max` in bytes; `param`: the field that is too large, where it isn't the whole body. */
export function failTooLarge(max: number, param: string | null = null): never {
  const kilobytes = max / 1024;
  const limit = kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
  return fail("request_too_large", { param, text: { reason: `at most ${limit} are taken${param === null ? "" : ` as ${param}`}` } });
}

function attempt(reject: (error: unknown) => void, failing: () => never): void {
  try {
    failing();
  } catch (error) {
    reject(error);
  }
}

// Joins a body's chunks into one buffer. A big body is assembled while it arrives: a copy at its end would block other requests, and
// take as much memory again.

interface Gatherer {
  add(chunk: Buffer): void;
  /** Bytes received. */
  length(): number;
  /** Bytes of memory reserved for them, including expected ones once there is room for them. */
  held(): number;
  whole(): Buffer;
}

/** From this size on there is a buffer for the whole body: announcing a big body takes no memory until this much of it has arrived. */
const roomFrom = 262_144;

/** `expected`: the announced length, null where there is none; `max` is never exceeded. */
function openGatherer(expected: number | null, max: number): Gatherer {
  const chunks: Buffer[] = [];
  let length = 0;
  let room: Buffer | null = null;

  function grow(needed: number): Buffer {
    const grown = Buffer.from(new ArrayBuffer(Math.min(max, Math.max(needed, expected ?? 2 * needed))));
    let at = 0;
    for (const part of room === null ? chunks.splice(0) : [room.subarray(0, length)]) at += part.copy(grown, at);
    return grown;
  }

  return {
    add(chunk) {
      const needed = length + chunk.length;
      if (needed < roomFrom) chunks.push(chunk);
      else {
        if (room === null || needed > room.length) room = grow(needed);
        chunk.copy(room, length);
        countTransferred(chunk.length);
      }
      length = needed;
    },
    length: () => length,
    held: () => room?.length ?? length,
    whole: () => room?.subarray(0, length) ?? (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
  };
}
