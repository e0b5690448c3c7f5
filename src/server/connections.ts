// Tracks every open socket and the exchanges on it: for shutdown, for parser errors, and to bound their number. Where connections
// become scarce, the one that has been idle longest is closed to make room for the next.
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import type { Exchange } from "./edge.ts";

export interface Connections {
  opened: (socket: Socket) => void;
  /** False: its connection has sent too many at once and is cut. */
  began: (exchange: Exchange) => boolean;
  ended: (exchange: Exchange) => void;
  /** It became something else, such as a WebSocket, which ends by itself. */
  upgraded: (socket: Socket) => void;
  exchangesOn: (socket: Socket) => readonly Exchange[];
  exchanges: () => readonly Exchange[];
  /** True for the last request on its connection: ending the connection after its answer drops no other. */
  isNewest: (exchange: Exchange) => boolean;
  /** Ends every idle connection at once, also those that never sent a request, and each other one when it becomes idle. */
  closeIdle: () => void;
}

/** Requests that a connection may send before the first is answered: clients in use send one, a proxy or a test a few. */
const pipelinedMax = 64;

/** `max`: the server refuses whatever comes beyond it, so room is made a little below. */
export function trackConnections(max: number): Connections {
  const open = new Map<Socket, Set<Exchange>>();
  let ending = false;
  // A set keeps its order: the connection that has been idle longest stands first.
  const idle = new Set<Socket>();
  const comfortable = max - Math.ceil(max / 16);

  return {
    opened(socket) {
      const exchanges = new Set<Exchange>();
      open.set(socket, exchanges);
      idle.add(socket);
      socket.once("close", () => {
        // Node notifies only the response whose turn it is; those behind it would stay open forever.
        for (const { res } of exchanges) if (res.socket === null) res.emit("close");
        open.delete(socket);
        idle.delete(socket);
      });
      if (open.size > comfortable) makeRoom(idle, socket);
    },
    began(exchange) {
      const { socket } = exchange.req;
      const exchanges = open.get(socket);
      if (exchanges === undefined) return true;
      exchanges.add(exchange);
      idle.delete(socket);
      if (exchanges.size <= pipelinedMax) return true;
      socket.destroy(); // its parser continues to the end of what it has received
      return false;
    },
    ended(exchange) {
      const { socket } = exchange.req;
      const exchanges = open.get(socket);
      if (!exchanges?.delete(exchange) || exchanges.size > 0) return;
      if (ending) return socket.destroySoon();
      idle.add(socket);
      if (open.size > comfortable) makeRoom(idle, null);
    },
    upgraded: (socket) => void idle.delete(socket),
    exchangesOn: (socket) => [...(open.get(socket) ?? [])],
    exchanges: () => [...open.values()].flatMap((onSocket) => [...onSocket]),
    isNewest: (exchange) => [...(open.get(exchange.req.socket) ?? [])].at(-1) === exchange,
    closeIdle() {
      ending = true;
      for (const socket of idle) if (!socket.writableEnded) socket.destroySoon();
    },
  };
}

/** Closes one idle connection for each new one; never one that is being served, nor the new one. */
function makeRoom(idle: ReadonlySet<Socket>, newest: Socket | null): void {
  for (const socket of idle) {
    if (socket.writableEnded || socket.destroyed) continue;
    if (socket !== newest) socket.destroySoon();
    return;
  }
}

// Limits the client connections of this process, so that descriptors are left for upstreams, the database and files.

/** An idle connection takes some 10 KB; a process on one core can't serve more than these. */
const connectionsMax = 16_384;
/** The lowest usual hard limit, for systems that don't report theirs. */
const descriptorsUsual = 4_096;
/** The interval whose refusals one log line counts, since they may come by the thousand. */
const reportEveryMs = 10_000;

/** Half of the descriptors: an upstream call takes a second one. */
export function connectionLimit(descriptors = readDescriptorLimit()): number {
  return Math.min(connectionsMax, Math.floor(descriptors / 2));
}

/** The hard limit, to which Node raises its own when it starts; only Linux reports it cheaply. */
function readDescriptorLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === "unlimited" ? Infinity : Number(soft) || descriptorsUsual;
  } catch {
    return descriptorsUsual;
  }
}

/** Closes further connections at once, before a byte of them is read. */
export function limitConnections(server: Server, max: number, log: Logger): void {
  // Otherwise a cluster would pass a refused connection from worker to worker; Node's types don't have this option yet.
  Object.assign(server, { maxConnections: max, dropMaxConnection: true });
  let dropped = 0;
  let reportAt = 0;
  server.on("drop", () => {
    dropped += 1;
    const now = performance.now();
    if (now < reportAt) return;
    log.warn({ dropped, max }, "connections were refused: too many are open");
    reportAt = now + reportEveryMs;
    dropped = 0;
  });
}
