// Work that this process does again and again, never beside itself.

/** `work` reports its own faults. `stop` waits for the run that is under way. The timer keeps no process alive. */
export function keepDoing(everyMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => (running ??= work().finally(() => (running = null))), everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

const lookEveryMs = 5_000;

export interface Following<Value> {
  /** Looks once more, after the look that is under way. Never rejects. */
  refresh(): Promise<void>;
  /** Hands over what is current. */
  serve(): void;
  /** From now on each change is handed to `take`, and looked for every few seconds. */
  serveWith(take: (value: Value) => void): void;
  close(): Promise<void>;
}

/** Follows what other processes may change: `look` reads it and calls `serve` after a change. One look at a time. */
export function followChanges<Value>(
  current: () => Value,
  look: (serve: () => void) => Promise<void>,
  onFault: (error: unknown) => void,
): Following<Value> {
  let taken: (value: Value) => void = () => undefined;
  let looking: ReturnType<typeof keepDoing> | undefined;
  let running = Promise.resolve();
  const serve = () => taken(current());
  const refresh = () => (running = running.then(() => look(serve)).catch(onFault));
  return {
    refresh,
    serve,
    serveWith(take) {
      taken = take;
      serve(); // it may have changed since this process began to start
      looking = keepDoing(lookEveryMs, refresh);
    },
    async close() {
      await looking?.stop();
    },
  };
}
