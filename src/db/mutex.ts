// The mutex of the batchers where Postgres runs on the gateway's machine: they send their statements one at a time, first come first
// served. Two at once would compete for the same cores; one after the other, each ends sooner and the next batch is larger. A remote
// database has its own cores, and its round trips are better made in parallel.

export interface Turns {
  /** Resolves when it is the caller's turn; it ends with `leave`. */
  take(): Promise<void>;
  leave(): void;
}

/** Null: Postgres runs on another machine. */
export function turnsAt(url: string): Turns | null {
  return isLocal(url) ? openTurns() : null;
}

export function openTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
}

/** A socket, or a loopback address. */
export function isLocal(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const host = parsed.searchParams.get("host") ?? decodeURIComponent(parsed.hostname);
  return host === "" || /^(\/|localhost$|127\.|\[::1\]$)/.test(host);
}
