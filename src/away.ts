// Tells a database that is away, restarting or asks for a repeat from a query that is wrong.

/** True where nothing of the query was done: it never began, or it was rolled back. */
export function isSurelyUndone(error: unknown): boolean {
  return ["40001", "40P01", "53300", "ECONNREFUSED"].includes((error as { code?: string } | null)?.code ?? "");
}

/** True where the same query may succeed a moment later; the query itself is not at fault. */
export function isDatabaseAway(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string")
    return /^(08...|25P03|57P0[1-5]|40001|40P01|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT)$/.test(code);
  return (
    error instanceof Error &&
    /connection (terminated|ended|closed)|not queryable|timeout exceeded when trying to connect|query read timeout/i.test(error.message)
  );
}
