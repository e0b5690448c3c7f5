// The wall clock of a process that a test starts: Date says another time there, as on a machine whose clock is wrong or is set while it runs.
// performance.now() goes on as it was, as the kernel's monotonic clock does.
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

export interface ShiftedClock {
  /** For the process's environment. */
  env: Record<string, string>;
  /** From now on (a moment later) it is so many milliseconds ahead. */
  shift(ms: number): void;
}

const preload = (path: string) => `
  import { readFileSync } from "node:fs";
  const Real = Date;
  let ahead = Number(readFileSync(${JSON.stringify(path)}, "utf8"));
  setInterval(() => (ahead = Number(readFileSync(${JSON.stringify(path)}, "utf8"))), 20).unref();
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + ahead);
      else super(...given);
    }
    static now() {
      return Real.now() + ahead;
    }
  };`;

export function shiftedClock(ms = 0): ShiftedClock {
  const path = join(mkdtempSync(join(inject("runFolder"), "clock-")), "ahead");
  writeFileSync(path, String(ms));
  return {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload(path))}` },
    shift(ahead) {
      writeFileSync(`${path}.new`, String(ahead));
      renameSync(`${path}.new`, path); // never half written
    },
  };
}
