// What a provider's routes used by day and upstream model, to be compared with the provider's own export.
import type { Queries } from "../db/connect.ts";

export const usageFigures = ["requests", "input", "cached", "output"] as const;
export type UsageFigure = (typeof usageFigures)[number];

export interface ProviderUsage extends Record<UsageFigure, bigint> {
  /** `YYYY-MM-DD` of UTC. */
  day: string;
  /** The model's id at the provider. */
  model: string;
}

/**
 * Requests that were answered, interrupted and abandoned ones too; a decision makes several. `input` includes what was read from and written to
 * the prompt cache, `cached` is what was read. `credential`: only what one of the provider's credentials was used for. Tokens are those of the
 * last attempt: what an earlier one made its provider read is not measured.
 */
export async function readProviderUsage(
  { pool }: Queries,
  provider: string,
  { from, to, credential = null }: { from: Date; to: Date; credential?: string | null },
): Promise<ProviderUsage[]> {
  const { rows } = await pool.query<ProviderUsage>(
    `select to_char(l.created_at at time zone 'utc', 'YYYY-MM-DD') as day, substr(a.value ->> 'route', length($1) + 2) as model,
       sum(coalesce((a.value ->> 'requests')::bigint, 1))::bigint as requests,
       coalesce(sum(l.input_tokens + l.cache_read_tokens + l.cache_write_tokens) filter (where a.is_last), 0)::bigint as input,
       coalesce(sum(l.cache_read_tokens) filter (where a.is_last), 0)::bigint as cached,
       coalesce(sum(l.output_tokens) filter (where a.is_last), 0)::bigint as output
     from usage_log l cross join lateral (
       select value, n = jsonb_array_length(l.attempts) as is_last from jsonb_array_elements(l.attempts) with ordinality as e(value, n)
     ) a
     where l.created_at >= $2 and l.created_at < $3 and split_part(a.value ->> 'route', '/', 1) = $1
       and ($4::text is null or a.value ->> 'credential' = $4)
       and (a.value ->> 'outcome' in ('ok', 'interrupted', 'aborted') or a.value ? 'requests')
     group by 1, 2`,
    [provider, from, to, credential],
  );
  return rows;
}
