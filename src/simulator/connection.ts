// What sending does to a client's connection: waiting for it, cutting it, and slicing what is written.
// No timer and no listener is left when the client goes away.
import type { ServerResponse } from "node:http";
import type { OpenCall } from "./calls.ts";

/** Waits for milliseconds or for the socket to drain; false as soon as the client has gone. */
export function waitFor(response: ServerResponse, what: number | "drain"): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = typeof what === "number" ? setTimeout(() => finish(true), what) : null;
    const drained = () => finish(true);
    const left = () => finish(false);
    function finish(present: boolean): void {
      if (timer !== null) clearTimeout(timer);
      response.off("drain", drained).off("close", left);
      resolve(present);
    }
    if (timer === null) response.on("drain", drained);
    response.on("close", left);
  });
}

/** A reset without a byte of answer, as a crashing host or a firewall gives it. */
export function reset(call: OpenCall, response: ServerResponse): void {
  call.finish("broken");
  response.socket?.resetAndDestroy();
}

/**
 * Everything written so far arrives (a FIN, not a reset), then the connection is gone without the body's end.
 * A turn of the loop later, because node:http holds what was written in this one back from the socket.
 */
export function cut(call: OpenCall, response: ServerResponse): void {
  call.finish("broken");
  setImmediate(() => response.socket?.destroySoon());
}

/** Slices leave in turns of the event loop of their own, so that the reader meets each border. */
export async function writeSplit(response: ServerResponse, bytes: Buffer, sliceBytes: number): Promise<boolean> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (response.destroyed) return false;
    const flowing = response.write(bytes.subarray(at, at + sliceBytes)) || waitFor(response, "drain");
    if (!(await flowing)) return false;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
}
