-- Deletes windows that no decision can reach any more, _most at a time. Any process may call it at any time.
create or replace function rate_sweep(_most int) returns bigint language plpgsql as $$
declare swept bigint;
begin
  if not pg_try_advisory_xact_lock(7322041) then return 0; end if;
  perform set_config('synchronous_commit', 'off', true);
  delete from rate_window where (account_id, bucket, starts_at) in (
    select account_id, bucket, starts_at from rate_window
    where starts_at + make_interval(secs => 2 * seconds) < clock_timestamp() - interval '1 minute'
    limit _most for update skip locked);
  get diagnostics swept = row_count;
  return swept;
end $$;
