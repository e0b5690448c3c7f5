// An embedding call that an upstream takes as several requests: its texts, in batches, a few at a time.
import { refuse } from "../translation/chat-to-message-content.ts";

/** `input` as the dialect has it: a text or a list of them. Hosts that take no tokens refuse token numbers. */
export function textsOf(input: unknown): string[] {
  const list = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  return list.map((text) => (typeof text === "string" ? text : refuse("input", "This model embeds texts only, not token numbers.")));
}

export function batchesOf<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Requests of one call that run at a time. */
const parallelMax = 8;

/** In order, a few at a time; none is begun after the first that fails. */
export async function eachOf<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const run = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: Math.min(parallelMax, items.length) }, run));
  for (const one of runs) if (one.status === "rejected") throw one.reason;
  return results;
}
