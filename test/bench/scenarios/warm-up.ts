// A server is measured as it runs all day: compiled, not compiling. That takes requests, not time: a slow machine answers few in any time.
import { runSlice, type Shape, type Unit } from "../measure.ts";
import type { Running } from "../targets/types.ts";
import { chat } from "./shapes.ts";
import type { Bench } from "./types.ts";

const connections = 64;
const sliceMs = 5_000;
/** LiteLLM answers 30 a second, and has nothing to compile. */
const longestMs = 45_000;

const warm = new WeakSet<Running>();

/** Chats on a target that had none yet, so many for each of its workers; then the scenario's own requests. */
export async function warmUp(
  { ground, options }: Bench,
  target: Running,
  make: (ms: number) => Shape,
  { unit = "request", workers = 1 }: { unit?: Unit; workers?: number } = {},
): Promise<void> {
  if (!warm.has(target)) {
    warm.add(target);
    const ms = Math.min(sliceMs, options.sliceMs * 2);
    const until = performance.now() + longestMs;
    for (let left = options.warmUpRequests * workers; left > 0 && performance.now() < until;)
      left -= (await runSlice(ground, target, [chat({ connections, loop: { kind: "closed", ms } })], "request")).requests;
  }
  await runSlice(ground, target, [make(options.sliceMs)], unit);
}
