// Looks at a catalog's text in a thread, one after the other, so that no call waits for it.
import { Worker } from "node:worker_threads";
import { inSlot, openSlots } from "../concurrency/slots.ts";
import { ApiError } from "../errors/fail.ts";
import type { Comparison } from "./compare.ts";
import type { Checked } from "./load.ts";

export interface Look {
  wants: "check" | "text" | "diff" | "variables";
  text: string;
  /** Of the catalog in use; for diff. */
  current: string;
  /** For variables: the texts whose variables are known. */
  known?: readonly string[];
}

/** The largest file takes some seconds on a slow machine. */
const timeoutMs = 60_000;
const heapMb = 1024;
const waitingMax = 4;
const slots = openSlots(1, Infinity);

/** `text` null: it was not wanted. */
export function checkInThread(text: string, wantsText = false): Promise<Checked & { text: string | null }> {
  return look({ wants: wantsText ? "text" : "check", text, current: "" }) as Promise<Checked & { text: string | null }>;
}

export function compareInThread(current: string, text: string): Promise<Comparison> {
  return look({ wants: "diff", text, current }) as Promise<Comparison>;
}

/** Also the variables that it names and that none of the others does. */
export function checkVariablesInThread(text: string, known: readonly string[]): Promise<Checked & { unknown: string[] }> {
  return look({ wants: "variables", text, current: "", known }) as Promise<Checked & { unknown: string[] }>;
}

async function look(order: Look): Promise<unknown> {
  if (slots.waiting() >= waitingMax) throw new ApiError("overloaded", { cause: new Error("other catalogs wait to be read") });
  // No other signal: each one before it ends by its own timeout.
  return inSlot(slots, () => run(order), new AbortController().signal);
}

async function run(order: Look): Promise<unknown> {
  const worker = new Worker(new URL("./compare-thread.ts", import.meta.url), {
    workerData: order,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const tooLong = () => reject(new ApiError("overloaded", { cause: new Error("a catalog could not be read in time") }));
      timer = setTimeout(tooLong, timeoutMs);
      worker.once("message", resolve).once("error", reject);
      worker.once("exit", () => reject(new Error("the thread that reads a catalog has ended")));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
