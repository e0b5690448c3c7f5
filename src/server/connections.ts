// Every open socket and the exchanges on it: what a shutdown has to wait for, and what a parser error interrupts.
import type { Socket } from "node:net";
import type { Exchange } from "./edge.ts";

export interface Connections {
  opened: (socket: Socket) => void;
  began: (exchange: Exchange) => void;
  ended: (exchange: Exchange) => void;
  exchangesOn: (socket: Socket) => readonly Exchange[];
  exchanges: () => readonly Exchange[];
  /** Ends every connection on which nothing is being answered, one that has only connected too, and each other once it is idle. */
  closeIdle: () => void;
}

export function trackConnections(): Connections {
  const open = new Map<Socket, Set<Exchange>>();
  let ending = false;
  const endIdle = () => {
    for (const [socket, exchanges] of open) if (exchanges.size === 0 && !socket.writableEnded) socket.destroySoon();
  };
  return {
    opened(socket) {
      open.set(socket, new Set());
      socket.once("close", () => open.delete(socket));
    },
    began: (exchange) => void open.get(exchange.req.socket)?.add(exchange),
    ended(exchange) {
      open.get(exchange.req.socket)?.delete(exchange);
      if (ending) endIdle();
    },
    exchangesOn: (socket) => [...(open.get(socket) ?? [])],
    exchanges: () => [...open.values()].flatMap((onSocket) => [...onSocket]),
    closeIdle() {
      ending = true;
      endIdle();
    },
  };
}
