// Turns at something scarce that strangers may ask for: so many run, the others wait in turn by what they ask about, so that no flood about one
// thing or about things that don't exist keeps out the rest. Knows nothing of passwords.
import { setTimeout as sleep } from "node:timers/promises";
import { fail } from "../errors/fail.ts";
import { mayHold } from "../concurrency/fair-quota.ts";

export interface Asker {
  /** What is asked about; each is served in turn, within its share of the places. Absent: without a share, e.g. in a test. */
  about?: string;
  /** Has asked here before and was right, or holds a proof: waits in a lane of its own. */
  known?: boolean;
  /** Of work for an account that doesn't exist: its time must not tell it from other work. */
  ghost?: boolean;
}

export interface Turns {
  /** Fails with 503 overloaded where there is no place. Undefined, for a ghost alone: the time that the work takes has passed, without it. */
  inTurn<T>(work: () => Promise<T>, asker: Asker): Promise<T | undefined>;
}

interface Waiter {
  ghost: boolean;
  start(hasSlot: boolean): void;
}

interface Lane {
  /** Without ghosts: they take no one's place. */
  waiting: number;
  /** In the order of turns, and never empty. */
  queues: Map<string, Waiter[]>;
}

const newLane = (): Lane => ({ waiting: 0, queues: new Map() });

/** `places`: of each lane. */
export function openTurns(runningMax: number, places: number): Turns {
  let running = 0;
  const known = newLane();
  const others = newLane();
  let lanes = [known, others];
  /** How long the work took the last time. */
  let lastMs = 0;

  function shift(lane: Lane): Waiter | undefined {
    for (const [about, queue] of lane.queues) {
      const waiter = queue.shift()!;
      lane.queues.delete(about);
      if (queue.length > 0) lane.queues.set(about, queue); // at the end of the turns
      if (!waiter.ghost) lane.waiting -= 1;
      return waiter;
    }
    return undefined;
  }

  function next(): void {
    while (running < runningMax) {
      const waiter = shift(lanes[0]!) ?? shift(lanes[1]!);
      if (waiter === undefined) return;
      lanes = lanes.toReversed(); // one lane after the other, so that neither shuts out the other
      if (!waiter.ghost) running += 1;
      waiter.start(!waiter.ghost);
    }
  }

  /** Whether there is a slot, now or when its turn comes. */
  async function take({ about, known: isKnown = false, ghost = false }: Asker): Promise<boolean> {
    if (running < runningMax && known.queues.size + others.queues.size === 0) {
      running += 1;
      return true; // a ghost as well: it keeps no one waiting
    }
    const lane = isKnown ? known : others;
    const queue = lane.queues.get(about ?? "") ?? [];
    // As if it were no ghost, but for other ghosts: else what is refused would tell.
    const free = places - lane.waiting - (ghost ? queue.length : 0);
    if (about === undefined ? free < 1 : !mayHold(queue.length, 1, free)) fail("overloaded");
    if (!ghost) lane.waiting += 1;
    return new Promise<boolean>((start) => {
      queue.push({ ghost, start });
      lane.queues.set(about ?? "", queue);
    });
  }

  return {
    async inTurn(work, asker) {
      if (!(await take(asker))) return void (await sleep(lastMs));
      const begun = performance.now();
      try {
        return await work();
      } finally {
        lastMs = performance.now() - begun;
        running -= 1;
        next();
      }
    },
  };
}
