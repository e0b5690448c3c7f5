// What a gateway that is a process of its own says of itself: resident memory by proc(5), and figures of /metrics.
import { readFileSync, writeFileSync } from "node:fs";
import type { SpawnedGateway } from "../support/gateway.ts";

export interface Watched {
  /** Resident bytes: now, and at their highest since the last `forgetPeak`. */
  now(): number;
  peak(): number;
  forgetPeak(): void;
  /** The figure's sum over its labels. */
  figure(name: string): Promise<number>;
}

export function watch({ pid, url }: SpawnedGateway): Watched {
  const resident = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
  return {
    now: () => resident("VmRSS"),
    peak: () => resident("VmHWM"),
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, "5"),
    async figure(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const found = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
      if (found.length === 0) throw new Error(`no figure ${name}`);
      return found.reduce((sum, [, value]) => sum + Number(value), 0);
    },
  };
}
