// How long a process's heartbeat and its waits for the database may take. Tests shorten what they would otherwise wait for.

export interface LedgerTimes {
  /** From one beat to the next, and from one round to the next. */
  beatMs: number;
  /** A process without a beat for so long is dead, and its reservations are given back. */
  deadAfterMs: number;
  /** A process that hasn't beaten for so long was out itself. */
  gapMs: number;
  /** A call's hold is renewed so often. */
  renewAfterMs: number;
  /** What others hold for longer is left for the next round: the sweep comes last. */
  roundWaitMs: number;
  /** How often a commit is proven; three that fail make the last one old. */
  proveEveryMs: number;
  /** The last proof is old then. */
  freshMs: number;
  /** A caller waits this long for a database that is unavailable, or for an account that another transaction holds; then 503. */
  reserveTimeoutMs: number;
  /** Afterwards the caller is told 503 and is not charged, unless the charge was made and its answer lost. */
  settleTimeoutMs: number;
}

/**
 * Reservations of a dead process are released within 15 s: 9 s without a beat, swept every 3 s. One beat may fail for want of a connection
 * (after 4 s: main.ts), and the next still come in time. A hold lives 2 minutes (ledger.ts), so renewing it every 30 s survives three missed
 * rounds. A restart of Postgres is over before a settlement is given up.
 */
export const ledgerTimes: LedgerTimes = {
  beatMs: 3_000,
  deadAfterMs: 9_000,
  gapMs: 6_000,
  renewAfterMs: 30_000,
  roundWaitMs: 2_000,
  proveEveryMs: 3_000,
  freshMs: 10_000,
  reserveTimeoutMs: 3_000,
  settleTimeoutMs: 30_000,
};
