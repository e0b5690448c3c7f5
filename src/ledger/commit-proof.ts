// Proves that commits still succeed: when the only synchronous standby is lost, reads go on and charges don't. Counts the confirmed
// commits, so that a database that has lost some of them is found out: one that was restored, or a standby that was behind.
import type { Db } from "../db/connect.ts";
import type { LedgerTimes } from "./times.ts";

export interface CommitProof {
  /** How many commits were confirmed. */
  readonly confirmed: bigint;
  /** Since the last confirmed one was sent or, before the first, since this was opened. */
  ageMs(): number;
  /** Confirms one more. Never rejects. */
  prove(): Promise<void>;
  /** Whether the last proof is recent, or a new one succeeds now. */
  isFresh(): Promise<boolean>;
  /** Compares with what the database has. Returns how much time was lost, at most, in ms; 0: nothing. */
  compare(confirmed: bigint, found: bigint): number;
  /** Whether, at this time of the database's, the last proof is so old that another process may have deleted it. */
  mayBeForgotten(at: number): boolean;
  /** Accepts the loss: counts on from what is left. */
  accept(found: bigint): void;
  stop(): Promise<void>;
}

/** Age of rows that are deleted: of processes that died or were suspended. */
const forgetAfterMs = 24 * 60 * 60_000;

export async function openCommitProof(
  db: Db,
  owner: string,
  { proveEveryMs, freshMs }: Pick<LedgerTimes, "proveEveryMs" | "freshMs">,
): Promise<CommitProof> {
  let confirmed = 0n;
  let provenAt = -Infinity;
  /** By the database's clock. */
  let lastTime = Infinity;
  const openedAt = performance.now();
  let proving: Promise<void> | null = null;
  // Keeps the rows of live processes: their clock, or the database's, may have jumped.
  await db.pool.query(
    "delete from commit_proof p where at < now() - $1::interval and not exists (select from replica r where r.id = p.replica)",
    [`${forgetAfterMs} milliseconds`],
  );

  const proveOne = async () => {
    const sentAt = performance.now();
    const count = confirmed + 1n;
    const { rows } = await db.pool.query<{ is_proven: boolean }>("select prove_commit($1, $2) as is_proven", [owner, count]);
    if (!rows[0]!.is_proven || count !== confirmed + 1n) return; // a loss, or one that was just accepted: the next heartbeat sees it
    confirmed = count;
    provenAt = sentAt;
    lastTime = db.checks.now().getTime();
  };
  const prove = () => {
    // Not in a database that may be another one, whose row would be overwritten.
    if (db.checks.refusal !== null) return Promise.resolve();
    proving ??= proveOne()
      .catch(() => undefined) // the age of the last proof shows it
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

/** A promoted standby may have been behind by this much; a database that lacks more was restored to an earlier moment. */
const lagMaxMs = 60_000;

/** A loss within a standby's lag is reported and accepted. A larger one means a restore, which the operator has to confirm before money moves. */
export function lookForLoss(
  { checks }: Db,
  proof: CommitProof,
  { confirmed, found, onFault }: { confirmed: bigint; found: bigint; onFault: (error: unknown, what: string) => void },
): void {
  const lostMs = proof.compare(confirmed, found);
  const lost = `the database has lost what it had confirmed, the last ${lostMs / 1000} s or less`;
  const isRestored = lostMs > lagMaxMs;
  checks.setDoubt("lost", isRestored ? `${lost}: it was restored to an earlier moment` : null);
  if (lostMs === 0 || isRestored) return;
  proof.accept(found);
  onFault(new Error(`${lost}: answers of that time were free`), "ledger heartbeat");
}
