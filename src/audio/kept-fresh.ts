// One value that is costly to read, kept for a while. Whoever asks while it is read waits for that same read, and a read that failed is
// not begun again at once: an outage with a thousand callers is asked about every other second, not a thousand times.

export interface KeptTimes {
  /** How long a value may be given out, from when its read began. Older ones never are, however the next read ends. */
  freshMs: number;
  /** How long nobody asks again after a failure. */
  failureMs: number;
}

export interface Kept<T> {
  value: T;
  /** It was here already; false: whoever asked waited for the read. */
  cached: boolean;
}

/** `read` has a deadline of its own: nobody's leaving ends it. */
export function keepFresh<T>({ freshMs, failureMs }: KeptTimes): (now: () => number, read: () => Promise<T>) => Promise<Kept<T>> {
  let kept: { value: T; since: number } | null = null;
  let failed: { error: unknown; since: number } | null = null;
  let reading: Promise<T> | null = null;

  const begin = async (now: () => number, read: () => Promise<T>): Promise<T> => {
    const since = now();
    try {
      const value = await read();
      kept = { value, since };
      failed = null;
      return value;
    } catch (error) {
      failed = { error, since: now() };
      throw error;
    } finally {
      reading = null;
    }
  };

  return async (now, read) => {
    if (reading === null) {
      const at = now();
      if (kept !== null && isWithin(at - kept.since, freshMs)) return { value: kept.value, cached: true };
      kept = null;
      if (failed !== null && isWithin(at - failed.since, failureMs)) throw failed.error;
      reading = begin(now, read);
      // All who asked may have left by then.
      reading.catch(() => undefined);
    }
    return { value: await reading, cached: false };
  };
}

/** A clock that was set back says nothing of an age. */
function isWithin(age: number, ms: number): boolean {
  return age >= 0 && age < ms;
}
