// Proves that a commit still ends: reads and what waits for no disk go on where the only synchronous standby is lost, and charges don't.
// What was confirmed is counted, so that a database which has lost some of it is found: a restore, or a standby that was behind.
import type { Db } from "../db/connect.ts";
import type { LedgerTimes } from "./times.ts";

export interface CommitProof {
  /** How many were confirmed. */
  readonly confirmed: bigint;
  /** Since the last one was asked for; of the first one, since it was waited for. */
  ageMs(): number;
  /** Proves one more. Never rejects. */
  prove(): Promise<void>;
  /** The last one is young, or one can be proven now. */
  isFresh(): Promise<boolean>;
  /** Takes what the database still has for what was confirmed. Returns how much time is lost, at most; 0: nothing. */
  compare(confirmed: bigint, found: bigint): number;
  /** At this time of the database's: the last one is so old that another process may have deleted it. */
  mayBeForgotten(at: number): boolean;
  /** Gives what was lost up: what is left counts from now on. */
  accept(found: bigint): void;
  stop(): Promise<void>;
}

/** Rows of processes that died, or were suspended for so long. */
const forgetAfterMs = 24 * 60 * 60_000;

export async function openCommitProof(
  db: Db,
  owner: string,
  { proveEveryMs, freshMs }: Pick<LedgerTimes, "proveEveryMs" | "freshMs">,
): Promise<CommitProof> {
  let confirmed = 0n;
  let provenAt = -Infinity;
  /** Of the database. */
  let lastTime = Infinity;
  const openedAt = performance.now();
  let proving: Promise<void> | null = null;
  // Not of those that beat: their clock, or the database's, may have leapt.
  await db.pool.query(
    "delete from commit_proof p where at < now() - $1::interval and not exists (select from replica r where r.id = p.replica)",
    [`${forgetAfterMs} milliseconds`],
  );

  const proveOne = async () => {
    const sentAt = performance.now();
    const count = confirmed + 1n;
    const { rows } = await db.pool.query<{ is_proven: boolean }>("select prove_commit($1, $2) as is_proven", [owner, count]);
    if (!rows[0]!.is_proven || count !== confirmed + 1n) return; // some is lost, or was given up meanwhile: the next beat sees it
    confirmed = count;
    provenAt = sentAt;
    lastTime = db.standing.now().getTime();
  };
  const prove = () => {
    // Not where it isn't known to be ours: what is found there would be overwritten.
    if (db.standing.refusal !== null) return Promise.resolve();
    proving ??= proveOne()
      .catch(() => undefined) // who asks is told by its age
      .finally(() => (proving = null));
    return proving;
  };
  const isFresh = () => performance.now() - provenAt < freshMs;
  return {
    get confirmed() {
      return confirmed;
    },
    ageMs: () => performance.now() - Math.max(provenAt, openedAt),
    prove,
    isFresh: async () => isFresh() || prove().then(isFresh),
    compare: (before, found) => (found >= before ? 0 : Number(before - found) * proveEveryMs),
    mayBeForgotten: (at) => at - lastTime > forgetAfterMs,
    accept(found) {
      confirmed = found;
    },
    async stop() {
      await proving;
      await db.pool.query("delete from commit_proof where replica = $1", [owner]);
    },
  };
}
