// Tells every process which jobs have ended, a moment after their end: Postgres lets one transaction that notifies commit at a time, so an
// end that announced itself would make all others wait for its disk.
import { isDatabaseAway } from "../db/transient-error.ts";
import type { JobParts } from "./parts.ts";

export interface Announcer {
  announce(shownId: string): void;
  drained(): Promise<void>;
}

/** What is lost with a process or a connection costs whoever waits elsewhere until its next look at the row (jobs.ts). */
export function openAnnouncer({ db, onFault }: Pick<JobParts, "db" | "onFault">): Announcer {
  let waiting: string[] = [];
  let telling: Promise<void> | null = null;

  const tellAll = async () => {
    while (waiting.length > 0) {
      const ids = waiting;
      waiting = [];
      await db.pool.query(announceSql, [ids]).catch((error: unknown) => {
        if (!isDatabaseAway(error)) onFault(error, "announcing ended jobs");
      });
    }
  };
  return {
    announce(shownId) {
      waiting.push(shownId);
      telling ??= tellAll().finally(() => (telling = null));
    },
    drained: async () => void (await telling),
  };
}

/** Nothing is written, so nothing is waited for. */
const announceSql = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true))
  select pg_notify('media_job', id) from quick, unnest($1::text[]) id`;
