// Limits the client connections of this process, so that descriptors are left for upstreams, the database and files.
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Logger } from "pino";

/** An idle connection takes some 10 KB; a process on one core can't serve more than these. */
const connectionsMax = 16_384;
/** The strictest usual hard limit, for systems that don't say theirs. */
const descriptorsUsual = 4_096;
/** One log line counts the refusals of this long, which come by the thousand. */
const reportEveryMs = 10_000;

/** Half of the descriptors: an upstream call takes another one beside its client's. */
export function connectionLimit(descriptors = readDescriptorLimit()): number {
  return Math.min(connectionsMax, Math.floor(descriptors / 2));
}

/** What the process may raise its own limit to, as Node does when it starts; only Linux says it cheaply. */
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
  // In a cluster a refused one would else be handed from worker to worker; Node's types don't know that word yet.
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
