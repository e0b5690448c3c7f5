// Work on many items at once, so many and no more; the first that fails cancels the others.

/**
 * Results in the items' order. Rejects with the first failure, once everything that ran has ended; `work` gets a signal
 * that fires then, or when `signal` does.
 */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const results: Result[] = [];
  let next = 0;
  const workThrough = async () => {
    for (let at = next++; at < items.length; at = next++) {
      either.throwIfAborted();
      results[at] = await work(items[at] as Item, either);
    }
  };
  const running = Array.from({ length: Math.min(atOnce, items.length) }, workThrough);
  try {
    await Promise.all(running);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
  return results;
}
