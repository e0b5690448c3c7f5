-- Releases holds that expired or whose replica's heartbeat stopped.

-- The holds that a sweep releases.
create or replace function ledger_sweepable(_dead_after interval) returns setof hold language sql stable as $$
  select h.* from hold h where h.expires_at < now()
    or not exists (select 1 from replica r where r.id = h.owner and r.seen_at > now() - _dead_after)
$$;

-- Releases the holds of the accounts whose balances could be locked, and returns these accounts. One process sweeps at a time.
create or replace function ledger_sweep(_dead_after interval, _account bigint[], _waits boolean) returns setof bigint language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(7322001) then return query select unnest(_account); return; end if; -- another process sweeps
  _account := array(select lock_balances(_account, _waits));
  delete from hold h where h.account_id = any(_account)
    and (h.account_id, h.id) in (select s.account_id, s.id from ledger_sweepable(_dead_after) s);
  return query select unnest(_account);
end $$;

-- Sweeps all accounts whose balance is not locked now; returns how many accounts.
create or replace function ledger_sweep(_dead_after interval) returns int language sql as $$
  select count(*)::int from ledger_sweep(_dead_after, array(select distinct s.account_id from ledger_sweepable(_dead_after) s limit 1000), false)
$$;
