// /metrics with several workers: the worker that answers shows the whole machine. The first process collects all workers' metrics and keeps
// the counts of ended workers, because Prometheus takes a falling sum for a restart and would count it twice.
import cluster, { type Worker } from "node:cluster";
import { type Gathering, sumOf } from "./metrics.ts";
import type { Figures } from "./plain-metric.ts";

type Message = { svc: "figures" } & (
  | { ask: number } // a worker, of the first process
  | { collect: number } // the first process, of every worker
  | { collected: number; figures: Figures[] }
  | { gathered: number; processes: Figures[][] }
  | { last: Figures[] } // a worker that ends
);

/** A hanging worker must not delay the scrape: its last metrics are used. */
const collectMs = 1_000;
/** After that the first process counts as gone, and the worker answers with its own metrics. */
const gatherMs = 3_000;

/** In the first process, before it forks. */
export function keepWorkersFigures(): void {
  const known = new Map<number, Figures[]>();
  const waiting = new Map<number, (worker: number) => void>();
  let ended: Figures[] = [];
  let folding = Promise.resolve();
  let asked = 0;

  const collect = async () => {
    const round = ++asked;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
    const missing = new Set(workers.map(({ id }) => id));
    const all = Promise.withResolvers<void>();
    const timer = setTimeout(all.resolve, collectMs);
    waiting.set(round, (worker) => {
      missing.delete(worker);
      if (missing.size === 0) all.resolve();
    });
    for (const worker of workers) tell(worker, { svc: "figures", collect: round });
    await all.promise;
    clearTimeout(timer);
    waiting.delete(round);
    return [ended, ...known.values()];
  };
  cluster.on("message", (worker, message: unknown) => {
    if (!isOurs(message)) return;
    if ("ask" in message)
      void collect().then(
        (processes) => tell(worker, { svc: "figures", gathered: message.ask, processes }),
        () => undefined,
      );
    if ("last" in message) known.set(worker.id, message.last);
    if ("collected" in message) {
      known.set(worker.id, message.figures);
      waiting.get(message.collected)?.(worker.id);
    }
  });
  const fold = async (id: number) => {
    const last = (known.get(id) ?? []).filter(({ type }) => type !== "gauge");
    const sums = await sumOf([ended, last]).getMetricsAsJSON();
    ended = sums as unknown as Figures[];
    known.delete(id);
  };
  cluster.on("exit", ({ id }) => {
    for (const done of waiting.values()) done(id);
    folding = folding.then(() => fold(id)); // one after another: each adds to the sums of the one before
  });
}

/** In a worker. */
export function joinWorkers(): Gathering {
  const waiting = new Map<number, (processes: Figures[][]) => void>();
  let asked = 0;
  let own: () => Promise<Figures[]> = async () => [];
  const reply = async (collect: number) => tell(process, { svc: "figures", collected: collect, figures: await own() });
  process.on("message", (message: unknown) => {
    if (!isOurs(message)) return;
    if ("collect" in message) void reply(message.collect);
    if ("gathered" in message) waiting.get(message.gathered)?.(message.processes);
  });
  return {
    offer: (figures) => void (own = figures),
    async gather() {
      const id = ++asked;
      const answer = Promise.withResolvers<Figures[][]>();
      waiting.set(id, answer.resolve);
      const timer = setTimeout(() => void own().then((alone) => answer.resolve([alone])), gatherMs);
      tell(process, { svc: "figures", ask: id });
      const processes = await answer.promise;
      clearTimeout(timer);
      waiting.delete(id);
      return processes;
    },
    async handOver() {
      const last = await own();
      await new Promise<void>((resolve) => tell(process, { svc: "figures", last }, resolve));
    },
  };
}

/** A worker that has just ended can't be reached, and needn't be. */
function tell(to: Worker | NodeJS.Process, message: Message, done: () => void = () => undefined): void {
  if (to.send === undefined) done();
  else (to.send as (message: Message, done: () => void) => void).call(to, message, done);
}

function isOurs(message: unknown): message is Message {
  return typeof message === "object" && message !== null && (message as { svc?: unknown }).svc === "figures";
}
