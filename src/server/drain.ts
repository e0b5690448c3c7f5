// A body that is still arriving when its request has already been answered (401, 413, …): it is read and thrown away for
// a while, because closing a socket with unread bytes sends a reset that destroys the answer on its way to the client.
import type { IncomingMessage } from "node:http";
import type { EdgeLimits } from "./edge.ts";

/** Resolves with true once the body has ended, with false when the client left or was given up. */
export function drain(req: IncomingMessage, limits: Pick<EdgeLimits, "drainBytes" | "drainMs">): Promise<boolean> {
  if (req.complete && req.readableEnded) return Promise.resolve(true);
  return new Promise((resolve) => {
    let bytes = 0;
    const stop = (ended: boolean) => {
      clearTimeout(deadline);
      req.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      resolve(ended);
    };
    const deadline = setTimeout(() => stop(false), limits.drainMs);
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.drainBytes) stop(false);
    };
    const onEnd = () => stop(true);
    const onClose = () => stop(false);
    req.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
    req.resume();
  });
}
