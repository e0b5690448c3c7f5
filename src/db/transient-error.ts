// Distinguishes transient errors of the database (unavailable, restarting, a conflict to be retried) from wrong queries.

/**
 * Codes of a failed connection, of a server that does not accept connections yet, is out of space or memory (53) or is read-only, as a
 * standby after a failover, and of a rolled back query.
 */
const undone = /^(OTHER_DATABASE|ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|57P03|53...|25006|40001|40P01)$/;
/** An open connection may break with any of these, even after the query was done and before its answer arrived. */
const broken = /^(08...|25P03|57P0[1245]|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;

/** Another database, or a read-only one, answered at the address: a new connection was rejected, or a query refused. */
export class OtherDatabase extends Error {
  readonly code = "OTHER_DATABASE";
}

/** True if the server that answers can't be ours to write to: a standby, or one that lacks our schema. */
export function isOtherDatabase(error: unknown): boolean {
  return error instanceof OtherDatabase || strange.test((error as { code?: string } | null)?.code ?? "");
}

/** Read-only, or without our tables, functions or columns. */
const strange = /^(25006|42P01|42883|42703)$/;

/** How often a shortage that lasts is reported. */
const saysAgainMs = 60_000;

/**
 * Reports that Postgres is short of disk, memory or connections (class 53), each once a minute at most. What was asked is sent again or gets
 * 503, which says nothing of it.
 */
export function reportShortages(onFault: (error: unknown, what: string) => void): (error: unknown) => void {
  const saidAt = new Map<string, number>();
  return (error) => {
    const code = (error as { code?: unknown } | null)?.code;
    if (typeof code !== "string" || !/^53...$/.test(code)) return;
    const now = performance.now();
    if (now - (saidAt.get(code) ?? -Infinity) < saysAgainMs) return;
    saidAt.set(code, now);
    onFault(error, "writing to the database");
  };
}

/** True if the query certainly changed nothing: it never began, or it was rolled back. */
export function isSurelyUndone(error: unknown): boolean {
  return undone.test((error as { code?: string } | null)?.code ?? "");
}

/**
 * True if another session held a lock for longer than the query waits: lock_not_available, or query_canceled, since Postgres signals a lock's
 * timeout twice and sometimes only the second signal is seen.
 */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "55P03" || code === "57014";
}

/** True if the same query may succeed a moment later; the query itself is not at fault. */
export function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return undone.test(code) || broken.test(code);
  return (
    error instanceof Error &&
    /connection (terminated|ended|closed)|not queryable|timeout exceeded when trying to connect|timeout expired/i.test(error.message)
  );
}
