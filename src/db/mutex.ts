// Where Postgres shares the machine of the gateway: lanes send their statements in turn, first come first served. Two at once would take the
// same cores from each other and from this process; one after the other, each is over sooner and the next batch is larger. A database elsewhere
// has its own cores, and a way there that is better spent side by side.

export interface Turns {
  /** Resolves when it is the caller's turn; it ends with `leave`. */
  take(): Promise<void>;
  leave(): void;
}

/** Null: elsewhere. */
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

/** A socket, or an address of this machine's own loop. */
export function isLocal(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const host = parsed.searchParams.get("host") ?? decodeURIComponent(parsed.hostname);
  return host === "" || /^(\/|localhost$|127\.|\[::1\]$)/.test(host);
}
