// Tells the planner that a key belongs to one account: a page of one key of the usage log is read from its newest row on.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Multiplied, the shares of an account and of its key let a planner expect a row or two: it then reads and sorts all there are. Only the
    -- statistics of a partition itself count for its plan. Nothing writes to a month that is over, so that nobody else would analyze it.
    create function ensure_log_statistics() returns void language plpgsql as $$
    declare part text;
    begin
      for part in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'usage_log'::regclass
          and not exists (select 1 from pg_statistic_ext s where s.stxrelid = c.oid and s.stxname = c.relname || '_key')
        order by c.relname
      loop
        execute format('create statistics %I (dependencies) on account_id, key_id from %I', part || '_key', part);
        execute format('analyze %I (account_id, key_id)', part);
      end loop;
    end $$;

    -- As before (0002), and with statistics for each month that has none.
    create or replace function ensure_partitions(_parent text, _ahead int) returns void language plpgsql as $$
    declare start_at timestamptz := (date_trunc('month', now() at time zone 'utc') - interval '1 month') at time zone 'utc'; end_at timestamptz; part text;
    begin
      perform pg_advisory_xact_lock(7322002);
      for i in 0 .. _ahead + 1 loop
        end_at := (start_at at time zone 'utc' + interval '1 month') at time zone 'utc';
        part := _parent || to_char(start_at at time zone 'utc', '_YYYY_MM');
        if to_regclass(part) is null then
          execute format('create table %I partition of %I for values from (%L) to (%L)', part, _parent, start_at, end_at);
        end if;
        start_at := end_at;
      end loop;
      if _parent = 'usage_log' then perform ensure_log_statistics(); end if;
    end $$;
    select ensure_partitions('usage_log', 3);
  `.execute(db);
}
