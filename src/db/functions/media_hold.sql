-- Takes the hold of a job that gets a slot. Returns null, or what does not suffice: balance or key. Under the lock of the balance.
create or replace function media_hold(_job media_job) returns text language plpgsql as $$
declare available bigint; key_left bigint; moment timestamptz := clock_timestamp();
begin
  select b.available into available from balance b where b.account_id = _job.account_id;
  if available < 0 or available < _job.estimated then return 'balance'; end if;
  select least(budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, moment),
      budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, moment))
    into key_left from key_budget k left join member_budget m on m.account_id = k.account_id and m.person_id = k.member_id
    where k.account_id = _job.account_id and k.key_id = _job.key_id;
  -- A limit may stand below what is spent; what costs nothing fits all the same.
  if key_left < _job.estimated and _job.estimated > 0 then return 'key'; end if;
  if _job.estimated > 0 then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
      values (_job.account_id, clock_timestamp(), _job.id, 'hold', -_job.estimated, _job.shown_id, _job.key_id);
  end if;
  return null;
end $$;
