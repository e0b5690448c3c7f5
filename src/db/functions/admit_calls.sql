-- Counts and holds for the calls of each account whose calls certainly all fit: within every limit, and in full within the balance and the
-- keys' budgets. If one call of an account may not fit, the account is not returned and nothing is done for it: rate_take and ledger_reserve
-- decide its calls one by one. So the usual call takes one statement of few steps.
--
-- _account…, _key…, _window…: what the whole batch takes from each balance, budget and window, sorted, since windows are locked in the order
-- of rate_take; _call…: its calls. A window without a limit has one above any count. Returned, as arrays: the accounts with their balance and
-- the count of their window _shown, and what the keys have left (null: no limit), all of them afterwards. The clock and the windows are those
-- of rate_take, the settings those of ledger_reserve.
--
-- A member's budget certainly suffices where it has as much left as the whole batch takes from the account.
--
-- The balances are locked first. What else was read before that is checked again where it is changed, and members' budgets after it: if it no
-- longer holds, or the minute has ended, everything fails with serialization_failure, and the caller repeats.
create or replace function admit_calls(_owner uuid, _ttl interval, _shown text, _account bigint[], _want bigint[],
  _key_account bigint[], _key bigint[], _key_want bigint[],
  _window_account bigint[], _bucket text[], _seconds int[], _amount bigint[], _limit bigint[],
  _call_account bigint[], _call_id uuid[], _call_want bigint[], _call_key bigint[],
  out at_ms bigint, out accounts bigint[], out available bigint[], out reserved bigint[], out n bigint[], out previous bigint[],
  out keys bigint[], out keys_left bigint[])
language plpgsql set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare setting text; is_whole boolean; has_members boolean; members_left bigint; moment timestamptz := clock_timestamp();
begin
  at_ms := floor(extract(epoch from moment) * 1000);
  setting := set_config('synchronous_commit', 'off', true);
  setting := set_config('svc.moved', 'by the ledger', true); -- of this statement alone; an error resets it
  with asked as materialized (
    select * from unnest(_account, _want) a(account_id, want)
  ), budgets as materialized (
    select * from unnest(_key_account, _key, _key_want) k(account_id, key_id, want)
  ), windows as materialized (
    select t.account_id, t.bucket, t.amount, to_timestamp(s.starts) as starts_at, w.n, coalesce(p.n, 0) as previous,
      t.most - (coalesce(p.n, 0) * (t.ms - at_ms % t.ms) + t.ms - 1) / t.ms as room
    from (select u.*, u.seconds * 1000::bigint as ms from unnest(_window_account, _bucket, _seconds, _amount, _limit)
        u(account_id, bucket, seconds, amount, most)) t
      cross join lateral (select at_ms / t.ms * t.seconds as starts) s
      left join rate_window w on w.account_id = t.account_id and w.bucket = t.bucket and w.starts_at = to_timestamp(s.starts)
      left join rate_window p on p.account_id = t.account_id and p.bucket = t.bucket and p.starts_at = to_timestamp(s.starts - t.seconds)
  ), able as materialized (
    select b.account_id, a.want from asked a join balance b on b.account_id = a.account_id
    where b.available >= a.want
      and not exists (select from windows w where w.account_id = a.account_id and (w.n is null or w.n + w.amount > w.room))
      and not exists (select from budgets k join key_budget g on g.key_id = k.key_id
        where k.account_id = a.account_id and (
          budget_left(g.limit_amount, g.spent, g.reserved, g.period_limit, g.period_spent, g.period_ends, moment) < k.want
          or g.member_id is not null and a.want > (select budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent,
            m.period_ends, moment) from member_budget m where m.account_id = g.account_id and m.person_id = g.member_id)))
      and not exists (select from unnest(_call_account, _call_id) c(account_id, id) join hold h on h.account_id = c.account_id and h.id = c.id
        where c.account_id = a.account_id) -- a repeated batch
    order by b.account_id for no key update of b
  ), funds as (
    update balance b set available = b.available - a.want, reserved = b.reserved + a.want
    from able a where b.account_id = a.account_id
    returning b.account_id, b.available, b.reserved
  ), allowed as (
    update key_budget g set reserved = g.reserved + k.want
    from able a join budgets k on k.account_id = a.account_id
    where g.key_id = k.key_id and g.account_id = k.account_id
      and coalesce(budget_left(g.limit_amount, g.spent, g.reserved, g.period_limit, g.period_spent, g.period_ends, moment) >= k.want, true)
    returning g.account_id, g.key_id, g.member_id,
      budget_left(g.limit_amount, g.spent, g.reserved, g.period_limit, g.period_spent, g.period_ends, moment) as key_left
  ), counted as (
    update rate_window w set n = w.n + t.amount
    from able a join windows t on t.account_id = a.account_id
    where w.account_id = t.account_id and w.bucket = t.bucket and w.starts_at = t.starts_at and w.n + t.amount <= t.room
    returning w.account_id, w.bucket, w.n, t.previous
  ), holds as (
    insert into hold (account_id, id, amount, owner, expires_at, key_id)
      select c.account_id, c.id, c.want, _owner, now() + _ttl, c.key_id
      from able a join unnest(_call_account, _call_id, _call_want, _call_key) c(account_id, id, want, key_id) on c.account_id = a.account_id
    returning 1
  )
  select array_agg(f.account_id), array_agg(f.available), array_agg(f.reserved), array_agg(c.n), array_agg(c.previous),
      (select array_agg(l.key_id order by l.key_id) from allowed l), (select array_agg(l.key_left order by l.key_id) from allowed l),
      (select bool_or(l.member_id is not null) from allowed l), count(*) = (select count(*) from able)
        and (select count(*) from allowed) = (select count(*) from able join budgets using (account_id))
        and (select count(*) from counted) = (select count(*) from able join windows using (account_id))
    into accounts, available, reserved, n, previous, keys, keys_left, has_members, is_whole
    from funds f join counted c on c.account_id = f.account_id and c.bucket = _shown;
  setting := set_config('svc.moved', '', true);
  if has_members then
    select array_agg(least(l.key_left, m.left_over) order by l.key_id), min(m.left_over) into keys_left, members_left
      from unnest(keys, keys_left) l(key_id, key_left) join key_budget g on g.key_id = l.key_id
      left join lateral (select budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, moment) as left_over
        from member_budget m where m.account_id = g.account_id and m.person_id = g.member_id) m on true;
    is_whole := is_whole and coalesce(members_left >= 0, true);
  end if;
  if not is_whole or at_ms / 60000 <> floor(extract(epoch from clock_timestamp()) / 60) then
    raise exception 'the counts or the money changed while they were taken' using errcode = 'serialization_failure';
  end if;
end $$;
