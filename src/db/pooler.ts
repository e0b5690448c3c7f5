// Whether a transaction pooler, such as PgBouncer, is between this process and Postgres: it delivers no notifications, many backends serve its
// connections, and so no backend is sure to know a statement by its name.
import type pg from "pg";

/** A pooler invents the process id that it reports at a connection's start, since many backends will serve it. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID;
}

/** PgBouncer's error for settings that it was not configured to ignore. */
export function isRefusedSetting(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/i.test(error.message);
}

/**
 * A client that prepares the given statements under a name, so that Postgres parses and plans each once a connection; anonymous, each costs
 * a tenth more. Only where `markDirect` has said that no pooler is in between.
 */
export function preparingClient(Client: typeof pg.Client, statements: readonly string[]): typeof pg.Client {
  const names = new Map(statements.map((text, place) => [text, `svc_${place}`]));
  return class PreparingClient extends Client {
    override query(...given: unknown[]): never {
      const query = super.query as (...asked: unknown[]) => never;
      const [text, values, ...rest] = given;
      const name = typeof text === "string" && direct.has(this) ? names.get(text) : undefined;
      return name === undefined ? query.apply(this, given) : query.call(this, { name, text, values }, ...rest);
    }
  };
}

const direct = new WeakSet<pg.ClientBase>();

/** Asks a new connection whether it is one. */
export async function markDirect(client: pg.ClientBase): Promise<void> {
  if (!(await isPooled(client))) direct.add(client);
}
