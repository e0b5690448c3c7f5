// Deletes expired sessions, mails, invitations, sign-ins under way and networks that are no longer used. Any replica may do it at any time; nothing
// depends on it.
import type { Clock } from "../clock.ts";
import type { Db } from "../db/connect.ts";

const everyMs = 60 * 60 * 1000;
/** Rows a statement, so that none holds its locks for long. */
const batch = 1_000;
/** How long mails stay after they expire, so that a late click gets the error that says so. */
const keptDays = { session: 0, verification: 7, sign_in_flow: 1, known_network: 0, invitation: 30 } as const;

export function keepSwept(db: Db, { clock, onFault }: { clock: Clock; onFault: (error: unknown, what: string) => void }): { stop(): void } {
  const timer = setInterval(() => void sweep(db, clock()).catch((error: unknown) => onFault(error, "deleting old sessions")), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

export async function sweep(db: Db, at: Date): Promise<void> {
  for (const [table, days] of Object.entries(keptDays)) {
    const before = new Date(at.getTime() - days * 24 * 60 * 60 * 1000);
    const deleteSome = async () =>
      (
        await db.pool.query(
          `delete from ${table} where hash in (select hash from ${table} where expires_at < $1 limit ${batch} for update skip locked)`,
          [before],
        )
      ).rowCount;
    while ((await deleteSome()) === batch);
  }
}
