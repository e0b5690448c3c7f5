// Shuts a server down (docs/behaviour/operation.md#shutdown): takes no new connections, closes idle ones at once, lets requests in
// flight finish within the grace time, then tells their clients and cuts them. A second call changes nothing; `hasten` cuts the grace
// time short.
import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { Connections } from "./connections.ts";
import type { Edge } from "./edge.ts";
import type { WebSockets } from "./websocket.ts";

export interface Shutdown {
  /**
   * Resolves when every connection has ended. `keepsIdle`: another process goes on serving the port. The last answer on an idle connection
   * has promised its client how long it stays open; until then it takes one more request, whose answer says `connection: close`. Closing
   * sooner would break a request that is on its way, and a proxy must not send a POST twice.
   */
  close(graceMs: number, keepsIdle?: boolean): Promise<void>;
  /** Hastens a shutdown that has begun: idle connections close now, and requests in flight have at most so long. */
  hasten(graceMs: number): void;
}

/** Time for the error record of a stream, and its settlement. */
const farewellMs = 2_000;

export function createShutdown(edge: Edge, server: Server, connections: Connections, webSockets: WebSockets): Shutdown {
  let closed: Promise<void> | null = null;
  let cutAt = Infinity;
  let cut: NodeJS.Timeout | undefined;
  /** Ends the wait for calls whose clients have disconnected. */
  const late = Promise.withResolvers<void>();

  const cutWithin = (graceMs: number) => {
    const at = performance.now() + graceMs;
    if (at >= cutAt) return;
    cutAt = at;
    clearTimeout(cut);
    cut = setTimeout(() => {
      edge.context.log.warn("requests still open at the end of the grace time are aborted");
      for (const exchange of [...connections.exchanges(), ...edge.abandoned.all()]) exchange.giveUp();
      cut = setTimeout(() => {
        server.closeAllConnections();
        webSockets.cut();
        late.resolve();
      }, farewellMs);
    }, graceMs);
  };
  const endIdle = () => {
    edge.closing = true;
    connections.closeIdle();
  };

  return {
    close(graceMs, keepsIdle = false) {
      if (closed !== null) return closed;
      const { promise, resolve } = Promise.withResolvers<void>();
      closed = promise;
      edge.isLast = connections.isNewest;
      cutWithin(graceMs);
      webSockets.drain();
      // Not the HTTP server's own close: that ends idle connections at once.
      NetServer.prototype.close.call(server, () => {
        void Promise.race([edge.abandoned.none(), late.promise]).then(() => {
          cutAt = -Infinity;
          clearTimeout(cut);
          server.close(); // ends its search for slow requests, a timer
          void edge.bigJson.close().then(resolve);
        });
      });
      if (!keepsIdle) endIdle();
      return closed;
    },
    hasten(graceMs) {
      cutWithin(graceMs);
      endIdle();
    },
  };
}
