-- Which database this is. A managed Postgres may keep a part of it to itself, and each refuses with an error of its own: null. The
-- timeline is read from the name of the current log file, since that of the last checkpoint stays behind for minutes after a promotion.
create or replace function database_identity() returns table (system_id text, timeline bigint, only_reads boolean) language plpgsql as $$
begin
  only_reads := pg_is_in_recovery();
  begin
    select c.system_identifier::text into system_id from pg_control_system() c;
  exception when others then system_id := null;
  end;
  begin
    if not only_reads then timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint; end if;
  exception when others then timeline := null;
  end;
  return next;
end $$;
