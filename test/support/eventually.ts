// Waits until something holds, also outside a test, where Vitest has no expect.poll.
import { vi } from "vitest";

/** What `met` returns once it throws no more; its last error just before the test's own limit of 10 minutes: only one that hangs comes to it. */
export function eventually<T>(met: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(met, { timeout: 550_000, interval });
}
