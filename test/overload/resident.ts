// What a gateway that is a process of its own says of itself: resident memory, and figures of /metrics.
import { forgetPeak, memoryOf } from "../bench/processes.ts";
import type { SpawnedGateway } from "../support/gateway.ts";

export interface Watched {
  /** Resident bytes: now, and at their highest since the last `forgetPeak`. */
  now(): number;
  peak(): number;
  forgetPeak(): void;
  /** The figure's sum over its labels. */
  figure(name: string): Promise<number>;
}

const megabyte = 1024 * 1024;

export function watch({ pid, url }: SpawnedGateway): Watched {
  return {
    now: () => memoryOf(pid).now * megabyte,
    peak: () => memoryOf(pid).peak * megabyte,
    forgetPeak: () => forgetPeak(pid),
    async figure(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const found = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
      if (found.length === 0) throw new Error(`no figure ${name}`);
      return found.reduce((sum, [, value]) => sum + Number(value), 0);
    },
  };
}
