// How the calls of the last minutes went, route by route, as the usage log has them: of every process, unlike a breaker's memory.
import type { Queries } from "../db/connect.ts";

export interface RouteFigure {
  /** provider/upstream model */
  route: string;
  outcome: string;
  /** Null: it did not fail. */
  cause: string | null;
  count: number;
  lastAt: Date;
}

export async function readRouteFigures(db: Queries, minutes: number): Promise<RouteFigure[]> {
  const { rows } = await db.pool.query<RouteFigure>(
    `select a ->> 'route' as route, a ->> 'outcome' as outcome, a ->> 'cause' as cause, count(*)::int as count, max(l.created_at) as "lastAt"
     from usage_log l, jsonb_array_elements(l.attempts) a
     where l.created_at > now() - make_interval(mins => $1)
     group by 1, 2, 3`,
    [minutes],
  );
  return rows;
}
