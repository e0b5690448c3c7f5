// The usage log, second part: what its readers need, and how long it is kept.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table usage_log
      add column model_type text,
      -- The sentence that the caller got.
      add column error_message text;
    update usage_log set model_type = 'language', prices = prices || jsonb_build_object('model', model);

    -- Another model's answer cost its own price where that was less. The first release noted that with the attempt alone; a receipt adds up
    -- by the prices that counted.
    update usage_log l set prices = jsonb_build_object('model', l.served_model, 'input', p.input::text, 'output', p.output::text,
      'cached', p.cached::text, 'per_request', p.per_request::text)
    from (
      select u.account_id, u.created_at, u.id, round((b ->> 'input')::numeric * 1000000)::bigint as input,
        round((b ->> 'output')::numeric * 1000000)::bigint as output, round((b ->> 'cached')::numeric * 1000000)::bigint as cached,
        round((b ->> 'per_request')::numeric * 100000000)::bigint as per_request
      from usage_log u, lateral (select a -> 'cost_basis' as b from jsonb_array_elements(u.attempts) a where a ->> 'outcome' = 'ok' limit 1) t
      where u.served_model is not null
    ) p
    where l.account_id = p.account_id and l.created_at = p.created_at and l.id = p.id and l.cost = p.per_request + ceil(
      ((l.input_tokens + l.cache_write_tokens) * p.input + l.cache_read_tokens * coalesce(p.cached, p.input) + l.output_tokens * p.output) / 10000.0);

    -- A page of the log never walks an account's whole history for a filter that few of its rows match. Chat calls, nearly all
    -- of the rows, stand in the first three alone. Without the id, which orders a few rows of one millisecond: narrow is cheap to write.
    create index usage_log_request on usage_log (account_id, request_id, created_at);
    create index usage_log_model on usage_log (account_id, model, created_at);
    create index usage_log_key on usage_log (account_id, key_id, created_at);
    create index usage_log_type on usage_log (account_id, model_type, created_at) where model_type <> 'language';
    create index usage_log_failed on usage_log (account_id, created_at) where status = 'failed';
    -- Masked forms, of deleted keys as well.
    create index api_key_masked on api_key (account_id, prefix, last4);

    -- Drops the months of a table that ended more than _keep_months months ago; the current one never. Any replica may call it at
    -- any time: who comes second leaves it to the first, and who can't have the table at once tries again another day.
    create function drop_partitions(_parent text, _keep_months int) returns text[] language plpgsql as $$
    declare
      keep_from timestamptz := (date_trunc('month', now() at time zone 'utc') - make_interval(months => greatest(_keep_months, 0))) at time zone 'utc';
      part text; dropped text[] := '{}';
    begin
      if not pg_try_advisory_xact_lock(7322002) then return dropped; end if;
      perform set_config('lock_timeout', '1s', true);
      for part in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass(_parent) and c.relname ~ ('^' || _parent || '_[0-9]{4}_[0-9]{2}$')
          and (to_date(right(c.relname, 7), 'YYYY_MM')::timestamp + interval '1 month') at time zone 'utc' <= keep_from
        order by c.relname
      loop
        execute format('drop table %I', part);
        dropped := dropped || part;
      end loop;
      return dropped;
    end $$;
  `.execute(db);
}
