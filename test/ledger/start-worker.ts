// Starts race-worker.ts as a process of its own and reads what it prints.
import { createInterface } from "node:readline";
import type { Slot } from "../../src/ledger/reserve.ts";
import { startProgram } from "../support/bundle.ts";

export interface Calls {
  accountId: bigint;
  keyId?: bigint;
  slot?: Slot;
  count: number;
  cost: bigint;
  /** How long each is at its upstream, between reservation and charge; absent: not at all. */
  upstreamMs?: number;
}

/** As the worker reads them. */
export type SentCalls = Omit<Calls, "accountId" | "keyId" | "cost"> & {
  accountId: string;
  keyId?: string;
  cost: string;
  startLock: number;
};

export interface Counts {
  admitted: number;
  refused: number;
  broken: number;
}

/** An advisory lock: while it is held, workers get ready and wait. */
export const startLock = 4711;

export interface Worker {
  /** Its ledger is open; calls begin, unless a test holds `startLock`. */
  ready: Promise<void>;
  /** What it said at its end; rejects when it was killed. */
  counts: Promise<Counts>;
  /** Ids of the charges that it saw acknowledged so far. */
  acknowledged: string[];
  kill(): void;
  ended: Promise<void>;
}

export function startWorker(url: string, calls: Calls): Worker {
  const text = JSON.stringify({ ...calls, startLock }, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const child = startProgram("race-worker", [url, text]);
  const acknowledged: string[] = [];
  let counts: Counts | undefined;
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line === "ready") ready.resolve();
    else if (line.startsWith("{")) counts = JSON.parse(line) as Counts;
    else acknowledged.push(line);
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const finished = ended.then(() => counts ?? Promise.reject(new Error("the worker ended without its counts")));
  finished.catch(() => undefined); // a killed worker has none, and its test doesn't ask
  return { ready: ready.promise, counts: finished, acknowledged, kill: () => void child.kill("SIGKILL"), ended };
}
