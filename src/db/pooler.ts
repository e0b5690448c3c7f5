// Tells a transaction pooler from Postgres itself: it delivers no notifications, and the backend that answers is not the connection's own.
import type pg from "pg";

/** A pooler makes up the process id that it gives at a connection's start, since many backends will serve it. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID;
}

/** As PgBouncer says it of settings that it was not told to ignore. */
export function isRefusedSetting(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/i.test(error.message);
}
