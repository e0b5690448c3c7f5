// A client that goes in every way that clients go: at once or after a while, with an end or a reset, after it stalled or read in sips.
import { type ClientRequest, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import type { Duplex, Readable } from "node:stream";
import type { Form } from "./language-forms.ts";

export interface Leaving {
  /** Goes so many ms after it asked, or once so many bytes of the answer came, whichever is first. */
  afterMs: number;
  afterBytes: number;
  /** Reads nothing for so long before it reads on. */
  stallsMs: number;
  /** Reads so many bytes, then waits for a moment; 0: as they come. */
  sipBytes: number;
  reset: boolean;
}

export const leavings: fc.Arbitrary<Leaving> = fc.record({
  afterMs: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 250 }) }, { weight: 2, arbitrary: fc.constant(60_000) }),
  afterBytes: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 6_000 }) }, { weight: 1, arbitrary: fc.constant(Infinity) }),
  stallsMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 120 }) }),
  sipBytes: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 20, max: 400 }) }),
  reset: fc.boolean(),
});

/** Resolves when its connection is closed, by whichever side. */
export async function askAndLeave(
  url: string,
  key: string,
  id: string,
  form: Form,
  leaving: Leaving,
  more: Record<string, string> = {},
): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": form.type,
    "x-request-id": id,
    "anthropic-version": "2023-06-01",
    ...more,
  };
  const call = request(`${url}${form.path}`, { method: "POST", agent: false, headers });
  const closed = new Promise<void>((resolve) => call.once("close", resolve));
  call.on("error", () => undefined);
  const go = () => {
    if (leaving.reset) call.socket?.resetAndDestroy();
    call.destroy();
  };
  const timer = setTimeout(go, leaving.afterMs);
  call.once("response", (reply) => void readAndLeave(reply, leaving, go));
  call.end(form.body);
  await closed;
  clearTimeout(timer);
}

/** The same of a turn of a WebSocket, which is closed by a frame, without one, or after the turn's last event. */
export async function askTurnAndLeave(url: string, key: string, turn: object, leaving: Leaving): Promise<void> {
  const call = openWebSocket(url, key);
  const closed = Promise.withResolvers<void>();
  call.on("error", () => closed.resolve());
  let go = () => void call.destroy();
  const timer = setTimeout(() => go(), leaving.afterMs);
  call.once("upgrade", (_reply, socket) => {
    socket.once("close", closed.resolve).on("error", () => undefined);
    go = () => {
      if (leaving.reset) (socket as Duplex & { resetAndDestroy?(): void }).resetAndDestroy?.();
      else if (socket.writable) socket.end(closeFrame);
    };
    socket.write(textFrame(JSON.stringify({ type: "response.create", ...turn })));
    void readAndLeave(socket, leaving, go, /"type":"(response\.(completed|incomplete|failed)|error)"/);
  });
  call.end();
  await closed.promise;
  clearTimeout(timer);
}

/** Goes also once what came matches. */
async function readAndLeave(from: Readable, leaving: Leaving, go: () => void, end?: RegExp): Promise<void> {
  from.on("error", () => undefined);
  let bytes = 0;
  let tail = "";
  if (leaving.stallsMs > 0) await pause(leaving.stallsMs);
  const take = (piece: Buffer | null) => {
    bytes += piece?.length ?? 0;
    if (end !== undefined) tail = (tail + String(piece ?? "")).slice(-20_000);
    if (bytes >= leaving.afterBytes || end?.test(tail) === true) go();
  };
  if (leaving.sipBytes === 0) return void from.on("data", take);
  while (!from.destroyed && !from.readableEnded) {
    take((from.read(Math.min(leaving.sipBytes, from.readableLength)) as Buffer | null) ?? null);
    await pause(1);
  }
}

export function openWebSocket(url: string, key: string): ClientRequest {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
  };
  return request(`${url}/v1/responses`, { agent: false, headers: { authorization: `Bearer ${key}`, ...upgrade } });
}

const mask = Buffer.alloc(4); // of zeros: the text stays as it is
const closeFrame = Buffer.concat([Buffer.from([0x88, 0x80]), mask]);

export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255]);
  if (payload.length < 126) return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), mask, payload]);
  return Buffer.concat([head, mask, payload]);
}
