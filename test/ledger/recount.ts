// What the usage log itself says, row by row, to hold its sums against: by the rows' local times, every figure.
import type { Db } from "../../src/db/connect.ts";
import type { BucketName, Span } from "../../src/ledger/summary/periods.ts";
import type { Figures, Summary } from "../../src/ledger/summary/read-summary.ts";
import type { SummaryGroup } from "../../src/ledger/summary/summary-parts.ts";

type Figure = Exclude<keyof Figures, "latency" | "firstByte">;

/** Of rows of the log. */
const logged: Record<Figure, string> = {
  requests: "count(*)",
  errors: "count(*) filter (where status = 'failed')",
  input: "sum(input_tokens)",
  cacheRead: "sum(cache_read_tokens)",
  cacheWrite: "sum(cache_write_tokens)",
  output: "sum(output_tokens)",
  reasoning: "sum(reasoning_tokens)",
  cost: "sum(cost)",
  expense: "sum(coalesce(expense, case when attempts = '[]' then 0 end))",
  unmatched: "coalesce(sum(cost) filter (where usage_lacks_cost(attempts)), 0)",
};
const figureNames = Object.keys(logged) as Figure[];

type Counted = (string | bigint | null)[];

/** The sum of what is known; null: nothing is. */
const plus = (one: bigint | null, other: bigint | null) => (one === null || other === null ? (one ?? other) : one + other);

/** The figures of them together, with a name at each. */
export const sumOf = (rows: readonly Figures[]) =>
  Object.fromEntries(figureNames.map((name) => [name, rows.reduce<bigint | null>((sum, row) => plus(sum, row[name]), null)]));

/** A day may begin at one: its midnight was left out. */
const form = (bucket: BucketName) => (bucket === "hour" ? "'YYYY-MM-DD HH24:MI'" : "'YYYY-MM-DD'");

export interface Counting {
  bucket: BucketName;
  timezone: string;
}

/** A line for each period and group: its local time, its names, its figures. */
export async function recount(
  { pool }: Db,
  account: bigint,
  { bucket, timezone, from, to, groups }: Counting & Span & { groups: SummaryGroup[] },
): Promise<Counted[]> {
  const texts = {
    model: "model",
    key: "coalesce(key_id, 0)::text",
    status: "case when status = 'failed' then 'failed' else 'success' end",
  };
  const names = groups.map((group) => texts[group as keyof typeof texts]);
  const { rows } = await pool.query<{ local: string; names: string[] } & Record<Figure, bigint | null>>(
    `select to_char(date_trunc($4, created_at at time zone $5), ${form(bucket)}) as local, array[${names.join(",")}]::text[] as names,
       ${figureNames.map((name) => `(${logged[name]})::bigint as "${name}"`).join(", ")}
     from usage_log where account_id = $1 and created_at >= $2 and created_at < $3 group by 1, 2 order by 1, 2`,
    [account, from, to, bucket, timezone],
  );
  return rows.map((row) => [row.local, ...row.names, ...figureNames.map((name) => row[name])]);
}

/** The same lines of a summary. */
export async function localRows({ pool }: Db, summary: Summary, { bucket, timezone }: Counting): Promise<Counted[]> {
  const starts = summary.rows.map(({ start }) => start);
  const { rows } = await pool.query<{ local: string }>(
    `select to_char(t at time zone $2, ${form(bucket)}) as local from unnest($1::timestamptz[]) with ordinality u(t, n) order by n`,
    [starts, timezone],
  );
  // An hour that a clock shows twice is two hours, and one by its local time.
  const merged = new Map<string, { names: string[]; figures: (bigint | null)[] }>();
  summary.rows.forEach((row, index) => {
    const names = [rows[index]!.local, ...row.names];
    const known = merged.get(JSON.stringify(names));
    const figures = figureNames.map((name, place) => plus(row[name], known?.figures[place] ?? null));
    merged.set(JSON.stringify(names), { names, figures });
  });
  const lines = [...merged].sort(([one], [other]) => (one < other ? -1 : 1));
  return lines.map(([, { names, figures }]) => [...names, ...figures]);
}
