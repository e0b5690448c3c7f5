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
