-- Opens a slice, or adds to it: what some calls to come will take of the balance, of the key's budget and of the limits, and with it a call that
-- is asked for now, if any. Never more than a tenth of what the balance, the budget and each limit have left.
--
-- _want, _amount: what the call takes now, in full or not at all. _more, _more_amount: what _calls further ones take together; lowered to as
-- many as may be taken. Fewer than _least of them: calls is null, and nothing is done. A null limit has room for all. Returned are the counts and
-- amounts afterwards; more, more_amounts: what was taken beside the call's own. Commits without waiting for the disk, as a reservation.
create or replace function escrow_take(_owner uuid, _ttl interval, _slice uuid, _opens boolean, _account bigint, _key bigint,
  _want bigint, _more bigint, _calls int, _least int, _bucket text[], _seconds int[], _amount bigint[], _more_amount bigint[], _limit bigint[],
  out calls int, out at_ms bigint, out more bigint, out available bigint, out reserved bigint, out key_left bigint,
  out counts bigint[], out previous bigint[], out more_amounts bigint[])
language plpgsql set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare setting text; minute bigint; member bigint; found_windows int; fit numeric; places int := cardinality(_bucket);
  moment timestamptz := clock_timestamp();
begin
  setting := set_config('synchronous_commit', 'off', true);
  minute := floor(extract(epoch from moment) / 60);
  select b.available, b.reserved into available, reserved from balance b where b.account_id = _account for no key update;
  key_left := key_budget_left(_account, _key, moment);
  perform 1 from unnest(_bucket, _seconds) u(b, sec) join rate_window w
    on w.account_id = _account and w.bucket = u.b and w.starts_at = to_timestamp(minute * 60 / u.sec * u.sec)
    order by w.bucket, w.starts_at for no key update of w;
  at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
  if at_ms / 60000 <> minute then return; end if;
  -- A statement after the locks reads what the last holder of each left.
  select count(w.n), array_agg(w.n order by u.i), array_agg(coalesce(p.n, 0) order by u.i),
      min(case when u.most is null then null
        when w.n + u.amount + (coalesce(p.n, 0) * (u.ms - at_ms % u.ms) + u.ms - 1) / u.ms > u.most then -1
        when u.more = 0 then null
        else (u.most - w.n - u.amount - (coalesce(p.n, 0) * (u.ms - at_ms % u.ms) + u.ms - 1) / u.ms) / 10 * _calls::numeric / u.more end)
    into found_windows, counts, previous, fit
    from (select *, sec * 1000::bigint as ms, minute * 60 / sec * sec as starts from unnest(_bucket, _seconds, _amount, _more_amount, _limit)
      with ordinality u(b, sec, amount, more, most, i)) u
    left join rate_window w on w.account_id = _account and w.bucket = u.b and w.starts_at = to_timestamp(u.starts)
    left join rate_window p on p.account_id = _account and p.bucket = u.b and p.starts_at = to_timestamp(u.starts - u.sec);
  if found_windows <> places or available is null or available < _want or key_left < _want then return; end if;
  calls := floor(least(_calls, fit, (available - _want) / 10 * _calls::numeric / nullif(_more, 0),
    (key_left - _want) / 10 * _calls::numeric / nullif(_more, 0)));
  if calls < _least then calls := null; return; end if;
  more := floor(_more::numeric * calls / _calls);
  more_amounts := array(select floor(u.more::numeric * calls / _calls)::bigint from unnest(_more_amount) with ordinality u(more, i) order by i);
  counts := array(select a + b + c from unnest(counts, _amount, more_amounts) with ordinality u(a, b, c, i) order by i);

  setting := set_config('svc.moved', 'by the ledger', true);
  update balance b set available = b.available - _want - more, reserved = b.reserved + _want + more where b.account_id = _account
    returning b.available, b.reserved into available, reserved;
  if _key is not null then
    update key_budget k set reserved = k.reserved + _want + more where k.account_id = _account and k.key_id = _key
      and coalesce(budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, moment) >= _want + more, true)
      returning budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, moment), k.member_id
      into key_left, member;
    if not found then raise exception 'the budget changed while it was taken' using errcode = 'serialization_failure'; end if;
    if member is not null then -- whose limit changes under the lock of the balance alone
      select least(key_left, budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, moment))
        into key_left from member_budget m where m.account_id = _account and m.person_id = member;
    end if;
  end if;
  update rate_window w set n = u.n from unnest(_bucket, _seconds, counts) u(b, sec, n)
    where w.account_id = _account and w.bucket = u.b and w.starts_at = to_timestamp(minute * 60 / u.sec * u.sec);
  if _opens then
    insert into hold (account_id, id, amount, owner, expires_at, key_id, pool) values (_account, _slice, _want + more, _owner, now() + _ttl, _key, 'escrow');
  else
    update hold h set amount = h.amount + _want + more where h.account_id = _account and h.id = _slice and h.pool = 'escrow';
    if not found then raise exception 'the slice has ended' using errcode = 'no_data_found'; end if;
  end if;
  setting := set_config('svc.moved', '', true);
end $$;
