// Waits until something holds, also outside a test, where Vitest has no expect.poll.
import { vi } from "vitest";

/** What `met` returns once it throws no more; its last error after 30 s, which only a test that hangs comes to. */
export function eventually<T>(met: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(met, { timeout: 30_000, interval });
}
