// The only file that reads the time, so that tests can set it; the form in which callers see it; how long nothing was heard; and a timeout for
// any promise.

export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** As callers see times: whole seconds. */
export function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

export function wholeSecond(at: Date): Date {
  return new Date(unixSeconds(at) * 1000);
}

// Silences: between the records of a stream, of a client that sends a body. Most end soon, and each record ends
// two: one timer looks at all of them, and to hear something sets a number. Timers of their own cost a twentieth of a chunk.

export interface Silence {
  /** The silence begins anew. */
  heard(): void;
  stop(): void;
}

interface Watched {
  ms: number;
  late: () => void;
  /** How long it has lasted at the last look. */
  quietMs: number;
}

/** A silence is noticed at most this late. */
export const lookEveryMs = 100;
/** It began after the last look. */
const justBegun = -1;

const watched = new Set<Watched>();
let looking: NodeJS.Timeout | null = null;
let lookedAt = 0;

/** Calls `late` after `ms` in which nothing was heard, and again after each further `ms`. Keeps no process alive. */
export function onSilence(ms: number, late: () => void): Silence {
  const silence: Watched = { ms, late, quietMs: justBegun };
  watched.add(silence);
  if (looking === null) {
    lookedAt = performance.now();
    looking = setInterval(look, lookEveryMs).unref();
  }
  return {
    heard: () => void (silence.quietMs = justBegun),
    stop: () => void watched.delete(silence),
  };
}

function look(): void {
  const now = performance.now();
  const elapsed = now - lookedAt;
  lookedAt = now;
  for (const silence of watched) {
    silence.quietMs = silence.quietMs === justBegun ? 0 : silence.quietMs + elapsed;
    if (silence.quietMs < silence.ms) continue;
    silence.quietMs = 0;
    silence.late();
  }
  if (watched.size > 0 || looking === null) return;
  clearInterval(looking);
  looking = null;
}

/** What `work` resolves to or, after `ms`, what `whenLate` returns or throws. The work itself continues. */
export async function withTimeout<T>(ms: number, work: Promise<T>, whenLate: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([work, late.then(whenLate)]);
  } finally {
    clearTimeout(timer);
  }
}
