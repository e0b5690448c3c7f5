// The targets of a run: each is started when a scenario first needs it, and those that take much memory end with their scenario.
import type { Ground } from "./ground.ts";
import { LeftOut, type Running, type StartOptions, type Target } from "./targets/types.ts";

export interface Fleet {
  /** Running; those that can't be had are missing, and that was printed. */
  of(names: string[]): Promise<Running[]>;
  /** One of its own for a scenario that needs it new, or made otherwise; the scenario stops it. */
  fresh(name: string, options?: Partial<StartOptions>): Promise<Running | null>;
  running(): Running[];
  stop(names: string[]): Promise<void>;
  leftOut: Map<string, string>;
}

export function openFleet(ground: Ground, targets: Target[], options: StartOptions): Fleet {
  const running = new Map<string, Running>();
  const leftOut = new Map<string, string>();
  const start = async (name: string, more: Partial<StartOptions> = {}): Promise<Running | null> => {
    const target = targets.find((one) => one.name === name);
    if (target === undefined) throw new Error(`no such target: ${name}`);
    if (leftOut.has(name)) return null;
    try {
      return await target.start(ground, { ...options, ...more });
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      leftOut.set(name, error.message);
      console.log(`${name} is left out: ${error.message}`);
      return null;
    }
  };
  return {
    async of(names) {
      const found: Running[] = [];
      for (const name of names) {
        const one = running.get(name) ?? (await start(name));
        if (one === null) continue;
        running.set(name, one);
        found.push(one);
      }
      return found;
    },
    fresh: start,
    running: () => [...running.values()],
    async stop(names) {
      for (const name of names) {
        await running.get(name)?.stop();
        running.delete(name);
      }
    },
    leftOut,
  };
}
