// Changes money past the triggers that keep it, as no gateway can: for tests of what finds that.
import type { Gateway } from "./gateway.ts";

export async function tamper(gateway: Gateway, sql: string, values: unknown[]): Promise<void> {
  const client = await gateway.context.db.pool.connect();
  try {
    await client.query("begin; set local session_replication_role = replica");
    await client.query(sql, values);
    await client.query("commit");
  } finally {
    client.release();
  }
}
