-- Ends holds and charges what the log rows say, exactly once: only a new log row makes an entry, and its key is fixed by the request, so
-- a repeated batch changes nothing. Durable before it returns. A balance that is locked is given up after a second.
--
-- Both forms move balances and budgets and chain their entries themselves, a batch at once, where the triggers would do so row by row;
-- their settings tell them. One plan a connection, made when the tables are small and used when they are big: look-ups by index alone.

-- The usual settlement: every hold is there, as large as the call says, and no call was settled before. Anything else fails, with whatever
-- error comes first, and nothing is done: the other form then decides. So little is left to compute here.
--
-- _account…, _key…: what the batch gives back and charges in all to each balance and budget, the accounts sorted, as balances are locked in
-- the order of their accounts. _call: of each account in the order in which they are chained. Returns the balances, in the order of _account.
--
-- _carved of the calls have no hold of their own, but took theirs of a slice (escrow_take): _slice…: what these take off their slices for good.
-- One that is over has no call in flight left, and _taken is all it holds; it ends with its windows, as in escrow_close. _oldest: when the
-- first of the calls came in.
--
-- The first statement locks the balances as it moves them; the second one reads the ends of the chains as the locks before it left them.
create or replace function ledger_settle(_account bigint[], _held bigint[], _cost bigint[],
  _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call tagged_call[], _carved int,
  _slice_account bigint[], _slice uuid[], _taken bigint[], _is_over boolean[],
  _window_account bigint[], _bucket text[], _starts_at timestamptz[], _unused bigint[], _oldest timestamptz) returns bigint[] language plpgsql
set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare left_over bigint[]; budgets int; holds int; slices int; ended int; setting text;
  moment timestamptz := clock_timestamp();
begin
  -- A charge is durable also where the server doesn't usually wait for the disk. Set for the transaction: the function ends before the commit.
  if current_setting('synchronous_commit') = 'off' then setting := set_config('synchronous_commit', 'on', true); end if;
  setting := set_config('svc.moved', 'by the ledger', true);
  with balances as (
    update balance b set available = b.available + t.held - t.cost, reserved = b.reserved - t.held, spent = b.spent + t.cost
    from unnest(_account, _held, _cost) t(account_id, held, cost) where b.account_id = t.account_id
    returning b.account_id, b.available + b.reserved as balance
  ), budgets as (
    update key_budget k set spent = k.spent + t.cost, reserved = k.reserved - t.held,
      period_spent = budget_period_spent(k.period, k.period_spent, k.period_ends, t.cost, moment),
      period_ends = budget_period_ends(k.period, k.period_ends, moment)
    from unnest(_key_account, _key, _key_held, _key_cost) t(account_id, key_id, held, cost)
    where k.key_id = t.key_id and k.account_id = t.account_id returning 1
  ), ended as (
    delete from hold h using unnest(_call) c
    where h.account_id = c.account_id and h.id = c.id and h.amount = c.reserved and h.key_id is not distinct from c.key_id returning 1
  ), shrunk as (
    update hold h set amount = h.amount - s.taken from unnest(_slice_account, _slice, _taken, _is_over) s(account_id, id, taken, is_over)
    where h.account_id = s.account_id and h.id = s.id and h.amount >= s.taken and not s.is_over returning 1
  ), logged as (
    insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, alias, served_model, status, http_status,
        error_code, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices,
        attempts, stream, fallback_layer, latency_ms, first_byte_ms, model_type, error_message, units, unit, expense,
        cache_write_1h_tokens, tags)
      select account_id, created_at, id, request_id, key_id, operation, model, alias, served_model, status, http_status,
        error_code, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices,
        attempts, stream, fallback_layer, latency_ms, first_byte_ms, model_type, error_message, units, unit, expense,
        cache_write_1h_tokens, tags from unnest(_call)
  )
  select array_agg(balance order by account_id), (select count(*) from budgets), (select count(*) from ended), (select count(*) from shrunk)
    into left_over, budgets, holds, slices from balances;
  if true = any (_is_over) then
    delete from hold h using unnest(_slice_account, _slice, _taken, _is_over) s(account_id, id, taken, is_over)
      where h.account_id = s.account_id and h.id = s.id and h.amount = s.taken and s.is_over;
    get diagnostics ended = row_count;
    slices := slices + ended;
    perform escrow_closed(array(select a from unnest(_slice_account, _is_over) s(a, is_over) where is_over),
      _window_account, _bucket, _starts_at, _unused);
  end if;
  setting := set_config('svc.chained', 'by ledger_settle', true);
  insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
    select account_id, created_at, id, 'usage', -cost, request_id, key_id, seq, balance_after,
      entry_hashes(before, entry_text(account_id, seq, created_at, id, 'usage', -cost, request_id, key_id, balance_after))
        over (partition by account_id order by seq)
    from (select c.*, e.hash as before, coalesce(e.seq, 0) + c.place as seq, coalesce(e.balance_after, 0) - c.total as balance_after
      from unnest(_account) a(account_id)
      left join lateral (select * from ledger_entry e where e.account_id = a.account_id order by e.seq desc limit 1) e on true
      join unnest(_call) c on c.account_id = a.account_id where c.cost > 0) placed;
  setting := set_config('svc.moved', '', true);
  setting := set_config('svc.chained', '', true);
  if coalesce(cardinality(left_over), 0) <> cardinality(_account) or budgets <> cardinality(_key)
      or holds <> cardinality(_call) - _carved or slices <> cardinality(_slice) then
    raise exception 'a hold, a balance or a budget is not what the batch says' using errcode = 'no_data_found';
  end if;
  -- By the clock of now, when this transaction has its id (usage_roll_up.sql); the other form names such rows.
  if _oldest < clock_timestamp() - usage_late_after() then
    raise exception 'a call came in so long ago that it may be in no sum' using errcode = 'no_data_found';
  end if;
  return left_over;
end $$;

-- As a gateway of the previous version calls it, without tags.
create or replace function ledger_settle(_account bigint[], _held bigint[], _cost bigint[],
  _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call settled_call[], _carved int,
  _slice_account bigint[], _slice uuid[], _taken bigint[], _is_over boolean[],
  _window_account bigint[], _bucket text[], _starts_at timestamptz[], _unused bigint[]) returns bigint[] language sql as $$
  select ledger_settle(_account, _held, _cost, _key_account, _key, _key_held, _key_cost,
    array(select row(c.*, null)::tagged_call from unnest(_call) c), _carved, _slice_account, _slice, _taken, _is_over,
    _window_account, _bucket, _starts_at, _unused, (select min(created_at) from unnest(_call)))
$$;

-- As a gateway of the previous version calls it.
create or replace function ledger_settle(_account bigint[], _held bigint[], _cost bigint[],
  _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call settled_call[]) returns bigint[] language sql as $$
  select ledger_settle(_account, _held, _cost, _key_account, _key, _key_held, _key_cost, _call, 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')
$$;

-- Of any batch, also one that was settled before, in part or in all, and one whose holds were swept: a call without a hold is charged all
-- the same. One that comes late is named in usage_late. _slice, _taken: of each call, what it takes off which slice, where that holds as much;
-- null: it has a hold of its own. A slice that it empties stays. It locks first: all that follows is one statement, which reads what the locks before it left. Charges that are there already
-- are left out beforehand, since a link that is passed over would leave a gap.
create or replace function ledger_settle(_account bigint[], _id uuid[], _logs jsonb, _slice uuid[], _taken bigint[])
returns table (account_id bigint, balance bigint) language plpgsql
set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare accounts bigint[]; left_over bigint[]; unmoved int; unknown_keys int; setting text;
  moment timestamptz := clock_timestamp();
begin
  if current_setting('synchronous_commit') = 'off' then setting := set_config('synchronous_commit', 'on', true); end if;
  perform 1 from balance b where b.account_id = any(_account) order by b.account_id for no key update;
  setting := set_config('svc.moved', 'by the ledger', true);
  setting := set_config('svc.chained', 'by ledger_settle', true);
  with ended as (
    delete from hold h using unnest(_account, _id) s(account_id, id) where h.account_id = s.account_id and h.id = s.id
    returning h.account_id, h.key_id, h.amount
  ), logged as (
    insert into usage_log select l.* from jsonb_populate_recordset(null::usage_log, _logs) l on conflict do nothing
    returning account_id, created_at, id, request_id, key_id, cost
  ), late as (
    insert into usage_late select account_id, created_at, id from logged where created_at < clock_timestamp() - usage_late_after()
  ), taken as materialized (
    select h.account_id, h.id, h.key_id, least(h.amount, sum(s.taken))::bigint as amount
    from unnest(_account, _id, _slice, _taken) s(account_id, id, slice, taken)
    join logged l on l.account_id = s.account_id and l.id = s.id
    join hold h on h.account_id = s.account_id and h.id = s.slice
    group by h.account_id, h.id
  ), shrunk as (
    update hold h set amount = h.amount - t.amount from taken t where h.account_id = t.account_id and h.id = t.id
  ), last as materialized (
    select a.account_id, e.seq, e.balance_after, e.hash from (select distinct l.account_id from logged l) a
    left join lateral (select * from ledger_entry e where e.account_id = a.account_id order by e.seq desc limit 1) e on true
  ), placed as (
    select l.*, last.hash as before, coalesce(last.seq, 0) + row_number() over one as seq,
      coalesce(last.balance_after, 0) - (sum(l.cost) over one)::bigint as balance_after
    from logged l join last on last.account_id = l.account_id
    where l.cost > 0
      and (select e.seq from ledger_entry e where e.account_id = l.account_id and e.id = l.id and e.kind = 'usage') is null
    window one as (partition by l.account_id order by l.id)
  ), charged as (
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
      select account_id, created_at, id, 'usage', -cost, request_id, key_id, seq, balance_after,
        entry_hashes(before, entry_text(account_id, seq, created_at, id, 'usage', -cost, request_id, key_id, balance_after))
          over (partition by account_id order by id)
      from placed
    returning account_id, key_id, amount
  ), moved as (
    select account_id, key_id, sum(held)::bigint as held, sum(cost)::bigint as cost from (
      select account_id, key_id, amount as held, 0 as cost from ended
      union all select account_id, key_id, amount, 0 from taken
      union all select account_id, key_id, 0, -amount from charged
      union all select account_id, null, 0, 0 from unnest(_account) u(account_id) -- whose balance is asked for, whatever moves it
    ) m group by account_id, key_id
  ), totals as (
    select account_id, sum(held)::bigint as held, sum(cost)::bigint as cost from moved group by account_id
  ), balances as (
    update balance b set available = b.available + t.held - t.cost, reserved = b.reserved - t.held, spent = b.spent + t.cost
    from totals t where b.account_id = t.account_id returning b.account_id, b.available + b.reserved as balance
  ), budgets as (
    update key_budget k set spent = k.spent + m.cost, reserved = k.reserved - m.held,
      period_spent = budget_period_spent(k.period, k.period_spent, k.period_ends, m.cost, moment),
      period_ends = budget_period_ends(k.period, k.period_ends, moment)
    from moved m where k.key_id = m.key_id and k.account_id = m.account_id returning 1
  )
  select array_agg(b.account_id), array_agg(b.balance), (select count(*) from totals) - count(*),
    (select count(*) from moved where key_id is not null) - (select count(*) from budgets)
    into accounts, left_over, unmoved, unknown_keys from balances b;
  setting := set_config('svc.moved', '', true);
  setting := set_config('svc.chained', '', true);
  if unmoved > 0 then raise exception 'an entry names an unknown account' using errcode = 'foreign_key_violation'; end if;
  if unknown_keys > 0 then raise exception 'an entry names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
  return query select * from unnest(accounts, left_over);
end $$;

-- As a gateway of the previous version calls it.
create or replace function ledger_settle(_account bigint[], _id uuid[], _logs jsonb)
returns table (account_id bigint, balance bigint) language sql as $$
  select account_id, balance from ledger_settle(_account, _id, _logs, '{}', '{}')
$$;
