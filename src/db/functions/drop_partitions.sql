-- Drops the months of a table that ended more than _keep_months months ago; never the current one. Any process may call it at any
-- time: while one works, others do nothing, and a process that can't lock the table at once tries again on another day.
create or replace function drop_partitions(_parent text, _keep_months int) returns text[] language plpgsql as $$
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
