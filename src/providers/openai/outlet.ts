// The consumer's end of a stream: what is kept until it has begun, who listens, how it ended.
// What the records say is record-reader.ts's.
import type { ChatRecord } from "../types.ts";

type OnRecord = (record: ChatRecord) => void | Promise<void>;

export interface Outlet {
  /** A promise where the source has to wait. */
  emit(json: string): void | Promise<void>;
  /** From now on no other route may be tried. */
  start(): void;
  end(): void;
  fail(error: unknown): void;
  readonly begun: boolean;
  readonly ended: boolean;
  /** Resolves with start(), rejects with a fail() before it. */
  readonly started: Promise<void>;
  forEach(onRecord: OnRecord, signal: AbortSignal): Promise<void>;
}

/** Records without a use (roles, empty texts) that are kept while the first useful one is awaited. */
const waitingMax = 64;

export function openOutlet(onStart: () => void, onEnd: () => void): Outlet {
  const waiting: string[] = [];
  const started = Promise.withResolvers<void>();
  const attached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  ended.promise.catch(() => undefined); // forEach may never be called
  let onRecord: OnRecord | null = null;

  const outlet = {
    begun: false,
    ended: false,
    started: started.promise,
    emit(json: string): void | Promise<void> {
      if (onRecord) return onRecord({ json });
      waiting.push(json);
      if (outlet.begun) return attached.promise; // begun, and nobody listens yet: the socket waits
      if (waiting.length >= waitingMax) outlet.start();
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
    async forEach(listener: OnRecord, signal: AbortSignal): Promise<void> {
      for (let json = waiting.shift(); json !== undefined; json = waiting.shift()) {
        signal.throwIfAborted();
        const pending = listener({ json });
        if (pending) await pending;
      }
      onRecord = listener;
      attached.resolve();
      await ended.promise;
    },
  };
  return outlet;
}
