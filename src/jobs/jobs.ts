// The job runner of this process.
import type { Jobs } from "./types.ts";

export function startJobs(): Jobs {
  return { ended: () => Promise.resolve(), runWaitMs: 25_000, stop: () => Promise.resolve() };
}
