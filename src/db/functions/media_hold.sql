-- Takes the hold of a job that gets a slot. Returns null, or what does not suffice: balance or key. Under the lock of the balance.
create or replace function media_hold(_job media_job) returns text language plpgsql as $$
declare available bigint; key_left bigint; moment timestamptz := clock_timestamp();
begin
  select b.available into available from balance b where b.account_id = _job.account_id;
  if available < 0 or available < _job.estimated then return 'balance'; end if;
  key_left := key_budget_left(_job.account_id, _job.key_id, moment);
  -- A limit may stand below what is spent; what costs nothing fits all the same.
  if key_left < _job.estimated and _job.estimated > 0 then return 'key'; end if;
  if _job.estimated > 0 then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
      values (_job.account_id, clock_timestamp(), _job.id, 'hold', -_job.estimated, _job.shown_id, _job.key_id);
  end if;
  return null;
end $$;
