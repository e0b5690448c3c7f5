-- Tells the planner, for each month of the usage log, that a key belongs to one account. Without that it multiplies the shares of both,
-- expects a row or two, and so reads and sorts all rows of a key instead of following an index. Only the statistics of a partition
-- itself count for its plan, and autovacuum never analyzes a month that no longer changes.
create or replace function ensure_log_statistics() returns void language plpgsql as $$
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
