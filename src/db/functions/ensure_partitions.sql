-- Makes the monthly partitions of a table up to _ahead months from now. Any process may call it at any time. A month is made beside its
-- table and then attached, which waits only for others that change the table; made as a part of it, a month would wait for a dump or an
-- audit to end, and every settlement for the month. The lock timeout is set after the advisory lock: waiting for another process blocks
-- no other.
create or replace function ensure_partitions(_parent text, _ahead int) returns void language plpgsql as $$
declare start_at timestamptz := (date_trunc('month', now() at time zone 'utc') - interval '1 month') at time zone 'utc'; end_at timestamptz; part text;
begin
  perform pg_advisory_xact_lock(7322002);
  perform set_config('lock_timeout', '1s', true);
  for i in 0 .. _ahead + 1 loop
    end_at := (start_at at time zone 'utc' + interval '1 month') at time zone 'utc';
    part := _parent || to_char(start_at at time zone 'utc', '_YYYY_MM');
    if to_regclass(part) is null then
      execute format('create table %I (like %I including all)', part, _parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', _parent, part, start_at, end_at);
    end if;
    start_at := end_at;
  end loop;
  if _parent = 'usage_log' then perform ensure_log_statistics(); end if;
end $$;
