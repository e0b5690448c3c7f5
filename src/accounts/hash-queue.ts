// A fair queue for slow work that strangers may trigger, such as hashing passwords: so many run at once, the others wait in turn by their
// subject, so that a flood about one subject, or about subjects that don't exist, can't starve the rest. Knows nothing of passwords.
import { setTimeout as sleep } from "node:timers/promises";
import { fail } from "../errors/fail.ts";
import { mayHold } from "../concurrency/fair-quota.ts";

export interface Asker {
  /** The subject, e.g. an email address. Subjects take turns, each within a fair quota of the queue. Absent: no quota, e.g. in a test. */
  about?: string;
  /** Succeeded here before, or holds a proof: waits in a separate queue. */
  known?: boolean;
  /** For an account that doesn't exist; the timing must not reveal that. */
  ghost?: boolean;
}

export interface HashQueue {
  /** Fails with 503 overloaded where the queue is full. Undefined, for ghosts only: the usual time has passed without the work. */
  run<T>(work: () => Promise<T>, asker: Asker): Promise<T | undefined>;
}

interface Waiter {
  ghost: boolean;
  start(hasSlot: boolean): void;
}

interface WaitingList {
  /** Without ghosts, which take no space in the queue. */
  waiting: number;
  /** In the order of service; never empty. */
  queues: Map<string, Waiter[]>;
}

const newWaitingList = (): WaitingList => ({ waiting: 0, queues: new Map() });

/** `places` bounds each of the two queues. */
export function openHashQueue(runningMax: number, places: number): HashQueue {
  let running = 0;
  const known = newWaitingList();
  const others = newWaitingList();
  let lists = [known, others];
  /** How long the work last took. */
  let lastMs = 0;

  function shift(list: WaitingList): Waiter | undefined {
    for (const [about, queue] of list.queues) {
      const waiter = queue.shift()!;
      list.queues.delete(about);
      if (queue.length > 0) list.queues.set(about, queue); // behind the other subjects
      if (!waiter.ghost) list.waiting -= 1;
      return waiter;
    }
    return undefined;
  }

  function next(): void {
    while (running < runningMax) {
      const waiter = shift(lists[0]!) ?? shift(lists[1]!);
      if (waiter === undefined) return;
      lists = lists.toReversed(); // the two lists alternate, so that neither starves
      if (!waiter.ghost) running += 1;
      waiter.start(!waiter.ghost);
    }
  }

  /** Whether there is a slot, now or once it is this caller's turn. */
  async function take({ about, known: isKnown = false, ghost = false }: Asker): Promise<boolean> {
    if (running < runningMax && known.queues.size + others.queues.size === 0) {
      running += 1;
      return true; // ghosts as well, since no other caller has to wait
    }
    const list = isKnown ? known : others;
    const queue = list.queues.get(about ?? "") ?? [];
    // Ghosts are refused like others, except that they count other ghosts: else a refusal would reveal them.
    const free = places - list.waiting - (ghost ? queue.length : 0);
    if (about === undefined ? free < 1 : !mayHold(queue.length, 1, free)) fail("overloaded");
    if (!ghost) list.waiting += 1;
    return new Promise<boolean>((start) => {
      queue.push({ ghost, start });
      list.queues.set(about ?? "", queue);
    });
  }

  return {
    async run(work, asker) {
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
