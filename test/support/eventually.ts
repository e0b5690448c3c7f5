// Waits until something holds, also outside a test, where Vitest has no expect.poll.
import { vi } from "vitest";

/** What `met` returns once it throws no more; its last error just before the test's own limit of 10 minutes: only one that hangs comes to it. */
export function eventually<T>(met: () => T | Promise<T>, interval = 50): Promise<T> {
  return vi.waitFor(met, { timeout: 550_000, interval });
}

/** The deadline only ends a test that would otherwise hang. What takes seconds is looked for less often: a look may be an audit. */
export async function until(holds: () => boolean | Promise<boolean>, what = "what is waited for", deadlineMs = 300_000): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    const waited = performance.now() - startedAt;
    if (waited > deadlineMs) throw new Error(`did not come to be: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waited < 2_000 ? 10 : 100));
  }
}
