// A connection that is given up with its query when the database says nothing for too long. pg has an option for that (query_timeout), which
// puts a function of its own into every query: young garbage then hangs together, and each collection keeps some ten kilobytes a request of it.
import pg from "pg";

type Callback = (...outcome: unknown[]) => void;

/** Of pools whose queries must answer within so long. */
export function watchedClient(silenceMs: number): typeof pg.Client {
  class WatchedClient extends pg.Client {
    /** Ends with an error that says that the connection was terminated. */
    override query(...given: unknown[]): never {
      const silence = setTimeout(() => void this.end(), silenceMs);
      const callback = given.at(-1);
      const ask = super.query as (...asked: unknown[]) => unknown;
      if (typeof callback === "function") {
        const heard: Callback = (...outcome) => {
          clearTimeout(silence);
          (callback as Callback)(...outcome);
        };
        return ask.call(this, ...given.slice(0, -1), heard) as never;
      }
      const answer = ask.call(this, ...given) as Promise<unknown>;
      return answer.finally(() => clearTimeout(silence)) as never;
    }
  }
  return WatchedClient;
}
