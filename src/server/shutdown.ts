// The end of a server (OPERATOR.md "Start"): no new connections, idle ones closed at once, what is in flight finishes
// within the grace time and is then told so and cut. Asking again changes nothing.
import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { Connections } from "./connections.ts";
import type { Edge } from "./edge.ts";

/** For the record that says a stream broke, and its settlement. */
const farewellMs = 2_000;

export function createShutdown(edge: Edge, server: Server, connections: Connections): (graceMs: number, idleMs?: number) => Promise<void> {
  let closed: Promise<void> | null = null;
  return (graceMs, idleMs = 0) => (closed ??= shutDown(edge, server, connections, { graceMs, idleMs }));
}

/**
 * `idleMs`: where another process goes on serving, a request that is on its way over an idle connection is answered, with
 * `connection: close`; closing at once would break it, and a proxy must not send a POST twice.
 */
function shutDown(
  edge: Edge,
  server: Server,
  connections: Connections,
  { graceMs, idleMs }: Record<"graceMs" | "idleMs", number>,
): Promise<void> {
  edge.closing = true;
  return new Promise((resolve) => {
    let cut = setTimeout(() => {
      edge.context.log.warn("requests still open at the end of the grace time are given up");
      for (const exchange of connections.exchanges()) exchange.giveUp();
      cut = setTimeout(() => server.closeAllConnections(), farewellMs);
    }, graceMs);
    // Not the HTTP server's own close: that ends idle connections at once.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      void edge.bigJson.close().then(resolve);
    });
    if (idleMs === 0) connections.closeIdle();
    else setTimeout(() => connections.closeIdle(), idleMs);
  });
}
