// Handles items one after another, synchronously as long as none has to be waited for.

/** Returns a promise only where an item has to be waited for; most streams never do. */
export function inOrder<Item>(items: readonly Item[], take: (item: Item) => void | Promise<void>, from = 0): void | Promise<void> {
  for (let at = from; at < items.length; at += 1) {
    const pending = take(items[at]!);
    if (pending) return pending.then(() => inOrder(items, take, at + 1));
  }
}
