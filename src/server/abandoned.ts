// Exchanges whose client has disconnected while their handler still works: a paid call is read on until its provider has said what it cost
// (docs/behaviour/streams.md#disconnects). They hold their part of the memory bounds, and a shutdown waits for them.

export interface Abandoned<Exchange> {
  add(exchange: Exchange): void;
  ended(exchange: Exchange): void;
  all(): readonly Exchange[];
  /** Resolves when there are none. */
  none(): Promise<void>;
}

export function openAbandoned<Exchange>(): Abandoned<Exchange> {
  const exchanges = new Set<Exchange>();
  let waiting: (() => void)[] = [];
  return {
    add: (exchange) => void exchanges.add(exchange),
    ended(exchange) {
      if (!exchanges.delete(exchange) || exchanges.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    all: () => [...exchanges],
    none: () => (exchanges.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
