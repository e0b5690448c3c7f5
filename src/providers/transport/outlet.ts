// The consumer's end of a stream: when it began, who listens, how it ended.

type OnRecord<Rec> = (record: Rec) => void | Promise<void>;

export interface Outlet<Rec> {
  /** The first record begins the stream. Returns a promise where the source has to wait. */
  emit(record: Rec): void | Promise<void>;
  /** From now on no other route may be tried. */
  start(): void;
  end(): void;
  fail(error: unknown): void;
  readonly begun: boolean;
  readonly ended: boolean;
  /** Resolves with start(); rejects where fail() came first. */
  readonly started: Promise<void>;
  forEach(onRecord: OnRecord<Rec>, signal: AbortSignal): Promise<void>;
}

export function openOutlet<Rec>(onStart: () => void, onEnd: () => void): Outlet<Rec> {
  const waiting: Rec[] = [];
  const started = Promise.withResolvers<void>();
  const attached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => undefined); // forEach may never be called
  let onRecord: OnRecord<Rec> | null = null;

  const outlet = {
    begun: false,
    ended: false,
    started: started.promise,
    emit(record: Rec): void | Promise<void> {
      if (onRecord) return onRecord(record);
      waiting.push(record);
      outlet.start();
      return attached.promise; // without a listener the socket waits
    },
    start(): void {
      if (outlet.begun) return;
      outlet.begun = true;
      onStart();
      started.resolve();
    },
    end(): void {
      outlet.start();
      outlet.ended = true;
      onEnd();
      ended.resolve();
    },
    fail(error: unknown): void {
      started.reject(error);
      ended.reject(error);
    },
    async forEach(listener: OnRecord<Rec>, signal: AbortSignal): Promise<void> {
      for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
        signal.throwIfAborted();
        const pending = listener(record);
        if (pending) await pending;
      }
      onRecord = listener;
      attached.resolve();
      await ended.promise;
    },
  };
  return outlet;
}

// Handles items one after another, synchronously as long as none has to be waited for.

/** Returns a promise only where an item has to be waited for; most streams never do. */
export function inOrder<Item>(items: readonly Item[], take: (item: Item) => void | Promise<void>, from = 0): void | Promise<void> {
  for (let at = from; at < items.length; at += 1) {
    const pending = take(items[at]!);
    if (pending) return pending.then(() => inOrder(items, take, at + 1));
  }
}
