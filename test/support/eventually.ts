// Waits until something holds, also outside a test, where Vitest has no expect.poll.
import { vi } from "vitest";

/** What `met` returns once it throws no more; its last error after 100 s, just before the test's own limit: only one that hangs comes to it. */
export function eventually<T>(met: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(met, { timeout: 100_000, interval });
}
