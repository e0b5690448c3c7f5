// Months of the usage log as they are after years of use: each was made beside the table and attached (ensure_partitions).
import type { Queries } from "../../src/db/connect.ts";

/** The names of those that were missing, of so many months before this one, oldest first. */
export async function makeMonths({ pool }: Queries, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select 'usage_log' || to_char(m.at, '_YYYY_MM') as name, m.at::text as since, (m.at + interval '1 month')::text as until
     from (select date_trunc('month', now() at time zone 'utc') - n * interval '1 month' as at from generate_series(1, $1::int) n) m
     where to_regclass('usage_log' || to_char(m.at, '_YYYY_MM')) is null order by m.at`,
    [count],
  );
  for (const { name, since, until } of rows as { name: string; since: string; until: string }[]) {
    await pool.query(`create table ${name} (like usage_log including all)`);
    await pool.query(`alter table usage_log attach partition ${name} for values from ('${since}Z') to ('${until}Z')`);
  }
  return rows.map(({ name }) => name);
}
