// A timer of the host's own time: it stands still while the reader is waited for.

export interface HostTime {
  /** Stands still until `pending` settles. */
  pausedFor(pending: Promise<void>): void;
  stop(): void;
}

/** Calls `late` once after `ms` milliseconds of host time. */
export function openHostTime(ms: number, late: () => void): HostTime {
  let leftMs = ms;
  let since = performance.now();
  let timer = setTimeout(late, ms);
  let waitedFor = 0;
  let over = false;
  const goOn = () => {
    waitedFor -= 1;
    if (over || waitedFor > 0) return;
    since = performance.now();
    timer = setTimeout(late, leftMs);
  };
  return {
    pausedFor(pending) {
      waitedFor += 1;
      if (waitedFor === 1) {
        clearTimeout(timer);
        leftMs -= performance.now() - since;
      }
      pending.then(goOn, goOn);
    },
    stop() {
      over = true;
      clearTimeout(timer);
    },
  };
}
