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
  started(): Promise<void>;
  forEach(onRecord: OnRecord<Rec>, signal: AbortSignal): Promise<void>;
}

export function openOutlet<Rec>(onStart: () => void, onEnd: () => void): Outlet<Rec> {
  const waiting: Rec[] = [];
  let onRecord: OnRecord<Rec> | null = null;
  let failure: { error: unknown } | null = null;
  // Promises only for who waits, and only as long: a stream may last for minutes.
  let toStart: PromiseWithResolvers<void> | null = null;
  let toAttach: PromiseWithResolvers<void> | null = null;
  let toEnd: PromiseWithResolvers<void> | null = null;

  const outlet = {
    begun: false,
    ended: false,
    started(): Promise<void> {
      if (outlet.begun) return Promise.resolve();
      if (failure) return Promise.reject(failure.error);
      return (toStart ??= Promise.withResolvers<void>()).promise;
    },
    emit(record: Rec): void | Promise<void> {
      if (onRecord) return onRecord(record);
      waiting.push(record);
      outlet.start();
      return (toAttach ??= Promise.withResolvers<void>()).promise; // without a listener the socket waits
    },
    start(): void {
      if (outlet.begun) return;
      outlet.begun = true;
      onStart();
      toStart?.resolve();
      toStart = null;
    },
    end(): void {
      outlet.start();
      outlet.ended = true;
      onEnd();
      toEnd?.resolve();
    },
    fail(error: unknown): void {
      if (outlet.ended || failure) return;
      failure = { error };
      toStart?.reject(error);
      toEnd?.reject(error);
    },
    async forEach(listener: OnRecord<Rec>, signal: AbortSignal): Promise<void> {
      for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
        signal.throwIfAborted();
        const pending = listener(record);
        if (pending) await pending;
      }
      onRecord = listener;
      toAttach?.resolve();
      toAttach = null;
      if (failure) throw failure.error;
      if (outlet.ended) return;
      toEnd = Promise.withResolvers<void>();
      await toEnd.promise;
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
