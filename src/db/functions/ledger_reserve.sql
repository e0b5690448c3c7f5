-- Holds for each request what it wants or, where less is left, what the account and the key have left, if that is at least its least;
-- refuses it for its slot, its group of slots, the balance or the key (its own budget or its member's), in this order. Within a batch earlier
-- requests count for later ones. Called again it answers the same.
--
-- Lock and read are two statements: a lock inside the reading one would read an older snapshot. A balance that can pay none of its calls is
-- not locked, so that calls without money delay no others; money added after that comes too late for them. Commits without waiting
-- for the disk, since a hold need not outlive the server. A balance that stays locked is skipped after a second, for the others in the batch. It
-- moves balances and budgets itself, once a batch; its setting tells the triggers. One plan a connection, as ledger_settle.
create or replace function ledger_reserve(_owner uuid, _account bigint[], _id uuid[], _want bigint[], _least bigint[], _key bigint[],
  _pool text[], _pool_max int[], _group text[], _group_max int[], _ttl interval)
returns table (n int, granted bigint, available bigint, reserved bigint, refused text, key_left bigint) language plpgsql
set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare r record; payers bigint[]; current bigint; left_over bigint; held bigint; payable bigint; setting text;
  taken jsonb; -- in this batch, by the account at hand: slots by pool and group, money by key and member
  places bigint[] := '{}'; amounts bigint[] := '{}'; unmoved int; unknown_keys int; moment timestamptz;
begin
  setting := set_config('synchronous_commit', 'off', true);
  payers := array(select b.account_id
    from (select q.account_id, min(q.least) as least, bool_or(h.id is not null) as is_held
        from unnest(_account, _id, _least) q(account_id, id, least) left join hold h on h.account_id = q.account_id and h.id = q.id
        group by q.account_id) asked
    join balance b on b.account_id = asked.account_id
    where b.available >= asked.least or asked.is_held order by b.account_id for no key update of b);
  moment := clock_timestamp();
  for r in
    select q.n::int as n, q.account_id, q.want, q.least, q.key_id, 'pool ' || q.pool as pool, q.pool_max, 'group ' || q.pool_group as pool_group,
      q.group_max, b.available, b.reserved, h.amount as existing,
      budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, moment) as key_left,
      k.member_id, budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, moment) as member_left,
      case when q.pool is not null then (select count(*) from hold s where s.account_id = q.account_id and s.pool = q.pool
        and s.expires_at > now()) end as pool_used,
      case when q.pool_group is not null then (select count(*) from hold s where s.account_id = q.account_id and s.pool is not null
        and s.pool_group = q.pool_group and s.expires_at > now()) end as group_used
    from unnest(_account, _id, _want, _least, _key, _pool, _pool_max, _group, _group_max)
      with ordinality q(account_id, id, want, least, key_id, pool, pool_max, pool_group, group_max, n)
    join balance b on b.account_id = q.account_id
    left join hold h on h.account_id = q.account_id and h.id = q.id
    left join key_budget k on k.account_id = q.account_id and k.key_id = q.key_id
    left join member_budget m on m.account_id = k.account_id and m.person_id = k.member_id
    order by q.account_id, q.n
  loop
    if current is distinct from r.account_id then
      current := r.account_id; left_over := r.available; held := r.reserved; taken := '{}';
    end if;
    n := r.n; available := left_over; reserved := held; key_left := null; granted := null; refused := null;
    if r.key_left is not null then key_left := r.key_left - coalesce((taken ->> ('key ' || r.key_id))::bigint, 0); end if;
    if r.member_left is not null then
      key_left := least(key_left, r.member_left - coalesce((taken ->> ('member ' || r.member_id))::bigint, 0));
    end if;
    payable := case when key_left < 0 then 0 else key_left end;
    if r.existing is not null then granted := r.existing;           -- a retried batch
    elsif r.pool_used + coalesce((taken ->> r.pool)::int, 0) >= r.pool_max then refused := 'slot';
    elsif r.group_used + coalesce((taken ->> r.pool_group)::int, 0) >= r.group_max then refused := 'group';
    elsif left_over < 0 or r.least > left_over or r.account_id <> all(payers) then refused := 'balance';
    elsif r.least > payable then refused := 'key';
    else
      granted := least(r.want, left_over, payable);
      left_over := left_over - granted; held := held + granted;
      places := places || r.n; amounts := amounts || granted;
      if r.key_left is not null then
        taken := jsonb_set(taken, array['key ' || r.key_id], to_jsonb(coalesce((taken ->> ('key ' || r.key_id))::bigint, 0) + granted));
      end if;
      if r.member_left is not null then
        taken := jsonb_set(taken, array['member ' || r.member_id],
          to_jsonb(coalesce((taken ->> ('member ' || r.member_id))::bigint, 0) + granted));
      end if;
      if r.pool is not null then taken := jsonb_set(taken, array[r.pool], to_jsonb(coalesce((taken ->> r.pool)::int, 0) + 1)); end if;
      if r.pool_group is not null then
        taken := jsonb_set(taken, array[r.pool_group], to_jsonb(coalesce((taken ->> r.pool_group)::int, 0) + 1));
      end if;
    end if;
    return next;
  end loop;

  setting := set_config('svc.moved', 'by the ledger', true); -- of this statement alone; an error resets it
  with added as (
    insert into hold (account_id, id, amount, owner, expires_at, key_id, pool, pool_group)
      select _account[g.n], _id[g.n], g.amount, _owner, now() + _ttl, _key[g.n], _pool[g.n], _group[g.n]
      from unnest(places, amounts) g(n, amount)
    returning account_id, key_id, amount
  ), moved as (
    select account_id, key_id, sum(amount)::bigint as held from added group by account_id, key_id
  ), totals as (
    select account_id, sum(held)::bigint as held from moved group by account_id
  ), balances as (
    update balance b set available = b.available - t.held, reserved = b.reserved + t.held
    from totals t where b.account_id = t.account_id and b.available >= t.held returning 1
  ), budgets as (
    update key_budget k set reserved = k.reserved + m.held
    from moved m where k.key_id = m.key_id and k.account_id = m.account_id returning 1
  )
  select (select count(*) from totals) - (select count(*) from balances),
    (select count(*) from moved where key_id is not null) - (select count(*) from budgets) into unmoved, unknown_keys;
  setting := set_config('svc.moved', '', true);
  if unmoved > 0 then raise exception 'a hold is above what its account has available' using errcode = 'check_violation'; end if;
  if unknown_keys > 0 then raise exception 'a hold names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
end $$;
