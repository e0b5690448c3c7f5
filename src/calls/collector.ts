// Collects an answer while it goes out, in bounds: so much of each, and so much of all that this process collects now.

interface Collected<Item> {
  /** What is collected so far; null: it was too much, or dropped. */
  items(): readonly Item[] | null;
  add(item: Item, bytes: number): void;
  /** Makes room for others. Call it at the end, whatever that was. */
  drop(): void;
}

/** In bytes. */
export function openCollector<Item>({ eachMax, allMax }: { eachMax: number; allMax: number }): () => Collected<Item> {
  let all = 0;
  return () => {
    let items: Item[] | null = [];
    let size = 0;
    const drop = () => {
      all -= size;
      size = 0;
      items = null;
    };
    return {
      items: () => items,
      add(item, bytes) {
        if (items === null) return;
        items.push(item);
        size += bytes;
        all += bytes;
        if (size > eachMax || all > allMax) drop();
      },
      drop,
    };
  };
}
