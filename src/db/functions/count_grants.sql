-- Counts what an account's charges took of its credit that expires, up to the newest entry: what expires first is spent first, before all other
-- money. Charges don't do this themselves: which grants there are changes only when one is posted or ends, and both count first. A refund of a
-- charge is money that does not expire. Called again it finds nothing new. Under the lock of the balance the count is complete; without it,
-- it is that of a moment ago, and holds up no call.
create or replace function count_grants(_account bigint) returns void language plpgsql set enable_seqscan = off as $$
declare counted bigint; newest bigint; used bigint; part bigint; g record;
begin
  perform 1 from credit_grant c where c.account_id = _account and c.ended_at is null order by c.id for update;
  if not found then return; end if;
  -- Statements of their own: what is read after the lock is what its last holder left.
  select min(c.counted_seq) into counted from credit_grant c where c.account_id = _account and c.ended_at is null;
  select coalesce(-sum(e.amount) filter (where e.kind = 'usage'), 0), max(e.seq) into used, newest
    from ledger_entry e where e.account_id = _account and e.seq > counted;
  if newest is null then return; end if;
  for g in select c.id, grant_left(c) as unspent from credit_grant c
    where c.account_id = _account and c.ended_at is null order by c.expires_at, c.id
  loop
    exit when used = 0;
    part := least(used, g.unspent);
    update credit_grant c set spent = c.spent + part where c.account_id = _account and c.id = g.id;
    used := used - part;
  end loop;
  update credit_grant c set counted_seq = newest where c.account_id = _account and c.ended_at is null;
end $$;

-- What is left of a grant: less what was spent, what expired and what the operator corrected (the latter two are entries that name it).
-- What a correction adds to it is money that does not expire.
create or replace function grant_left(_grant credit_grant) returns bigint language sql stable as $$
  select greatest(0, _grant.amount - _grant.spent + least(0, coalesce((select sum(e.amount) from ledger_entry e
    where e.account_id = _grant.account_id and e.corrects = _grant.seq), 0)))::bigint
$$;
