// Tells transient errors of the database (unavailable, restarting, a conflict to be retried) from queries that are wrong.

/**
 * Of a connection that was not made, of a server that takes none yet, has no room or memory left (53) or only reads, as a standby after a
 * failover, and of a rolled back query.
 */
const undone = /^(OTHER_DATABASE|ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|57P03|53...|25006|40001|40P01)$/;
/** A connection that was made may break with each of these, also while the answer to a query that was done is under way. */
const broken = /^(08...|25P03|57P0[1245]|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN)$/;

/** Another database than ours, or one that only reads, answered at its address: a new connection was not taken, or a query was refused. */
export class OtherDatabase extends Error {
  readonly code = "OTHER_DATABASE";
}

/** True where what answers is not the database that takes our money: a standby, or one that lacks what ours has. */
export function isOtherDatabase(error: unknown): boolean {
  return error instanceof OtherDatabase || strange.test((error as { code?: string } | null)?.code ?? "");
}

/** It only reads; its tables, functions or columns are not ours. */
const strange = /^(25006|42P01|42883|42703)$/;

/** True where nothing of the query was done: it never began, or it was rolled back. */
export function isSurelyUndone(error: unknown): boolean {
  return undone.test((error as { code?: string } | null)?.code ?? "");
}

/** True where the same query may succeed a moment later; the query itself is not at fault. */
export function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return undone.test(code) || broken.test(code);
  return (
    error instanceof Error &&
    /connection (terminated|ended|closed)|not queryable|timeout exceeded when trying to connect|timeout expired/i.test(error.message)
  );
}
