// Looks at something that may be slow or away, for readers that must not wait: one look at a time, not before its turn, given up after a while.

export interface Look {
  /** Begins a look where one is due and waits for it, `patienceMs` at most. Never rejects. */
  refresh(): Promise<void>;
  /** Whether the last look that ended, or should have, succeeded. */
  works(): boolean;
}

export interface LookTimes {
  everyMs: number;
  patienceMs: number;
}

export function keepLooking({ everyMs, patienceMs }: LookTimes, look: () => Promise<void>, onFault: (error: unknown) => void): Look {
  let running: Promise<void> | null = null;
  let begunAt = -Infinity;
  let worked = false;
  const begin = () => {
    begunAt = performance.now();
    const run: Promise<void> = look().then(
      () => void (worked = true),
      (error: unknown) => {
        worked = false;
        onFault(error);
      },
    );
    return run.finally(() => (running = null));
  };
  return {
    async refresh() {
      if (running === null && performance.now() - begunAt < everyMs) return;
      running ??= begin();
      const late = Promise.withResolvers<void>();
      const giveUp = () => {
        worked = false;
        late.resolve();
      };
      const timer = setTimeout(giveUp, Math.max(0, begunAt + patienceMs - performance.now()));
      await Promise.race([running, late.promise]);
      clearTimeout(timer);
    },
    works: () => worked,
  };
}
