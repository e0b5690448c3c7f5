// The end of a server (OPERATOR.md "Start"): no new connections, idle ones closed at once, what is in flight finishes
// within the grace time and is then told so and cut. Asking again changes nothing.
import type { Server } from "node:http";
import type { Connections } from "./connections.ts";
import type { Edge } from "./edge.ts";

/** For the record that says a stream broke, and its settlement. */
const farewellMs = 2_000;

export function createShutdown(edge: Edge, server: Server, connections: Connections): (graceMs: number) => Promise<void> {
  let closed: Promise<void> | null = null;
  return (graceMs) => (closed ??= shutDown(edge, server, connections, graceMs));
}

function shutDown(edge: Edge, server: Server, connections: Connections, graceMs: number): Promise<void> {
  edge.closing = true;
  return new Promise((resolve) => {
    let cut = setTimeout(() => {
      edge.context.log.warn("requests still open at the end of the grace time are given up");
      for (const exchange of connections.exchanges()) exchange.giveUp();
      cut = setTimeout(() => server.closeAllConnections(), farewellMs);
    }, graceMs);
    server.close(() => {
      clearTimeout(cut);
      void edge.bigJson.close().then(resolve);
    });
    connections.closeIdle();
  });
}
