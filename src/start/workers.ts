// The worker processes of `svc start`, as the first process sees them: it forks them, replaces a crashed one, replaces all of
// them one after another (a rolling restart), and ends them. Each serves the same port; node:cluster hands out connections in turn.
//
// Not SO_REUSEPORT: Linux resets the connections that wait at a listener which closes, so every restart would fail some, and it
// spreads connections by a hash, not in turn. Handing a connection over costs something, but only once per connection.
import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { keepWorkersFigures } from "../telemetry/worker-figures.ts";

/** What a worker gets in a message: an environment variable holds at most 128 KB. */
export interface Ground {
  databaseUrl: string;
  simulatorUrl: string | null;
  /** Read by the first process, so that all workers charge the same prices until the next rolling restart. */
  catalogText: string;
}

export type WorkerMessage = { ground: Ground } | "stop" | "retire";

export interface Workers {
  url: string;
  /** Begins a rolling restart; if one is running, another follows. */
  roll(): void;
  stop(): Promise<void>;
}

interface WorkersOptions {
  count: number;
  ground: Ground;
  /** For a rolling restart; throws if the catalog file is wrong. */
  readGround: () => Ground;
  log: Logger;
}

/** A worker that keeps failing must not cause a loop of forks. */
const restartPauseMs = 1_000;
/** Longer than any real answer: a rolling restart interrupts none. */
export const retireGraceMs = 600_000;
/** Twice what a start or a graceful end may take; then a hanging worker is killed. */
const timeoutMs = 90_000;

interface Member {
  ground: Ground;
  isReady: boolean;
  /** It was told to end, so it is not replaced. */
  isLeaving: boolean;
  ready: Promise<string>;
  ended: Promise<void>;
}

/** The worker processes: forked, told to end, and replaced if they end by themselves. */
function openCrew({ count, ground, log }: Pick<WorkersOptions, "count" | "ground" | "log">) {
  const members = new Map<Worker, Member>();
  const state = {
    /** With which a worker has started: for those that replace a crash. */
    current: ground,
    serving: false,
    stopping: false,
  };

  const fork = (given: Ground): Member => {
    const worker = cluster.fork();
    const ready = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    const member: Member = { ground: given, isReady: false, isLeaving: false, ready: ready.promise, ended: ended.promise };
    members.set(worker, member);
    const killTimer = setTimeout(() => worker.process.kill("SIGKILL"), timeoutMs);
    worker.on("message", (url: unknown) => {
      if (typeof url !== "string") return; // figures
      clearTimeout(killTimer);
      member.isReady = true;
      ready.resolve(url);
    });
    worker.once("exit", (code, signal) => {
      clearTimeout(killTimer);
      members.delete(worker);
      ended.resolve();
      ready.reject(new Error("a worker could not start")); // the worker has printed the reason on standard error
      if (!member.isReady || member.isLeaving || !state.serving || state.stopping) return;
      log.error({ pid: worker.process.pid, code, signal }, "a worker ended and is replaced");
      void replace();
    });
    ready.promise.catch(() => undefined);
    tell(worker, { ground: given });
    return member;
  };
  const staying = () => [...members.values()].filter(({ isLeaving }) => !isLeaving).length;
  /** Not if there are enough: a worker that a rolling restart has started may have replaced it. */
  const replace = async () => {
    for (let done = false; !done;) {
      await sleep(restartPauseMs);
      if (state.stopping || staying() >= count) return;
      done = await fork(state.current).ready.then(
        () => true,
        () => false,
      );
    }
  };
  const dismiss = (worker: Worker, member: Member, message: "stop" | "retire") => {
    member.isLeaving = true;
    tell(worker, message);
    const killTimer = setTimeout(() => worker.process.kill("SIGKILL"), timeoutMs + (message === "retire" ? retireGraceMs : 0));
    return member.ended.finally(() => clearTimeout(killTimer));
  };
  return { members, state, fork, replace, dismiss, hasTooMany: () => staying() > count };
}

/** Replaces every worker in turn by one with the current catalog; if it can't be read or a worker can't start, nothing changes. */
async function rollOnce(crew: ReturnType<typeof openCrew>, { readGround, log }: Pick<WorkersOptions, "readGround" | "log">): Promise<void> {
  const { members, state } = crew;
  let next: Ground;
  try {
    next = readGround();
  } catch (error) {
    return log.error(`rolling restart refused, the workers keep running unchanged: ${(error as Error).message}`);
  }
  const before = state.current;
  log.info("rolling restart begins");
  for (;;) {
    const old = [...members].find(([, member]) => member.ground !== next && !member.isLeaving);
    if (state.stopping) return;
    // Where all have crashed none is old, and yet one must start before the others' places are taken with its ground.
    if (old === undefined && state.current === next) break;
    try {
      await crew.fork(next).ready;
      state.current = next;
    } catch {
      if (state.stopping) return;
      if (![...members.values()].some((member) => member.ground === next && member.isReady)) state.current = before;
      log.error("rolling restart stopped: a new worker could not start; the remaining workers keep running unchanged");
      return void crew.replace(); // it may have replaced a crashed one
    }
    // The new worker replaces any worker that crashed meanwhile, this or another one.
    if (!state.stopping && old !== undefined && crew.hasTooMany()) await crew.dismiss(...old, "retire");
  }
  log.info("rolling restart done");
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const crew = openCrew(options);
  const { members, state } = crew;
  let asked = false;
  let rolling: Promise<void> | null = null;
  const rollAll = async () => {
    while (asked && !state.stopping) {
      asked = false;
      await rollOnce(crew, options);
    }
  };

  keepWorkersFigures();
  const first = Array.from({ length: options.count }, () => crew.fork(state.current));
  const [url] = await Promise.all(first.map(({ ready }) => ready)).catch((error: unknown) => {
    state.stopping = true;
    for (const worker of members.keys()) worker.process.kill("SIGKILL"); // none has served a request yet
    throw error;
  });
  state.serving = true;
  return {
    url: url as string,
    roll() {
      asked = true;
      rolling ??= rollAll().finally(() => (rolling = null));
    },
    async stop() {
      state.stopping = true;
      await Promise.all([...members].map((each) => crew.dismiss(...each, "stop")));
      await rolling;
    },
  };
}

/** A worker that has just ended can't be notified, and needn't be. */
function tell(worker: Worker, message: WorkerMessage): void {
  worker.send(message, () => undefined);
}
