-- Ends holds and charges what the log rows say, exactly once: only a new log row makes an entry, and its key is fixed by the request, so
-- a repeated batch changes nothing. A hold that was swept is charged all the same. Durable before it returns. A balance that is locked is
-- given up after a second.
--
-- It moves balances and budgets and chains its entries itself, a batch at once, where the triggers would do so row by row; its settings
-- tell them. Charges that are there already are left out beforehand, since a link that is passed over would leave a gap. All of it is one
-- statement, which reads what the lock before it waited for. One plan a connection, made when the tables are small and used when they are
-- big: look-ups by index alone.
create or replace function ledger_settle(_account bigint[], _id uuid[], _logs jsonb)
returns table (account_id bigint, balance bigint) language plpgsql
set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
declare accounts bigint[]; left_over bigint[]; unmoved int; unknown_keys int; setting text;
begin
  -- A charge is durable also where the server doesn't usually wait for the disk. Set for the transaction: the function ends before the commit.
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
      union all select account_id, key_id, 0, -amount from charged
      union all select account_id, null, 0, 0 from unnest(_account) u(account_id) -- whose balance is asked for, whatever moves it
    ) m group by account_id, key_id
  ), totals as (
    select account_id, sum(held)::bigint as held, sum(cost)::bigint as cost from moved group by account_id
  ), balances as (
    update balance b set available = b.available + t.held - t.cost, reserved = b.reserved - t.held, spent = b.spent + t.cost
    from totals t where b.account_id = t.account_id returning b.account_id, b.available + b.reserved as balance
  ), budgets as (
    update key_budget k set spent = k.spent + m.cost, reserved = k.reserved - m.held
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
