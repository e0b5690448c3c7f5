-- Adds a step of the usage log to usage_rollup, usage_total, usage_fact and usage_active: what came in since closed_until, at most _most of it, and the late rows before it.
--
-- A row that is not in usage_late was found young enough (usage_late_after) by a transaction that had its id by then. So of what came in
-- _settled ago, which is longer, nothing more comes once all transactions have ended whose ids had been given out: next_xid and next_until
-- keep that moment until it is so. One process at a time; while another works, nothing is done. Each statement sees what the locks and
-- checks before it left; the one that adds is alone, so that a late row is either in the log that it sums or still in usage_late.
create or replace function usage_roll_up(_settled interval, _most interval, out added bigint, out is_done boolean) language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare state usage_rollup_state; until timestamptz;
begin
  added := 0;
  is_done := true;
  if not pg_try_advisory_xact_lock(7322009) then return; end if;
  select * into state from usage_rollup_state;
  -- Its own id is above all that were given out before; the xmax of a snapshot is not. A rebuild has its id from before, so it leaves this alone.
  if state.next_xid is null and pg_current_xact_id_if_assigned() is null then
    state.next_until := statement_timestamp() - _settled;
    state.next_xid := pg_current_xact_id();
  end if;
  if state.next_xid <= (select pg_snapshot_xmin(pg_current_snapshot())) then
    state.safe_until := greatest(state.safe_until, state.next_until);
    state.next_xid := null;
  end if;
  -- Where there are sums already, those over all accounts begin with the next whole day: what lies before may have been added without them.
  if state.whole_since is null then
    state.whole_since := case when state.closed_until = '-infinity' then state.closed_until
      else date_bin('1 day', state.closed_until, timestamptz '2000-01-01 00:00Z') + interval '1 day' end;
  end if;
  -- The same of the costs of routes, which came later.
  if state.routes_since is null then
    state.routes_since := case when state.closed_until = '-infinity' then state.closed_until
      else date_bin('1 day', state.closed_until, timestamptz '2000-01-01 00:00Z') + interval '1 day' end;
  end if;
  if state.closed_until = '-infinity' then state.closed_until := coalesce(usage_log_begins(), state.safe_until); end if;
  until := greatest(state.closed_until, least(state.safe_until, state.closed_until + _most));
  if until > state.closed_until or exists (select from usage_late where created_at < state.closed_until) then
    added := usage_add(state.closed_until, until);
  end if;
  update usage_rollup_state set closed_until = until, safe_until = state.safe_until, next_until = state.next_until, next_xid = state.next_xid,
    whole_since = state.whole_since, routes_since = state.routes_since;
  is_done := until >= state.safe_until;
end $$;

-- Whether the last route that was asked, which has the call's charge, named no cost. Without one nothing was asked.
create or replace function usage_lacks_cost(_attempts jsonb) returns boolean language sql immutable parallel safe
return coalesce(not _attempts -> -1 ? 'cost', false);

-- What came in without a known cost. A sum from before it was counted is of one route, which as a rule names a cost for all calls or for none.
create or replace function usage_unmatched(_unmatched bigint, _expense bigint, _route text, _cost bigint)
returns bigint language sql immutable parallel safe
return coalesce(_unmatched, case when _expense is null and _route <> '' then _cost else 0 end);

-- Where the oldest month of the log with a row begins; null: the log is empty.
create or replace function usage_log_begins() returns timestamptz language plpgsql as $$
declare part text; has_rows boolean;
begin
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_log'::regclass order by 1 loop
    execute format('select exists (select from %I)', part) into has_rows;
    if has_rows then return to_date(right(part, 7), 'YYYY_MM')::timestamp at time zone 'utc'; end if;
  end loop;
  return null;
end $$;

-- Adds all of the log between the times, and the late rows before them. Returns the rows of the log.
create or replace function usage_add(_from timestamptz, _until timestamptz) returns bigint language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare rows_added bigint; late_since timestamptz;
begin
  with late as (
    delete from usage_late where created_at < _until returning account_id, created_at, id
  ), log_row as (
    select account_id, created_at, id, key_id, operation, model, status, attempts, input_tokens, cache_read_tokens, cache_write_tokens,
      output_tokens, reasoning_tokens, cost, expense, latency_ms, stream, first_byte_ms, tags, error_code
    from usage_log where created_at >= _from and created_at < _until
    union all
    select l.account_id, l.created_at, l.id, l.key_id, l.operation, l.model, l.status, l.attempts, l.input_tokens, l.cache_read_tokens,
      l.cache_write_tokens, l.output_tokens, l.reasoning_tokens, l.cost, l.expense, l.latency_ms, l.stream, l.first_byte_ms, l.tags, l.error_code
    from late p join usage_log l on l.account_id = p.account_id and l.created_at = p.created_at and l.id = p.id where p.created_at < _from
  ), tagged as (
    insert into usage_tagged (account_id, tag_hash, created_at, id)
    select l.account_id, usage_tag_hash(tag), l.created_at, l.id from log_row l cross join usage_tags(l.tags) tag on conflict do nothing
  ), quarter as materialized (
    select l.account_id, date_bin('15 minutes', l.created_at, timestamptz '2000-01-01 00:00Z') as starts_at, t.tag, l.model,
      coalesce(l.key_id, 0) as key_id, l.operation, l.status = 'failed' as failed, coalesce(l.attempts -> -1 ->> 'route', '') as route,
      count(*) as requests, sum(l.input_tokens) as input_tokens, sum(l.cache_read_tokens) as cache_read_tokens,
      sum(l.cache_write_tokens) as cache_write_tokens, sum(l.output_tokens) as output_tokens, sum(l.reasoning_tokens) as reasoning_tokens,
      sum(l.cost) as cost, sum(l.expense) as expense, coalesce(sum(l.cost) filter (where usage_lacks_cost(l.attempts)), 0) as unmatched,
      sum(usage_histogram(l.latency_ms)) as latency, sum(usage_histogram(case when l.stream then l.first_byte_ms end)) as first_byte
    from log_row l cross join lateral (select null as tag union all select * from usage_tags(l.tags)) t
    group by 1, 2, 3, 4, 5, 6, 7, 8
  ), added as (
    insert into usage_rollup as r (account_id, span, starts_at, tag_hash, model, key_id, operation, failed, route, tag, requests, input_tokens,
      cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, expense, unmatched, latency, first_byte)
    select account_id, span, date_bin(make_interval(mins => span), starts_at, timestamptz '2000-01-01 00:00Z'), usage_tag_hash(tag), model,
      key_id, operation, failed, route, tag, sum(requests), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
      sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(expense), sum(unmatched), sum(latency), sum(first_byte)
    from quarter cross join unnest(array[15, 60, 1440]) span
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    on conflict (account_id, span, starts_at, tag_hash, model, key_id, operation, failed, route) do update set
      requests = r.requests + excluded.requests, input_tokens = r.input_tokens + excluded.input_tokens,
      cache_read_tokens = r.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = r.cache_write_tokens + excluded.cache_write_tokens, output_tokens = r.output_tokens + excluded.output_tokens,
      reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens, cost = r.cost + excluded.cost,
      expense = case when r.expense is null then excluded.expense else r.expense + coalesce(excluded.expense, 0) end,
      unmatched = usage_unmatched(r.unmatched, r.expense, r.route, r.cost) + excluded.unmatched,
      latency = r.latency + excluded.latency, first_byte = r.first_byte + excluded.first_byte
  ), total as (
    insert into usage_total as r (span, starts_at, model, operation, failed, route, requests, input_tokens, cache_read_tokens,
      cache_write_tokens, output_tokens, reasoning_tokens, cost, expense, unmatched, latency, first_byte)
    select span, date_bin(make_interval(mins => span), starts_at, timestamptz '2000-01-01 00:00Z'), model, operation, failed, route,
      sum(requests), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens), sum(cost),
      sum(expense), sum(unmatched), sum(latency), sum(first_byte)
    from quarter cross join unnest(array[15, 60, 1440]) span where tag is null
    group by 1, 2, 3, 4, 5, 6
    on conflict (span, starts_at, model, operation, failed, route) do update set
      requests = r.requests + excluded.requests, input_tokens = r.input_tokens + excluded.input_tokens,
      cache_read_tokens = r.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = r.cache_write_tokens + excluded.cache_write_tokens, output_tokens = r.output_tokens + excluded.output_tokens,
      reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens, cost = r.cost + excluded.cost,
      expense = case when r.expense is null then excluded.expense else r.expense + coalesce(excluded.expense, 0) end,
      unmatched = r.unmatched + excluded.unmatched, latency = r.latency + excluded.latency, first_byte = r.first_byte + excluded.first_byte
  ), quarter_fact as (
    select date_bin('15 minutes', l.created_at, timestamptz '2000-01-01 00:00Z') as starts_at, f.kind, f.name,
      sum(f.calls) as calls, sum(f.failures) as failures, sum(f.cost) as cost
    from log_row l cross join usage_facts(l.error_code, l.attempts) f
    group by 1, 2, 3
  ), fact as (
    insert into usage_fact as f (span, starts_at, kind, name, calls, failures, cost)
    select span, date_bin(make_interval(mins => span), starts_at, timestamptz '2000-01-01 00:00Z'), kind, name, sum(calls), sum(failures), sum(cost)
    from quarter_fact cross join unnest(array[15, 60, 1440]) span
    group by 1, 2, 3, 4
    on conflict (span, starts_at, kind, name) do update set calls = f.calls + excluded.calls, failures = f.failures + excluded.failures,
      cost = case when f.cost is null then excluded.cost else f.cost + coalesce(excluded.cost, 0) end
  ), caller as (
    select distinct span, date_bin(make_interval(mins => span), starts_at, timestamptz '2000-01-01 00:00Z') as starts_at, account_id
    from quarter cross join unnest(array[60, 1440]) span
  ), active as (
    insert into usage_active as a (span, starts_at, block, accounts)
    select span, starts_at, account_id / 32768, bit_or(set_bit(B'0'::bit(32768), (account_id % 32768)::int, 1)) from caller group by 1, 2, 3
    on conflict (span, starts_at, block) do update set accounts = a.accounts | excluded.accounts
  )
  select coalesce(sum(requests) filter (where tag is null), 0),
    (select min(created_at) from late where created_at >= (select callers_since from usage_rollup_state))
  into rows_added, late_since from quarter;
  -- The week of a late row and those after it are added up again.
  update usage_rollup_state set callers_until = date_bin('7 days', late_since, 'epoch') where callers_until > late_since;
  return rows_added;
end $$;

-- Adds the next week to usage_caller, from the sums of its days and, at the end of four, from these. Returns whether it did. It waits a day after the
-- end of a week, since jobs may be charged hours after they were ordered. As usage_roll_up, one process at a time.
create or replace function usage_add_week() returns boolean language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  state usage_rollup_state; since timestamptz; four_since timestamptz;
  week constant interval = '7 days'; untagged constant uuid = '00000000-0000-0000-0000-000000000000';
begin
  if not pg_try_advisory_xact_lock(7322009) then return false; end if;
  -- Not without its lock: what deletes old sums moves callers_since as well.
  select * into state from usage_rollup_state for update;
  -- The first week of which all days are there; old ones are deleted.
  select date_bin(week, min(starts_at) + week - interval '1 microsecond', 'epoch') into since from usage_rollup
  where span = 1440 and tag_hash = untagged;
  state.callers_since := greatest(state.callers_since, since);
  since := greatest(state.callers_until, state.callers_since);
  update usage_rollup_state set callers_since = state.callers_since, callers_until = since
  where (callers_since, callers_until) is distinct from (state.callers_since, since);
  if since is null or since + week + interval '1 day' > state.closed_until then return false; end if;
  delete from usage_caller where span = 10080 and starts_at = since;
  insert into usage_caller (span, starts_at, kind, id, requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
    reasoning_tokens, cost, expense, unmatched, latency, first_byte)
  select 10080, since, c.kind, c.id, sum(requests), coalesce(sum(requests) filter (where failed), 0), sum(input_tokens), sum(cache_read_tokens),
    sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(coalesce(expense, case when route = '' then 0 end)),
    sum(usage_unmatched(unmatched, expense, route, cost)), sum(latency), sum(first_byte)
  from usage_rollup cross join lateral (values ('account', account_id), ('key', key_id)) c(kind, id)
  where span = 1440 and starts_at >= since and starts_at < since + week and tag_hash = untagged
  group by c.kind, c.id;
  four_since := date_bin(4 * week, since, 'epoch');
  if since + week = four_since + 4 * week then
    delete from usage_caller where span = 40320 and starts_at = four_since;
    insert into usage_caller (span, starts_at, kind, id, requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
      reasoning_tokens, cost, expense, unmatched, latency, first_byte)
    select 40320, four_since, kind, id, sum(requests), sum(errors), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
      sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(expense), sum(unmatched), sum(latency), sum(first_byte)
    from usage_caller where span = 10080 and starts_at >= four_since and starts_at < four_since + 4 * week
    group by kind, id;
  end if;
  update usage_rollup_state set callers_until = since + week;
  return true;
end $$;

-- Before usage_roll_up adds it all again: forgets the sums of all months that the log still has. In the same transaction.
create or replace function usage_forget() returns void language plpgsql as $$
declare begins timestamptz;
begin
  perform pg_advisory_xact_lock(7322009);
  begins := usage_log_begins();
  delete from usage_rollup where starts_at >= begins;
  delete from usage_total where starts_at >= begins;
  delete from usage_fact where starts_at >= begins;
  delete from usage_active where starts_at >= begins;
  update usage_rollup_state set closed_until = coalesce(begins, closed_until), whole_since = least(whole_since, begins),
    routes_since = least(routes_since, begins),
    callers_until = greatest(callers_since, least(callers_until, date_bin('7 days', begins, 'epoch')));
end $$;
