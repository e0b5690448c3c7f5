-- A database as it was with the migrations up to 0047-voucher-ends, made by make.ts beside it. No secret is in use.
-- {"key":"svc_uBmjx5mXl5Vrk3NJ5C7yr0OoxbuJSEjmRLPk2JORYAl0167oaq","webhook":"whk_01a21fd9f15d75c9a01bdd3f6e41d62f","request":"req_01a21fd9f946707f96bcd4e2f5794e27","response":"resp_01a21fda025c716db423413231ce5b18","conversation":"conv_01a21fda097671babf73033615f55bc3","done":"batch_01a21fda19557370b28d7da98444152c","batch":"batch_01a21fda236a705a9bc485903de15a16","video":"vid_01a21fda23e874f59320e9f24bc42df5","keyId":6,"account":6,"owner":1,"workspace":"ws_0fa3166be92643a0af5f2ea95cfa0b00","accounts":9,"chained":5,"entries":21,"voucher":"SD14-HX2R-M1QS-FN64"}
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE TYPE public.settled_call AS (
	account_id bigint,
	created_at timestamp with time zone,
	id uuid,
	request_id text,
	key_id bigint,
	operation text,
	model text,
	alias text,
	served_model text,
	status text,
	http_status integer,
	error_code text,
	input_tokens bigint,
	cache_read_tokens bigint,
	cache_write_tokens bigint,
	output_tokens bigint,
	reasoning_tokens bigint,
	estimated boolean,
	cost bigint,
	reserved bigint,
	prices jsonb,
	attempts jsonb,
	stream boolean,
	fallback_layer integer,
	latency_ms integer,
	first_byte_ms integer,
	model_type text,
	error_message text,
	units numeric,
	unit text,
	expense bigint,
	cache_write_1h_tokens bigint,
	place bigint,
	total bigint
);
CREATE TYPE public.tagged_call AS (
	account_id bigint,
	created_at timestamp with time zone,
	id uuid,
	request_id text,
	key_id bigint,
	operation text,
	model text,
	alias text,
	served_model text,
	status text,
	http_status integer,
	error_code text,
	input_tokens bigint,
	cache_read_tokens bigint,
	cache_write_tokens bigint,
	output_tokens bigint,
	reasoning_tokens bigint,
	estimated boolean,
	cost bigint,
	reserved bigint,
	prices jsonb,
	attempts jsonb,
	stream boolean,
	fallback_layer integer,
	latency_ms integer,
	first_byte_ms integer,
	model_type text,
	error_message text,
	units numeric,
	unit text,
	expense bigint,
	cache_write_1h_tokens bigint,
	place bigint,
	total bigint,
	tags jsonb
);
CREATE FUNCTION public.account_media_limits(_tiers jsonb, _account bigint) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  select coalesce(
    (select t.tier from jsonb_array_elements(_tiers) t(tier) where (t.tier ->> 'number')::int = a.assigned_tier limit 1),
    media_limits(_tiers, b.purchased))
  from account a join balance b on b.account_id = a.id where a.id = _account
$$;
CREATE FUNCTION public.admit_calls(_owner uuid, _ttl interval, _shown text, _account bigint[], _want bigint[], _key_account bigint[], _key bigint[], _key_want bigint[], _window_account bigint[], _bucket text[], _seconds integer[], _amount bigint[], _limit bigint[], _call_account bigint[], _call_id uuid[], _call_want bigint[], _call_key bigint[], OUT at_ms bigint, OUT accounts bigint[], OUT available bigint[], OUT reserved bigint[], OUT n bigint[], OUT previous bigint[], OUT keys bigint[], OUT keys_left bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
CREATE FUNCTION public.announce_account() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('account_changed', new.id::text);
  return null;
end $$;
CREATE FUNCTION public.announce_api_key() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('api_key_changed', encode(h, 'hex'))
    from (values (old.hash), (old.old_hash), (new.hash), (new.old_hash)) s(h) where h is not null group by h;
  return null;
end $$;
CREATE FUNCTION public.apply_ended_holds() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  update balance b set available = b.available + s.total, reserved = b.reserved - s.total
  from (select account_id, sum(amount)::bigint as total from ended group by account_id) s where b.account_id = s.account_id;
  update key_budget k set reserved = k.reserved - s.total
  from (select key_id, sum(amount)::bigint as total from ended where key_id is not null group by key_id) s where k.key_id = s.key_id;
  insert into escrow (account_id, closings) select account_id, count(*) from ended where pool = 'escrow' group by account_id order by account_id
    on conflict (account_id) do update set closings = escrow.closings + excluded.closings;
  return null;
end $$;
CREATE FUNCTION public.apply_entries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare touched int; wanted int; moment timestamptz := clock_timestamp();
begin
  with s as (
    select account_id, sum(amount)::bigint as total,
      coalesce(sum(amount) filter (where kind in ('deposit', 'adjustment', 'payment_refund', 'dispute')), 0)::bigint as purchased,
      coalesce(sum(amount) filter (where kind in ('signup_credit', 'bonus', 'refund', 'earned_adjustment')), 0)::bigint as earned,
      coalesce(-sum(amount) filter (where kind = 'usage'), 0)::bigint as spent
    from added group by account_id
  ), u as (
    update balance b set available = b.available + s.total, purchased = b.purchased + s.purchased,
      earned = b.earned + s.earned, spent = b.spent + s.spent
    from s where b.account_id = s.account_id returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'an entry names an unknown account' using errcode = 'foreign_key_violation'; end if;
  with s as (
    -- A refund returns to the budget; an earned_adjustment names a key only where it corrects a refund.
    select account_id, key_id, coalesce(-sum(amount) filter (where kind in ('usage', 'refund', 'earned_adjustment')), 0)::bigint as spent,
      coalesce(-sum(amount) filter (where kind in ('hold', 'hold_settle', 'hold_release')), 0)::bigint as reserved
    from added where key_id is not null group by account_id, key_id
  ), u as (
    update key_budget k set spent = k.spent + s.spent, reserved = k.reserved + s.reserved,
      period_spent = budget_period_spent(k.period, k.period_spent, k.period_ends, s.spent, moment),
      period_ends = budget_period_ends(k.period, k.period_ends, moment)
    from s where k.key_id = s.key_id and k.account_id = s.account_id returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'an entry names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
  perform pg_notify('account_changed', account_id::text) from added
    where kind in ('deposit', 'adjustment', 'payment_refund', 'dispute', 'earned_adjustment');
  return null;
end $$;
CREATE FUNCTION public.apply_member_budget() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare moment timestamptz := clock_timestamp();
begin
  update member_budget m set spent = m.spent + new.spent - old.spent, reserved = m.reserved + new.reserved - old.reserved,
    period_spent = budget_period_spent(m.period, m.period_spent, m.period_ends, new.spent - old.spent, moment),
    period_ends = budget_period_ends(m.period, m.period_ends, moment)
  where m.account_id = new.account_id and m.person_id = new.member_id;
  return null;
end $$;
CREATE FUNCTION public.apply_new_holds() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare touched int; wanted int;
begin
  with s as (select account_id, sum(amount)::bigint as total from added group by account_id),
  u as (
    update balance b set available = b.available - s.total, reserved = b.reserved + s.total
    from s where b.account_id = s.account_id and b.available >= s.total returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'a hold is above what its account has available' using errcode = 'check_violation'; end if;
  with s as (select account_id, key_id, sum(amount)::bigint as total from added where key_id is not null group by account_id, key_id),
  u as (
    update key_budget k set reserved = k.reserved + s.total
    from s where k.key_id = s.key_id and k.account_id = s.account_id returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'a hold names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
  return null;
end $$;
CREATE FUNCTION public.balance_starts_empty() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if (new.available, new.reserved, new.purchased, new.earned, new.spent) is distinct from (0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint) then
    raise exception 'insert on balance is refused: a balance starts at zero' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
CREATE FUNCTION public.budget_left(_limit bigint, _spent bigint, _reserved bigint, _period_limit bigint, _period_spent bigint, _period_ends timestamp with time zone, _at timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  select least(_limit - _spent - _reserved, _period_limit - _reserved - case when _at < _period_ends then _period_spent else 0 end)
$$;
CREATE FUNCTION public.budget_period_ends(_period text, _period_ends timestamp with time zone, _at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when _period is null then null when _at < _period_ends then _period_ends
    else (date_trunc(_period, _at at time zone 'UTC') + case _period when 'hour' then interval '1 hour' when 'day' then interval '1 day'
      when 'week' then interval '1 week' else interval '1 month' end) at time zone 'UTC' end
$$;
CREATE FUNCTION public.budget_period_spent(_period text, _period_spent bigint, _period_ends timestamp with time zone, _charge bigint, _at timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when _period is null then 0 when _at < _period_ends then greatest(_period_spent + _charge, 0) else greatest(_charge, 0) end
$$;
CREATE FUNCTION public.chain_entry() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare last record;
begin
  perform 1 from balance b where b.account_id = new.account_id for no key update;
  select e.seq, e.balance_after, e.hash into last from ledger_entry e where e.account_id = new.account_id order by e.seq desc limit 1;
  new.seq := coalesce(last.seq, 0) + 1;
  new.balance_after := coalesce(last.balance_after, 0) + new.amount;
  new.hash := next_entry_hash(null, last.hash, correction_text(new.corrects, new.reason)
    || entry_text(new.account_id, new.seq, new.created_at, new.id, new.kind, new.amount, new.ref, new.key_id, new.balance_after));
  return new;
end $$;
CREATE FUNCTION public.check_media_job_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'INSERT' then
    if new.status not in ('queued', 'pending') then
      raise exception 'a media job does not begin as %', new.status using errcode = 'restrict_violation';
    end if;
  elsif not exists (select 1 from media_job_move m where m.from_status = old.status and m.to_status = new.status) then
    raise exception 'a media job does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
CREATE FUNCTION public.correction_text(_corrects bigint, _reason text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when _corrects is null and _reason is null then ''
    else 'corrects ' || coalesce(_corrects::text, 'none') || ' ' || coalesce(_reason, '') || e'\n' end
$$;
CREATE FUNCTION public.count_grants(_account bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
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
CREATE FUNCTION public.database_identity() RETURNS TABLE(system_id text, timeline bigint, only_reads boolean)
    LANGUAGE plpgsql
    AS $$
begin
  only_reads := pg_is_in_recovery();
  begin
    select c.system_identifier::text into system_id from pg_control_system() c;
  exception when others then system_id := null;
  end;
  begin
    if not only_reads then timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint; end if;
  exception when others then timeline := null;
  end;
  return next;
end $$;
CREATE FUNCTION public.drop_partitions(_parent text, _keep_months integer) RETURNS text[]
    LANGUAGE plpgsql
    AS $_$
declare
  keep_from timestamptz := (date_trunc('month', now() at time zone 'utc') - make_interval(months => greatest(_keep_months, 0))) at time zone 'utc';
  part text; dropped text[] := '{}';
begin
  if not pg_try_advisory_xact_lock(7322002) then return dropped; end if;
  perform set_config('lock_timeout', '1s', true);
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(_parent) and c.relname ~ ('^' || _parent || '_[0-9]{4}_[0-9]{2}$')
      and (to_date(right(c.relname, 7), 'YYYY_MM')::timestamp + interval '1 month') at time zone 'utc' <= keep_from
    order by c.relname
  loop
    execute format('drop table %I', part);
    dropped := dropped || part;
  end loop;
  return dropped;
end $_$;
CREATE FUNCTION public.ensure_log_statistics() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare part text;
begin
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'usage_log'::regclass
      and not exists (select 1 from pg_statistic_ext s where s.stxrelid = c.oid and s.stxname = c.relname || '_key')
    order by c.relname
  loop
    execute format('create statistics %I (dependencies) on account_id, key_id from %I', part || '_key', part);
    execute format('analyze %I (account_id, key_id)', part);
  end loop;
end $$;
CREATE FUNCTION public.ensure_partitions(_parent text, _ahead integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare start_at timestamptz := (date_trunc('month', now() at time zone 'utc') - interval '1 month') at time zone 'utc'; end_at timestamptz; part text;
begin
  perform pg_advisory_xact_lock(7322002);
  perform set_config('lock_timeout', '1s', true);
  for i in 0 .. _ahead + 1 loop
    end_at := (start_at at time zone 'utc' + interval '1 month') at time zone 'utc';
    part := _parent || to_char(start_at at time zone 'utc', '_YYYY_MM');
    if to_regclass(part) is null then
      execute format('create table %I (like %I including all)', part, _parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', _parent, part, start_at, end_at);
    end if;
    start_at := end_at;
  end loop;
  if _parent = 'usage_log' then perform ensure_log_statistics(); end if;
end $$;
CREATE FUNCTION public.entry_text(_account bigint, _seq bigint, _at timestamp with time zone, _id uuid, _kind text, _amount bigint, _ref text, _key bigint, _balance_after bigint) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select _account::text || e'\n' || _seq::text || e'\n' || (extract(epoch from _at) * 1000000)::bigint::text || e'\n' || _id::text || e'\n'
    || _kind || e'\n' || _amount::text || e'\n' || _ref || e'\n' || coalesce(_key::text, '') || e'\n' || _balance_after::text
$$;
CREATE FUNCTION public.escrow_close(_account bigint, _slice uuid, _left bigint, _is_over boolean, _bucket text[], _starts_at timestamp with time zone[], _unused bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
declare setting text; slice hold; given bigint;
begin
  setting := set_config('synchronous_commit', 'off', true);
  perform 1 from balance b where b.account_id = _account for no key update;
  select * into slice from hold h where h.account_id = _account and h.id = _slice and (h.pool = 'escrow' or _is_over);
  if not found then return; end if;
  setting := set_config('svc.moved', 'by the ledger', true);
  if _is_over then
    given := slice.amount;
    delete from hold h where h.account_id = _account and h.id = _slice;
  else
    given := least(_left, slice.amount);
    update hold h set amount = h.amount - given, pool = null where h.account_id = _account and h.id = _slice;
  end if;
  update balance b set available = b.available + given, reserved = b.reserved - given where b.account_id = _account;
  update key_budget k set reserved = k.reserved - given where k.account_id = _account and k.key_id = slice.key_id;
  setting := set_config('svc.moved', '', true);
  if slice.pool = 'escrow' then
    perform escrow_closed(array[_account], array_fill(_account, array[cardinality(_bucket)]), _bucket, _starts_at, _unused);
  end if;
end $$;
CREATE FUNCTION public.escrow_closed(_account bigint[], _window_account bigint[], _bucket text[], _starts_at timestamp with time zone[], _unused bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
begin
  insert into escrow (account_id, closings) select a, count(*) from unnest(_account) a group by a order by a
    on conflict (account_id) do update set closings = escrow.closings + excluded.closings;
  perform 1 from unnest(_window_account, _bucket, _starts_at) u(a, b, s)
    join rate_window w on w.account_id = u.a and w.bucket = u.b and w.starts_at = u.s
    order by w.account_id, w.bucket, w.starts_at for no key update of w;
  update rate_window w set n = greatest(w.n - u.unused, 0)
    from (select a, b, s, sum(c)::bigint as unused from unnest(_window_account, _bucket, _starts_at, _unused) u(a, b, s, c) group by a, b, s) u
    where w.account_id = u.a and w.bucket = u.b and w.starts_at = u.s;
end $$;
CREATE FUNCTION public.escrow_take(_owner uuid, _ttl interval, _slice uuid, _opens boolean, _account bigint, _key bigint, _want bigint, _more bigint, _calls integer, _least integer, _bucket text[], _seconds integer[], _amount bigint[], _more_amount bigint[], _limit bigint[], OUT calls integer, OUT at_ms bigint, OUT more bigint, OUT available bigint, OUT reserved bigint, OUT key_left bigint, OUT counts bigint[], OUT previous bigint[], OUT more_amounts bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
CREATE FUNCTION public.expire_grant(_account bigint, _id uuid, _at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    AS $$
declare b balance; g credit_grant; due bigint; taken bigint; is_held boolean; refusal text;
begin
  perform 1 from balance where account_id = _account for no key update;
  perform count_grants(_account);
  select * into g from credit_grant c where c.account_id = _account and c.id = _id and c.ended_at is null and c.expires_at <= _at for update;
  if not found then return 0; end if;
  select * into b from balance where account_id = _account;
  due := least(grant_left(g), b.earned);
  taken := least(due, greatest(0, b.available));
  is_held := b.reserved > 0 or exists (select from ledger_entry h where h.account_id = _account and h.kind <> 'usage' and h.kind || '' = 'hold'
    and not exists (select from ledger_entry e where e.account_id = _account and e.id = h.id and e.kind in ('hold_settle', 'hold_release')));
  if taken > 0 then
    select c.refused into refusal from ledger_correct(_account, gen_random_uuid(), _at, 'earned_adjustment', -taken, 'expiry',
      'The credit expired.', g.seq) c;
    if refusal is not null then raise exception 'the grant % can''t expire: %', _id, refusal; end if;
  end if;
  update credit_grant c set expired = c.expired + taken, ended_at = case when taken < due and is_held then null else _at end
    where c.account_id = _account and c.id = _id;
  return taken;
end $$;
CREATE FUNCTION public.forgotten_mailbox(_mailbox text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when _mailbox like 'sha256 %' then _mailbox else 'sha256 ' || encode(sha256(convert_to(_mailbox, 'UTF8')), 'hex') end
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.credit_grant (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    seq bigint NOT NULL,
    amount bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    spent bigint DEFAULT 0 NOT NULL,
    counted_seq bigint NOT NULL,
    expired bigint DEFAULT 0 NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT credit_grant_amount_check CHECK ((amount > 0)),
    CONSTRAINT credit_grant_check CHECK (((spent >= 0) AND (spent <= amount))),
    CONSTRAINT credit_grant_expired_check CHECK ((expired >= 0))
);
CREATE FUNCTION public.grant_left(_grant public.credit_grant) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  select greatest(0, _grant.amount - _grant.spent + least(0, coalesce((select sum(e.amount) from ledger_entry e
    where e.account_id = _grant.account_id and e.kind <> 'usage' and e.seq > _grant.seq and e.corrects = _grant.seq), 0)))::bigint
$$;
CREATE FUNCTION public.idempotency_claim(_account bigint, _operation text, _key text, _hash bytea, _call uuid, _at timestamp with time zone, _owner uuid, _dead_after interval, _life interval) RETURNS TABLE(outcome text, status integer, headers jsonb, body bytea)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
#variable_conflict use_column
declare old idempotency_key;
begin
  loop
    insert into idempotency_key (account_id, operation, key, hash, call_id, received_at, owner)
      values (_account, _operation, _key, _hash, _call, _at, _owner) on conflict do nothing;
    if found then outcome := 'claimed'; return next; return; end if;
    select * into old from idempotency_key k where k.account_id = _account and k.operation = _operation and k.key = _key for update;
    exit when found; -- else the row was deleted in between
  end loop;
  if old.received_at <= _at - _life then outcome := 'claimed';
  elsif old.status is not null then outcome := case when old.body is null then 'replayed' else 'answered' end;
  elsif exists (select 1 from hold h where h.account_id = _account and h.id = old.call_id)
    or old.received_at > _at - interval '10 minutes'
      and exists (select 1 from replica r where r.id = old.owner and r.seen_at > now() - _dead_after) then outcome := 'running';
  elsif idempotency_done(_account, old.call_id, old.received_at) then outcome := 'replayed';
  else outcome := 'claimed';
  end if;
  if outcome = 'claimed' then
    update idempotency_key k set hash = _hash, call_id = _call, received_at = _at, owner = _owner, status = null, headers = null, body = null
      where k.account_id = _account and k.operation = _operation and k.key = _key;
  elsif old.hash <> _hash then outcome := 'reused';
  elsif outcome = 'answered' then status := old.status; headers := old.headers; body := old.body;
  end if;
  return next;
end $$;
CREATE FUNCTION public.idempotency_done(_account bigint, _call uuid, _at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    AS $$
  select exists (select 1 from ledger_entry e where e.account_id = _account and e.id = _call and e.kind = 'usage')
    or exists (select 1 from usage_log l where l.account_id = _account and l.created_at = _at and l.id = _call and (l.status = 'success' or l.cost > 0))
$$;
CREATE FUNCTION public.idempotency_let_go(_account bigint, _operation text, _key text, _call uuid) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
begin
  delete from idempotency_key k where k.account_id = _account and k.operation = _operation and k.key = _key and k.call_id = _call
    and k.status is null and not exists (select 1 from hold h where h.account_id = _account and h.id = _call)
    and not idempotency_done(_account, _call, k.received_at);
  if found then return; end if;
  update idempotency_key k set owner = null where k.account_id = _account and k.operation = _operation and k.key = _key and k.call_id = _call;
end $$;
CREATE FUNCTION public.idempotency_sweep(_at timestamp with time zone, _life interval, _most bigint, _limit integer) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare deleted int; dropped int;
begin
  if not pg_try_advisory_xact_lock(7322006) then return 0; end if;
  delete from idempotency_key where ctid = any (array(
    select k.ctid from idempotency_key k where k.received_at < _at - _life limit _limit for update skip locked));
  get diagnostics deleted = row_count;
  update idempotency_key k set headers = null, body = null
    from (
      select s.account_id, s.operation, s.key, s.call_id
      from (
        select a.account_id, a.operation, a.key, a.call_id,
          sum(octet_length(a.body)) over (partition by a.account_id order by a.received_at desc) as kept
        from idempotency_key a where a.body is not null
      ) s
      where s.kept > _most limit _limit
    ) o
    where k.account_id = o.account_id and k.operation = o.operation and k.key = o.key and k.call_id = o.call_id;
  get diagnostics dropped = row_count;
  return greatest(deleted, dropped);
end $$;
CREATE FUNCTION public.key_budget_left(_account bigint, _key bigint, _at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS $$
begin
  return (select least(budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, _at),
      budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, _at))
    from key_budget k left join member_budget m on m.account_id = k.account_id and m.person_id = k.member_id
    where k.account_id = _account and k.key_id = _key);
end $$;
CREATE FUNCTION public.ledger_correct(_account bigint, _id uuid, _at timestamp with time zone, _kind text, _amount bigint, _ref text, _reason text, _corrects bigint) RETURNS TABLE(refused text, seq bigint, balance bigint)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
#variable_conflict use_column
declare total balance; old ledger_entry; named ledger_entry; corrected bigint;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  -- A statement of its own: what is read after it is what the last holder of the lock left.
  perform 1 from balance b where b.account_id = _account for no key update;
  select * into total from balance b where b.account_id = _account;
  select * into old from ledger_entry e where e.account_id = _account and e.id = _id and e.kind = _kind;
  if found then
    seq := old.seq; balance := total.available + total.reserved; return next; return;
  end if;
  if _corrects is not null then
    select * into named from ledger_entry e where e.account_id = _account and e.seq = _corrects;
    if not found then refused := 'entry';
    elsif named.kind not in ('deposit', 'signup_credit', 'bonus', 'refund', 'adjustment', 'earned_adjustment')
      or (named.corrects is not null and named.kind <> 'refund') then refused := 'kind';
    else
      select coalesce(sum(e.amount), 0) into corrected from ledger_entry e
        where e.account_id = _account and e.kind <> 'usage' and e.seq > _corrects and e.corrects = _corrects;
      if sign(named.amount) * (named.amount + corrected + _amount) < 0 then refused := 'more'; end if;
    end if;
  end if;
  if refused is null and (case _kind when 'earned_adjustment' then total.earned else total.purchased end) + _amount < 0 then
    refused := 'total';
  end if;
  if refused is null then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, corrects, reason)
      values (_account, _at, _id, _kind, _amount, _ref, case named.kind when 'refund' then named.key_id end, _corrects, _reason)
      returning seq, balance_after into seq, balance;
  end if;
  return next;
end $$;
CREATE FUNCTION public.ledger_raise(_account bigint, _id uuid, _want bigint) RETURNS TABLE(granted bigint, available bigint, reserved bigint, refused text, key_left bigint)
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    AS $$
#variable_conflict use_column
declare held hold; more bigint; moment timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select b.available, b.reserved into available, reserved from balance b where b.account_id = _account for no key update;
  select * into held from hold h where h.account_id = _account and h.id = _id;
  if held.id is null then raise exception 'the reservation has ended' using errcode = 'no_data_found'; end if;
  moment := clock_timestamp();
  key_left := key_budget_left(_account, held.key_id, moment);
  more := _want - held.amount;
  if more <= 0 then granted := held.amount;
  elsif available < more then refused := 'balance';
  elsif key_left < more then refused := 'key';
  else
    -- A hold keeps its amount until it ends: it makes way for its successor.
    delete from hold h where h.account_id = _account and h.id = _id;
    held.amount := _want;
    insert into hold select (held).*;
    granted := _want;
  end if;
  return next;
end $$;
CREATE FUNCTION public.ledger_refund(_account bigint, _id uuid, _at timestamp with time zone, _amount bigint, _reason text) RETURNS TABLE(refused text, seq bigint, refunded bigint, balance bigint)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
#variable_conflict use_column
declare charge ledger_entry; old ledger_entry; job media_job; given bigint;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  perform 1 from balance b where b.account_id = _account for no key update;
  select * into old from ledger_entry e where e.account_id = _account and e.id = _id and e.kind = 'refund';
  if found then
    refused := case when old.created_at = _at and old.reason = _reason then null else 'refunded' end;
    select old.seq, old.amount, b.available + b.reserved into seq, refunded, balance from balance b where b.account_id = _account;
    return next; return;
  end if;
  select * into charge from ledger_entry e where e.account_id = _account and e.id = _id and e.kind = 'usage';
  if not found then refused := 'free'; return next; return; end if;
  given := coalesce(_amount, -charge.amount);
  if given > -charge.amount then refused := 'above'; refunded := -charge.amount; return next; return; end if;
  refunded := given;
  update media_job j set status = 'refunded', charged = j.charged - given, refunded = coalesce(j.refunded, 0) + given
    where j.id = _id returning j.* into job;
  insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, corrects, reason)
    values (_account, _at, _id, 'refund', given, coalesce(job.shown_id, charge.ref), charge.key_id, charge.seq, _reason)
    returning seq, balance_after into seq, balance;
  if job.shown_id is not null then perform pg_notify('media_job', job.shown_id); end if;
  return next;
end $$;
CREATE FUNCTION public.ledger_reserve(_owner uuid, _account bigint[], _id uuid[], _want bigint[], _least bigint[], _key bigint[], _pool text[], _pool_max integer[], _group text[], _group_max integer[], _ttl interval) RETURNS TABLE(n integer, granted bigint, available bigint, reserved bigint, refused text, key_left bigint)
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
CREATE FUNCTION public.ledger_settle(_account bigint[], _id uuid[], _logs jsonb) RETURNS TABLE(account_id bigint, balance bigint)
    LANGUAGE sql
    AS $$
  select account_id, balance from ledger_settle(_account, _id, _logs, '{}', '{}')
$$;
CREATE FUNCTION public.ledger_settle(_account bigint[], _id uuid[], _logs jsonb, _slice uuid[], _taken bigint[]) RETURNS TABLE(account_id bigint, balance bigint)
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
CREATE FUNCTION public.ledger_settle(_account bigint[], _held bigint[], _cost bigint[], _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call public.settled_call[]) RETURNS bigint[]
    LANGUAGE sql
    AS $$
  select ledger_settle(_account, _held, _cost, _key_account, _key, _key_held, _key_cost, _call, 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')
$$;
CREATE FUNCTION public.ledger_settle(_account bigint[], _held bigint[], _cost bigint[], _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call public.settled_call[], _carved integer, _slice_account bigint[], _slice uuid[], _taken bigint[], _is_over boolean[], _window_account bigint[], _bucket text[], _starts_at timestamp with time zone[], _unused bigint[]) RETURNS bigint[]
    LANGUAGE sql
    AS $$
  select ledger_settle(_account, _held, _cost, _key_account, _key, _key_held, _key_cost,
    array(select row(c.*, null)::tagged_call from unnest(_call) c), _carved, _slice_account, _slice, _taken, _is_over,
    _window_account, _bucket, _starts_at, _unused, (select min(created_at) from unnest(_call)))
$$;
CREATE FUNCTION public.ledger_settle(_account bigint[], _held bigint[], _cost bigint[], _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call public.tagged_call[], _carved integer, _slice_account bigint[], _slice uuid[], _taken bigint[], _is_over boolean[], _window_account bigint[], _bucket text[], _starts_at timestamp with time zone[], _unused bigint[], _oldest timestamp with time zone) RETURNS bigint[]
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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
CREATE FUNCTION public.ledger_sweep(_dead_after interval) RETURNS integer
    LANGUAGE sql
    AS $$
  select count(*)::int from ledger_sweep(_dead_after, array(select distinct s.account_id from ledger_sweepable(_dead_after) s limit 1000), false)
$$;
CREATE FUNCTION public.ledger_sweep(_dead_after interval, _account bigint[], _waits boolean) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $$
begin
  if not pg_try_advisory_xact_lock(7322001) then return query select unnest(_account); return; end if; -- another process sweeps
  _account := array(select lock_balances(_account, _waits));
  delete from hold h where h.account_id = any(_account)
    and (h.account_id, h.id) in (select s.account_id, s.id from ledger_sweepable(_dead_after) s);
  return query select unnest(_account);
end $$;
CREATE TABLE public.hold (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    amount bigint NOT NULL,
    owner uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    key_id bigint,
    pool text,
    pool_group text,
    CONSTRAINT hold_amount_check CHECK ((amount >= 0))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000');
CREATE FUNCTION public.ledger_sweepable(_dead_after interval) RETURNS SETOF public.hold
    LANGUAGE sql STABLE
    AS $$
  select h.* from hold h where h.expires_at < now()
    or not exists (select 1 from replica r where r.id = h.owner and r.seen_at > now() - _dead_after)
$$;
CREATE FUNCTION public.lock_balances(_account bigint[], _waits boolean) RETURNS SETOF bigint
    LANGUAGE plpgsql
    SET lock_timeout TO '500ms'
    AS $$
begin
  if _waits then
    return query select b.account_id from balance b where b.account_id = any(_account) order by b.account_id for no key update;
  else
    return query select b.account_id from balance b where b.account_id = any(_account) order by b.account_id for no key update skip locked;
  end if;
end $$;
CREATE FUNCTION public.media_cancel(_id uuid, _attempts jsonb, _message text, _tiers jsonb) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
declare job media_job;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  select * into job from media_lock(_id);
  if job.id is null then return 'unknown'; end if;
  if job.status not in ('queued', 'pending', 'processing') then return job.status; end if;
  update media_job j set attempts = _attempts, late_at = case when j.upstream is not null then clock_timestamp() end where j.id = _id;
  job.attempts := _attempts;
  perform media_end(job, 'failed', null, null, null, 'job_cancelled', _message, null);
  perform pg_notify('media_job', job.shown_id);
  perform pg_notify('media_cancel', _id::text);
  perform media_promote(job.account_id, _tiers);
  perform pg_notify('media_turn', '');
  return null;
end $$;
CREATE TABLE public.media_job (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    key_id bigint,
    api text NOT NULL,
    kind text NOT NULL,
    shown_id text NOT NULL,
    status text NOT NULL,
    seq bigint NOT NULL,
    idempotency_key text,
    request_id text NOT NULL,
    operation text NOT NULL,
    http_status integer NOT NULL,
    model text NOT NULL,
    alias text,
    request jsonb,
    prices jsonb NOT NULL,
    secret text NOT NULL,
    estimated bigint NOT NULL,
    charged bigint,
    refunded bigint,
    output jsonb,
    error_code text,
    error_message text,
    error_word text,
    attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    route text,
    intent_at timestamp with time zone,
    upstream jsonb,
    lease_owner uuid,
    run_at timestamp with time zone,
    late_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT date_trunc('milliseconds'::text, clock_timestamp()) NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    CONSTRAINT ended_has_its_time CHECK (((completed_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refunded'::text, 'expired'::text])))),
    CONSTRAINT known_status CHECK ((status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'refunded'::text, 'expired'::text]))),
    CONSTRAINT made_has_its_output CHECK (((output IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'refunded'::text])))),
    CONSTRAINT media_job_api_check CHECK ((api = ANY (ARRAY['image'::text, 'video'::text, 'genmedia'::text]))),
    CONSTRAINT media_job_check CHECK (((charged >= 0) AND (charged <= estimated))),
    CONSTRAINT media_job_check1 CHECK (((refunded >= 0) AND (refunded <= estimated))),
    CONSTRAINT media_job_estimated_check CHECK ((estimated >= 0)),
    CONSTRAINT media_job_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'video'::text]))),
    CONSTRAINT money_adds_up CHECK (
CASE
    WHEN (status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text])) THEN ((charged IS NULL) AND (refunded IS NULL))
    WHEN (status = ANY (ARRAY['succeeded'::text, 'refunded'::text])) THEN ((charged IS NOT NULL) AND ((charged + COALESCE(refunded, (0)::bigint)) = estimated))
    WHEN (started_at IS NULL) THEN ((charged IS NULL) AND (COALESCE(refunded, (0)::bigint) = 0))
    ELSE ((charged IS NULL) AND (refunded = estimated))
END),
    CONSTRAINT not_made_says_why CHECK (((error_code IS NOT NULL) = (status = ANY (ARRAY['failed'::text, 'expired'::text])))),
    CONSTRAINT only_running_is_leased CHECK (((lease_owner IS NULL) OR (status = ANY (ARRAY['pending'::text, 'processing'::text])))),
    CONSTRAINT open_has_its_request CHECK (((request IS NOT NULL) = (status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text])))),
    CONSTRAINT processing_was_asked CHECK (((status <> 'processing'::text) OR (intent_at IS NOT NULL))),
    CONSTRAINT running_has_its_turn CHECK (((run_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'processing'::text])))),
    CONSTRAINT slot_has_its_start CHECK (
CASE
    WHEN (status = 'queued'::text) THEN (started_at IS NULL)
    WHEN (status = ANY (ARRAY['pending'::text, 'processing'::text, 'succeeded'::text, 'refunded'::text])) THEN (started_at IS NOT NULL)
    ELSE true
END)
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000');
CREATE FUNCTION public.media_end(_job public.media_job, _to text, _charged bigint, _units numeric, _output jsonb, _code text, _message text, _word text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
  ended timestamptz := date_trunc('milliseconds', clock_timestamp());
  held boolean := _job.started_at is not null;
begin
  update media_job j set status = _to, completed_at = ended, request = null, lease_owner = null, run_at = null, output = _output,
    charged = _charged, error_code = _code, error_message = _message, error_word = _word,
    refunded = case when _to = 'succeeded' then nullif(j.estimated - _charged, 0) when held then j.estimated when _to = 'expired' then 0 end
  where j.id = _job.id;
  if held and _job.estimated > 0 then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id) values (_job.account_id, ended, _job.id,
      case _to when 'succeeded' then 'hold_settle' else 'hold_release' end, _job.estimated, _job.shown_id, _job.key_id);
  end if;
  if _charged > 0 then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
      values (_job.account_id, ended, _job.id, 'usage', -_charged, _job.request_id, _job.key_id);
  end if;
  insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, alias, status, http_status, error_code,
    error_message, cost, reserved, prices, attempts, stream, fallback_layer, latency_ms, units, unit,
    job_id, expense)
  values (_job.account_id, _job.created_at, _job.id, _job.request_id, _job.key_id, _job.operation, _job.model, _job.kind, _job.alias,
    case _to when 'succeeded' then 'success' else 'failed' end, _job.http_status, _code, _message, coalesce(_charged, 0),
    case when held then _job.estimated else 0 end, _job.prices, _job.attempts, false,
    -- 0 is the model's first route, which is no fallback.
    case _to when 'succeeded' then (select nullif((a ->> 'layer')::int, 0) from jsonb_array_elements(_job.attempts) a where a ->> 'outcome' = 'ok' limit 1) end,
    least(extract(epoch from ended - _job.created_at) * 1000, 2147483647)::int, coalesce(_units, 0), _job.prices ->> 'unit', _job.shown_id,
    (select sum((a ->> 'cost')::bigint) from jsonb_array_elements(_job.attempts) a));
  if _job.created_at < clock_timestamp() - usage_late_after() then
    insert into usage_late (account_id, created_at, id) values (_job.account_id, _job.created_at, _job.id);
  end if;
end $$;
CREATE FUNCTION public.media_finish(_id uuid, _owner uuid, _to text, _charged bigint, _units numeric, _output jsonb, _code text, _message text, _word text, _attempts jsonb, _late_in interval, _tiers jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
declare account bigint; job media_job;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  select j.account_id into account from media_job j where j.id = _id;
  perform 1 from balance b where b.account_id = account for no key update;
  select * into job from media_job j where j.id = _id and j.lease_owner = _owner and j.status in ('pending', 'processing') for update;
  if not found then return false; end if;
  update media_job j set attempts = _attempts, late_at = case when j.upstream is not null then clock_timestamp() + _late_in end where j.id = _id;
  job.attempts := _attempts;
  perform media_end(job, _to, _charged, _units, _output, _code, _message, _word);
  perform media_promote(account, _tiers);
  return true;
end $$;
CREATE FUNCTION public.media_hold(_job public.media_job) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.media_limits(_tiers jsonb, _purchased bigint) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
  select coalesce(
    (select t.tier from jsonb_array_elements(_tiers) with ordinality t(tier, n) where (t.tier ->> 'deposit')::bigint <= _purchased order by t.n desc limit 1),
    _tiers -> 0)
$$;
CREATE FUNCTION public.media_lock(_id uuid) RETURNS SETOF public.media_job
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
declare account bigint;
begin
  select j.account_id into account from media_job j where j.id = _id;
  perform 1 from balance b where b.account_id = account for no key update;
  return query select * from media_job j where j.id = _id for update;
end $$;
CREATE FUNCTION public.media_promote(_account bigint, _tiers jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare limits jsonb; job media_job; images int; videos int; is_free boolean; refused text;
begin
  if not exists (select 1 from media_job j where j.account_id = _account and j.status = 'queued') then return; end if;
  limits := account_media_limits(_tiers, _account);
  select count(*) filter (where j.kind = 'image'), count(*) filter (where j.kind = 'video') into images, videos
    from media_job j where j.account_id = _account and j.status in ('pending', 'processing');
  for job in select * from media_job j where j.account_id = _account and j.status = 'queued' order by j.seq for update loop
    is_free := case when limits ? 'media' then images + videos < (limits #>> '{media,slots}')::int
      when job.kind = 'image' then images < (limits #>> '{image,slots}')::int else videos < (limits #>> '{video,slots}')::int end;
    if is_free then
      refused := media_hold(job);
      if refused is null then
        update media_job j set status = 'pending', started_at = clock_timestamp(), run_at = clock_timestamp() where j.id = job.id;
        if job.kind = 'image' then images := images + 1; else videos := videos + 1; end if;
      elsif exists (select from hold h where h.account_id = _account and h.pool = 'escrow') then
        perform pg_notify('escrow_recall', _account::text);
        exit;
      else
        perform media_end(job, 'failed', null, null, null, 'insufficient_credits', case refused
          when 'key' then 'What the API key may still spend does not reach for this job.' else 'The balance does not reach for this job.' end, null);
        perform pg_notify('media_job', job.shown_id);
      end if;
    elsif limits ? 'media' then exit;
    end if;
  end loop;
end $$;
CREATE FUNCTION public.media_refund(_id uuid) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
declare account bigint; job media_job;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  select j.account_id into account from media_job j where j.id = _id;
  perform 1 from balance b where b.account_id = account for no key update;
  select * into job from media_job j where j.id = _id for update;
  if not found then return 'unknown'; end if;
  if job.status <> 'succeeded' then return job.status; end if;
  update media_job j set status = 'refunded', charged = 0, refunded = j.estimated where j.id = _id;
  if job.charged > 0 then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, corrects)
      select account, clock_timestamp(), _id, 'refund', job.charged, job.shown_id, job.key_id, e.seq
      from ledger_entry e where e.account_id = account and e.id = _id and e.kind = 'usage';
  end if;
  perform pg_notify('media_job', job.shown_id);
  return null;
end $$;
CREATE FUNCTION public.media_submit(_job jsonb, _tiers jsonb, _key_life interval) RETURNS TABLE(outcome text, id uuid, available bigint, reserved bigint, key_left bigint, waiting_max integer)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
#variable_conflict use_column
declare
  job media_job := jsonb_populate_record(null::media_job, _job);
  old media_job; limits jsonb; pool text; active int; waiting int; moment timestamptz;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  -- A statement of its own: what is read after it is what the last holder of the lock left.
  perform 1 from balance b where b.account_id = job.account_id for no key update;
  select * into old from media_job j where j.id = job.id;
  if found then
    outcome := case old.http_status when 202 then 'pending' else 'queued' end; id := old.id; return next; return;
  end if;
  if job.idempotency_key is not null then
    select * into old from media_job j where j.account_id = job.account_id and j.api = job.api and j.idempotency_key = job.idempotency_key;
    if found and (old.completed_at is null or old.completed_at > now() - _key_life) then
      outcome := 'known'; id := old.id; return next; return;
    elsif found then update media_job j set idempotency_key = null where j.id = old.id;
    end if;
  end if;
  perform media_promote(job.account_id, _tiers);
  select b.available, b.reserved into available, reserved from balance b where b.account_id = job.account_id;
  moment := clock_timestamp();
  key_left := key_budget_left(job.account_id, job.key_id, moment);
  limits := account_media_limits(_tiers, job.account_id);
  pool := case when limits ? 'media' then 'media' else job.kind end;
  waiting_max := (limits #>> array[pool, 'waiting'])::int;
  select count(*) filter (where j.status <> 'queued'), count(*) filter (where j.status = 'queued') into active, waiting
    from media_job j where j.account_id = job.account_id and j.status in ('queued', 'pending', 'processing') and (pool = 'media' or j.kind = job.kind);
  id := job.id;
  job.created_at := date_trunc('milliseconds', clock_timestamp());
  job.attempts := '[]';
  if waiting = 0 and active < (limits #>> array[pool, 'slots'])::int then
    outcome := media_hold(job);
    if outcome is null then
      outcome := 'pending'; job.status := 'pending'; job.http_status := 202;
      job.started_at := clock_timestamp(); job.run_at := job.started_at;
    end if;
  elsif waiting < waiting_max then outcome := 'queued'; job.status := 'queued'; job.http_status := 200;
  else outcome := 'full';
  end if;
  if job.status is not null then
    insert into media_job (id, account_id, key_id, api, kind, shown_id, status, idempotency_key, request_id, operation, http_status, model, alias,
        request, prices, secret, estimated, created_at, started_at, run_at)
      values (job.id, job.account_id, job.key_id, job.api, job.kind, job.shown_id, job.status, job.idempotency_key, job.request_id, job.operation,
        job.http_status, job.model, job.alias, job.request, job.prices, job.secret, job.estimated, job.created_at, job.started_at, job.run_at);
  end if;
  return next;
end $$;
CREATE FUNCTION public.media_tidy(_account bigint, _tiers jsonb, _queue_life interval, _run_life interval) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET lock_timeout TO '3s'
    AS $$
declare job media_job;
begin
  perform 1 from balance b where b.account_id = _account for no key update;
  for job in select * from media_job j where j.account_id = _account and (j.status = 'queued' and j.created_at < now() - _queue_life
      or j.status in ('pending', 'processing') and j.started_at < now() - _run_life and j.run_at < now()) order by j.seq for update loop
    perform media_end(job, 'expired', null, null, null, 'timeout', case job.status
      when 'queued' then 'The job waited too long for a free slot.' else 'The job was found unfinished long after it began.' end, null);
    perform pg_notify('media_job', job.shown_id);
  end loop;
  perform media_promote(_account, _tiers);
end $$;
CREATE FUNCTION public.media_untidy(_tiers jsonb, _queue_life interval, _run_life interval) RETURNS SETOF bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
begin
  if not pg_try_advisory_xact_lock(7322005) then return; end if;
  return query select c.account_id from (
    select j.account_id, bool_or(j.status = 'queued' and j.created_at < now() - _queue_life
        or j.status <> 'queued' and j.started_at < now() - _run_life and j.run_at < now()) as is_late,
      count(*) filter (where j.status = 'queued' and j.kind = 'image') as images_wait, count(*) filter (where j.status = 'queued' and j.kind = 'video') as videos_wait,
      count(*) filter (where j.status <> 'queued' and j.kind = 'image') as images, count(*) filter (where j.status <> 'queued' and j.kind = 'video') as videos
    from media_job j where j.status in ('queued', 'pending', 'processing') group by j.account_id
  ) c, lateral (
    -- Asked once for an account, and only where something waits.
    select case when not c.is_late and c.images_wait + c.videos_wait > 0 then account_media_limits(_tiers, c.account_id) end offset 0
  ) l(limits)
  where c.is_late or case when l.limits ? 'media' then c.images_wait + c.videos_wait > 0 and c.images + c.videos < (l.limits #>> '{media,slots}')::int
    else c.images_wait > 0 and c.images < (l.limits #>> '{image,slots}')::int or c.videos_wait > 0 and c.videos < (l.limits #>> '{video,slots}')::int end;
end $$;
CREATE FUNCTION public.next_entry_hash(_state bytea, _before bytea, _text text) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE
    AS $$
begin
  return sha256(coalesce(_state, _before, '') || convert_to(_text, 'UTF8'));
end $$;
CREATE FUNCTION public.open_balance() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into balance (account_id) values (new.id);
  return null;
end $$;
CREATE FUNCTION public.open_key_budget() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  insert into key_budget (account_id, key_id, member_id) values (new.account_id, new.id,
    (select m.person_id from member_budget m where m.account_id = new.account_id and m.person_id = new.created_by));
  return null;
end $$;
CREATE FUNCTION public.prove_commit(_replica uuid, _count bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    AS $$
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  update commit_proof p set count = _count, at = clock_timestamp() where p.replica = _replica and p.count between _count - 1 and _count;
  if found or _count > 1 then return found; end if;
  insert into commit_proof values (_replica, _count, clock_timestamp()) on conflict do nothing;
  return found;
end $$;
CREATE FUNCTION public.rate_sweep(_most integer) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
declare swept bigint;
begin
  if not pg_try_advisory_xact_lock(7322041) then return 0; end if;
  perform set_config('synchronous_commit', 'off', true);
  delete from rate_window where (account_id, bucket, starts_at) in (
    select account_id, bucket, starts_at from rate_window
    where starts_at + make_interval(secs => 2 * seconds) < clock_timestamp() - interval '1 minute'
    limit _most for update skip locked);
  get diagnostics swept = row_count;
  return swept;
end $$;
CREATE FUNCTION public.rate_take(_account bigint[], _bucket text[], _seconds integer[], _start bigint[], _request integer[], _place integer[], _amount bigint[], _limit bigint[]) RETURNS TABLE(at_ms bigint, refused integer, n bigint, previous bigint, each_n bigint[], each_previous bigint[])
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  starts bigint[]; counts bigint[]; carried bigint[]; befores bigint[]; changes bigint[]; found int[]; places int := cardinality(_account);
  missing int; more bigint; minute bigint; takes int := cardinality(_request); first int; k int := 1;
begin
  perform set_config('synchronous_commit', 'off', true); -- no count need outlive the server
  loop
    at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
    -- The minute ended while we waited, so its windows are no longer the ones to take from. A process that makes the next minute's rows waits
    -- for the locks that we hold: the caller repeats, without any lock.
    if at_ms / 60000 <> minute then raise exception 'the minute ended while its counts were awaited' using errcode = 'serialization_failure'; end if;
    minute := at_ms / 60000;
    starts := array(select case when s > 0 then s else at_ms / 1000 / sec * sec end
      from unnest(_start, _seconds) with ordinality u(s, sec, i) order by i);
    select count(*) filter (where r.given = 0 and r.n is null), array_agg(r.previous order by r.i),
        array_agg((r.previous * (r.ms - at_ms % r.ms) + r.ms - 1) / r.ms order by r.i)
      into missing, befores, carried
      from (select u.i, u.given, u.sec * 1000::bigint as ms, w.n, coalesce(p.n, 0) as previous
        from unnest(_account, _bucket, _seconds, _start, starts) with ordinality u(a, b, sec, given, s, i)
        left join rate_window w on w.account_id = u.a and w.bucket = u.b and w.starts_at = to_timestamp(u.s)
        left join rate_window p on p.account_id = u.a and p.bucket = u.b and p.starts_at = to_timestamp(u.s - u.sec)) r;
    if missing > 0 then
      insert into rate_window (account_id, bucket, starts_at, seconds, n)
        select a, b, to_timestamp(s), sec, 0 from unnest(_account, _bucket, starts, _seconds, _start) u(a, b, s, sec, given)
        where given = 0 order by a, b collate "C", s on conflict do nothing;
      -- The process that makes a window waits for those that still take from the one before it; all others wait for that process.
      perform 1 from unnest(_account, _bucket, starts, _seconds) u(a, b, s, sec) join rate_window w
        on w.account_id = u.a and w.bucket = u.b and w.starts_at between to_timestamp(u.s - u.sec) and to_timestamp(u.s)
        order by w.account_id, w.bucket, w.starts_at for no key update of w;
      continue;
    end if;
    -- A locking statement returns the newest state of the rows that it locks.
    select array_agg(o.i order by o.i), array_agg(o.n order by o.i) into found, counts
      from (select u.i, w.n from unnest(_account, _bucket, starts) with ordinality u(a, b, s, i) join rate_window w
        on w.account_id = u.a and w.bucket = u.b and w.starts_at = to_timestamp(u.s)
        order by w.account_id, w.bucket, w.starts_at for no key update of w) o;
    exit when minute = floor(extract(epoch from clock_timestamp()) / 60);
  end loop;
  if cardinality(found) is distinct from places then -- a named window was deleted
    counts := array(select o.n from generate_series(1, places) g(i) left join unnest(found, counts) o(i, n) on o.i = g.i order by g.i);
  end if;
  -- A named window may be the current one, which then has two places: what is given back counts at once.
  if 0 < any (_start) then
    _place := array(select o.at from unnest(_place) with ordinality t(place, k) join (
        select i, min(i) over (partition by a, b, s)::int as at from unnest(_account, _bucket, starts) with ordinality u(a, b, s, i)
      ) o on o.i = t.place order by t.k);
  end if;
  changes := array_fill(0::bigint, array[places]);
  while k <= takes loop
    first := k; refused := 0; each_n := null; each_previous := null;
    loop
      if refused = 0 and _limit[k] >= 0
          and counts[_place[k]] + changes[_place[k]] + carried[_place[k]] + _amount[k] > _limit[k] then
        refused := k - first + 1;
      end if;
      k := k + 1;
      exit when k > takes or _request[k] <> _request[first];
    end loop;
    if refused = 0 then
      for j in first .. k - 1 loop
        more := greatest(_amount[j], -(counts[_place[j]] + changes[_place[j]])); -- no window falls below 0
        changes[_place[j]] := changes[_place[j]] + more;
      end loop;
    else -- the wait covers every bucket of the request
      for j in first .. k - 1 loop
        each_n := each_n || counts[_place[j]] + changes[_place[j]]; each_previous := each_previous || befores[_place[j]];
      end loop;
    end if;
    n := counts[_place[first]] + changes[_place[first]]; previous := befores[_place[first]];
    return next;
  end loop;
  update rate_window w set n = w.n + d.change
    from (select a, b, s, sum(c)::bigint as change from unnest(_account, _bucket, starts, changes) u(a, b, s, c)
      where c <> 0 group by a, b, s) d
    where w.account_id = d.a and w.bucket = d.b and w.starts_at = to_timestamp(d.s);
end $$;
CREATE FUNCTION public.recall_slices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  perform pg_notify('escrow_recall', new.account_id::text);
  return null;
end $$;
CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception '% on % is refused: %', lower(tg_op), tg_table_name, tg_argv[0] using errcode = 'restrict_violation';
end $$;
CREATE FUNCTION public.usage_add(_from timestamp with time zone, _until timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare rows_added bigint;
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
  select coalesce(sum(requests) filter (where tag is null), 0) into rows_added from quarter;
  return rows_added;
end $$;
CREATE FUNCTION public.usage_facts(_error_code text, _attempts jsonb) RETURNS TABLE(kind text, name text, calls bigint, failures bigint, cost bigint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select 'error', _error_code, 1::bigint, 0::bigint, null::bigint where _error_code is not null
  union all
  select 'provider', split_part(a ->> 'route', '/', 1), 1::bigint,
    (a ->> 'outcome' not in ('ok', 'rejected', 'refused'))::int::bigint, (a ->> 'cost')::bigint
  from jsonb_array_elements(_attempts) a where a ->> 'outcome' not in ('breaker_open', 'aborted', 'gateway_error', 'local_overload')
$$;
CREATE FUNCTION public.usage_forget() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare begins timestamptz;
begin
  perform pg_advisory_xact_lock(7322009);
  begins := usage_log_begins();
  delete from usage_rollup where starts_at >= begins;
  delete from usage_total where starts_at >= begins;
  delete from usage_fact where starts_at >= begins;
  delete from usage_active where starts_at >= begins;
  update usage_rollup_state set closed_until = coalesce(begins, closed_until), whole_since = least(whole_since, begins);
end $$;
CREATE FUNCTION public.usage_histogram(_ms integer) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case when _ms is null then 0
    else ('1e' || 12 * ceil(ln(greatest(_ms, 1)::float8) / ln(1.1::float8))::int)::numeric end
$$;
CREATE FUNCTION public.usage_lacks_cost(_attempts jsonb) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN COALESCE((NOT ((_attempts -> '-1'::integer) ? 'cost'::text)), false);
CREATE FUNCTION public.usage_late_after() RETURNS interval
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select interval '10 minutes' $$;
CREATE FUNCTION public.usage_log_begins() RETURNS timestamp with time zone
    LANGUAGE plpgsql
    AS $$
declare part text; has_rows boolean;
begin
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_log'::regclass order by 1 loop
    execute format('select exists (select from %I)', part) into has_rows;
    if has_rows then return to_date(right(part, 7), 'YYYY_MM')::timestamp at time zone 'utc'; end if;
  end loop;
  return null;
end $$;
CREATE FUNCTION public.usage_roll_up(_settled interval, _most interval, OUT added bigint, OUT is_done boolean) RETURNS record
    LANGUAGE plpgsql
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
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
  if state.closed_until = '-infinity' then state.closed_until := coalesce(usage_log_begins(), state.safe_until); end if;
  until := greatest(state.closed_until, least(state.safe_until, state.closed_until + _most));
  if until > state.closed_until or exists (select from usage_late where created_at < state.closed_until) then
    added := usage_add(state.closed_until, until);
  end if;
  update usage_rollup_state set closed_until = until, safe_until = state.safe_until, next_until = state.next_until, next_xid = state.next_xid,
    whole_since = state.whole_since;
  is_done := until >= state.safe_until;
end $$;
CREATE FUNCTION public.usage_tag_hash(_tag text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select coalesce(md5(_tag)::uuid, '00000000-0000-0000-0000-000000000000')
$$;
CREATE FUNCTION public.usage_tags(_tags jsonb) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select distinct key || ':' || value from jsonb_each_text(_tags)
$$;
CREATE FUNCTION public.usage_unmatched(_unmatched bigint, _expense bigint, _route text, _cost bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN COALESCE(_unmatched, CASE WHEN ((_expense IS NULL) AND (_route <> ''::text)) THEN _cost ELSE (0)::bigint END);
CREATE AGGREGATE public.entry_hashes(_before bytea, _text text) (
    SFUNC = public.next_entry_hash,
    STYPE = bytea
);
CREATE TABLE public.account (
    id bigint NOT NULL,
    email text NOT NULL,
    email_norm text,
    email_verified_at timestamp with time zone,
    suspended_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    user_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text,
    password_hash text,
    workspace_name text,
    deleted_at timestamp with time zone,
    assigned_tier smallint,
    response_retention_days smallint,
    CONSTRAINT account_assigned_tier_check CHECK ((assigned_tier >= 0)),
    CONSTRAINT account_email_check CHECK ((email <> ''::text)),
    CONSTRAINT account_email_norm_check CHECK ((email_norm = lower(email_norm))),
    CONSTRAINT account_is_named CHECK (((email_norm IS NOT NULL) OR (workspace_name IS NOT NULL))),
    CONSTRAINT account_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT account_response_retention_days_check CHECK (((response_retention_days >= 1) AND (response_retention_days <= 365))),
    CONSTRAINT account_workspace_name_check CHECK (((length(workspace_name) >= 1) AND (length(workspace_name) <= 100)))
);
ALTER TABLE public.account ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.account_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.api_key (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last4 text NOT NULL,
    name text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    deleted_at timestamp with time zone,
    created_by bigint,
    expires_at timestamp with time zone,
    allowed_models text[],
    allowed_operations text[],
    allowed_networks text[],
    scopes text[],
    rpm integer,
    tpm integer,
    old_hash bytea,
    old_until timestamp with time zone,
    rolled_by bigint,
    old_seen_by bigint,
    stream_usage boolean DEFAULT false NOT NULL,
    response_cache_seconds integer DEFAULT 0 NOT NULL,
    CONSTRAINT api_key_check CHECK (((old_hash IS NULL) = (old_until IS NULL))),
    CONSTRAINT api_key_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT api_key_last4_check CHECK ((length(last4) = 4)),
    CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT api_key_old_hash_check CHECK ((length(old_hash) = 32)),
    CONSTRAINT api_key_prefix_check CHECK ((length(prefix) <= 12)),
    CONSTRAINT api_key_response_cache_seconds_check CHECK (((response_cache_seconds >= 0) AND (response_cache_seconds <= 86400))),
    CONSTRAINT api_key_rpm_check CHECK ((rpm > 0)),
    CONSTRAINT api_key_tpm_check CHECK ((tpm > 0))
);
ALTER TABLE public.api_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auto_topup (
    account_id bigint NOT NULL,
    enabled boolean DEFAULT false NOT NULL,
    threshold bigint NOT NULL,
    amount bigint NOT NULL,
    monthly_cap bigint NOT NULL,
    consent_version text,
    consent_at timestamp with time zone,
    consent_by bigint,
    customer_id text,
    card_id text,
    card jsonb,
    forget_cards text[] DEFAULT '{}'::text[] NOT NULL,
    declines integer DEFAULT 0 NOT NULL,
    retry_at timestamp with time zone,
    last_failure text,
    charging uuid,
    charge_card text,
    charge_customer text,
    due_at timestamp with time zone,
    asked boolean DEFAULT false NOT NULL,
    CONSTRAINT auto_topup_amount_check CHECK ((amount > 0)),
    CONSTRAINT auto_topup_check CHECK ((monthly_cap >= amount)),
    CONSTRAINT auto_topup_check1 CHECK (((NOT enabled) OR ((card_id IS NOT NULL) AND (customer_id IS NOT NULL) AND (consent_at IS NOT NULL)))),
    CONSTRAINT auto_topup_check2 CHECK (((card_id IS NULL) = (card IS NULL))),
    CONSTRAINT auto_topup_check3 CHECK (((charging IS NULL) = (due_at IS NULL))),
    CONSTRAINT auto_topup_last_failure_check CHECK ((last_failure = ANY (ARRAY['declined'::text, 'authentication_required'::text]))),
    CONSTRAINT auto_topup_threshold_check CHECK ((threshold >= 0))
);
CREATE TABLE public.balance (
    account_id bigint NOT NULL,
    available bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    purchased bigint DEFAULT 0 NOT NULL,
    earned bigint DEFAULT 0 NOT NULL,
    spent bigint DEFAULT 0 NOT NULL,
    CONSTRAINT balance_earned_check CHECK ((earned >= 0)),
    CONSTRAINT balance_purchased_check CHECK ((purchased >= 0)),
    CONSTRAINT balance_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT balance_spent_check CHECK ((spent >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.balance_armed (
    account_id bigint NOT NULL,
    armed_at timestamp with time zone NOT NULL
);
CREATE TABLE public.batch (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    key_id bigint NOT NULL,
    endpoint text NOT NULL,
    input_file_id uuid NOT NULL,
    metadata jsonb,
    status text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    in_progress_at timestamp with time zone,
    finalizing_at timestamp with time zone,
    completed_at timestamp with time zone,
    failed_at timestamp with time zone,
    expired_at timestamp with time zone,
    cancelling_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    ended_at timestamp with time zone,
    errors jsonb,
    total integer DEFAULT 0 NOT NULL,
    completed integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    output_file_id uuid,
    error_file_id uuid,
    lease_owner uuid,
    lease_until timestamp with time zone,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    output_kept_seconds integer,
    CONSTRAINT batch_cached_tokens_check CHECK ((cached_tokens >= 0)),
    CONSTRAINT batch_check CHECK (((ended_at IS NULL) = (status = ANY (ARRAY['validating'::text, 'in_progress'::text, 'finalizing'::text, 'cancelling'::text])))),
    CONSTRAINT batch_check1 CHECK (((completed + failed) <= total)),
    CONSTRAINT batch_completed_check CHECK ((completed >= 0)),
    CONSTRAINT batch_failed_check CHECK ((failed >= 0)),
    CONSTRAINT batch_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT batch_output_kept_seconds_check CHECK (((output_kept_seconds >= 3600) AND (output_kept_seconds <= 2592000))),
    CONSTRAINT batch_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT batch_reasoning_tokens_check CHECK ((reasoning_tokens >= 0)),
    CONSTRAINT batch_status_check CHECK ((status = ANY (ARRAY['validating'::text, 'failed'::text, 'in_progress'::text, 'finalizing'::text, 'completed'::text, 'expired'::text, 'cancelling'::text, 'cancelled'::text]))),
    CONSTRAINT batch_total_check CHECK ((total >= 0))
);
CREATE TABLE public.batch_line (
    batch_id uuid NOT NULL,
    seq integer NOT NULL,
    starts_at bigint NOT NULL,
    bytes integer NOT NULL,
    custom_id text NOT NULL,
    ended_at timestamp with time zone,
    is_answered boolean,
    result text,
    CONSTRAINT batch_line_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT batch_line_check CHECK ((((ended_at IS NULL) = (is_answered IS NULL)) AND ((ended_at IS NULL) = (result IS NULL)))),
    CONSTRAINT batch_line_seq_check CHECK ((seq >= 0)),
    CONSTRAINT batch_line_starts_at_check CHECK ((starts_at >= 0))
);
CREATE TABLE public.budget_told (
    account_id bigint NOT NULL,
    key_id bigint NOT NULL,
    span text NOT NULL,
    limit_amount bigint NOT NULL,
    period_ends timestamp with time zone,
    percent integer NOT NULL,
    CONSTRAINT budget_told_span_check CHECK ((span = ANY (ARRAY['life'::text, 'period'::text])))
);
CREATE TABLE public.catalog_version (
    id integer NOT NULL,
    applied_at timestamp with time zone NOT NULL,
    applied_by text NOT NULL,
    reason text,
    text text,
    sha256 text,
    previous integer,
    restores integer,
    CONSTRAINT catalog_version_check CHECK (((text IS NULL) = (sha256 IS NULL)))
);
ALTER TABLE public.catalog_version ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.catalog_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.closed_month (
    account_id bigint NOT NULL,
    month date NOT NULL,
    last_seq bigint NOT NULL,
    entries bigint NOT NULL,
    topups bigint NOT NULL,
    grants bigint NOT NULL,
    charges bigint NOT NULL,
    holds bigint NOT NULL,
    refunds bigint NOT NULL,
    adjustments bigint NOT NULL,
    payment_refunds bigint NOT NULL,
    closing bigint NOT NULL,
    CONSTRAINT closed_month_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
CREATE TABLE public.commit_proof (
    replica uuid NOT NULL,
    count bigint NOT NULL,
    at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.conversation (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    metadata bytea NOT NULL,
    next_place bigint DEFAULT 0 NOT NULL,
    items integer DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    turn uuid,
    turn_until timestamp with time zone,
    turn_input bytea
);
ALTER TABLE ONLY public.conversation ALTER COLUMN turn_input SET STORAGE EXTERNAL;
CREATE TABLE public.conversation_item (
    account_id bigint NOT NULL,
    conversation_id uuid NOT NULL,
    place bigint NOT NULL,
    id text NOT NULL,
    item bytea NOT NULL
);
ALTER TABLE ONLY public.conversation_item ALTER COLUMN item SET STORAGE EXTERNAL;
CREATE TABLE public.disabled_route (
    provider text NOT NULL,
    model text NOT NULL,
    until timestamp with time zone NOT NULL,
    reason text NOT NULL,
    disabled_by text NOT NULL,
    disabled_at timestamp with time zone NOT NULL,
    CONSTRAINT disabled_route_provider_check CHECK ((provider <> ''::text))
);
CREATE TABLE public.escrow (
    account_id bigint NOT NULL,
    closings bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.former_member (
    account_id bigint NOT NULL,
    person_id bigint NOT NULL
);
CREATE TABLE public.idempotency_key (
    account_id bigint NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    hash bytea NOT NULL,
    call_id uuid NOT NULL,
    received_at timestamp with time zone NOT NULL,
    owner uuid,
    status integer,
    headers jsonb,
    body bytea,
    CONSTRAINT idempotency_key_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT idempotency_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 128)))
);
CREATE TABLE public.identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.invitation (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    email text NOT NULL,
    email_norm text NOT NULL,
    role text NOT NULL,
    hash bytea NOT NULL,
    invited_by bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    sent integer DEFAULT 1 NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    outcome text,
    CONSTRAINT invitation_check CHECK (((ended_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT invitation_email_check CHECK ((email <> ''::text)),
    CONSTRAINT invitation_email_norm_check CHECK ((email_norm = lower(email_norm))),
    CONSTRAINT invitation_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT invitation_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'declined'::text, 'revoked'::text]))),
    CONSTRAINT invitation_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'billing'::text, 'viewer'::text])))
);
CREATE TABLE public.kept_answer (
    account_id bigint NOT NULL,
    hash bytea NOT NULL,
    answer bytea NOT NULL,
    bytes integer GENERATED ALWAYS AS (octet_length(answer)) STORED NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT kept_answer_hash_check CHECK ((length(hash) = 32))
);
CREATE TABLE public.key_budget (
    account_id bigint NOT NULL,
    key_id bigint NOT NULL,
    limit_amount bigint,
    spent bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    period text,
    period_limit bigint,
    period_spent bigint DEFAULT 0 NOT NULL,
    period_ends timestamp with time zone,
    member_id bigint,
    CONSTRAINT key_budget_limit_amount_check CHECK ((limit_amount >= 0)),
    CONSTRAINT key_budget_period_check CHECK ((period = ANY (ARRAY['hour'::text, 'day'::text, 'week'::text, 'month'::text]))),
    CONSTRAINT key_budget_period_limit_check CHECK ((period_limit >= 0)),
    CONSTRAINT key_budget_period_spent_check CHECK ((period_spent >= 0)),
    CONSTRAINT key_budget_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT key_budget_spent_check CHECK ((spent >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.known_network (
    hash bytea NOT NULL,
    account_id bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT known_network_hash_check CHECK ((length(hash) = 32))
);
CREATE TABLE public.ledger_audit (
    id bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    started_by text NOT NULL,
    status text NOT NULL,
    alive_until timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    result jsonb,
    CONSTRAINT ended_has_its_time CHECK (((ended_at IS NULL) = (status = 'running'::text))),
    CONSTRAINT ledger_audit_started_by_check CHECK ((started_by <> ''::text)),
    CONSTRAINT ledger_audit_status_check CHECK ((status = ANY (ARRAY['running'::text, 'agrees'::text, 'differs'::text, 'failed'::text])))
);
ALTER TABLE public.ledger_audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.ledger_entry (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    ref text NOT NULL,
    key_id bigint,
    seq bigint NOT NULL,
    balance_after bigint NOT NULL,
    hash bytea NOT NULL,
    corrects bigint,
    reason text,
    CONSTRAINT ledger_entry_amount_check CHECK ((amount <> 0))
);
CREATE TABLE public.ledger_verdict (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    accounts bigint NOT NULL,
    entries bigint NOT NULL,
    head bytea,
    broken text,
    CONSTRAINT ledger_verdict_check CHECK (((head IS NULL) <> (broken IS NULL))),
    CONSTRAINT ledger_verdict_head_check CHECK ((length(head) = 32))
);
ALTER TABLE public.ledger_verdict ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_verdict_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.media_expense (
    job_id uuid NOT NULL,
    account_id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    route text NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT media_expense_amount_check CHECK ((amount >= 0))
);
CREATE TABLE public.media_job_move (
    from_status text NOT NULL,
    to_status text NOT NULL
);
ALTER TABLE public.media_job ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.media_job_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.member (
    account_id bigint NOT NULL,
    person_id bigint NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    groups_of text,
    CONSTRAINT member_check CHECK ((person_id <> account_id)),
    CONSTRAINT member_groups_of_check CHECK ((groups_of <> ''::text)),
    CONSTRAINT member_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'billing'::text, 'viewer'::text])))
);
CREATE TABLE public.member_budget (
    account_id bigint NOT NULL,
    person_id bigint NOT NULL,
    limit_amount bigint,
    spent bigint NOT NULL,
    reserved bigint NOT NULL,
    period text,
    period_limit bigint,
    period_spent bigint DEFAULT 0 NOT NULL,
    period_ends timestamp with time zone,
    CONSTRAINT member_budget_check CHECK (((limit_amount IS NULL) <> (period_limit IS NULL))),
    CONSTRAINT member_budget_check1 CHECK (((period IS NULL) = (period_limit IS NULL))),
    CONSTRAINT member_budget_limit_amount_check CHECK ((limit_amount >= 0)),
    CONSTRAINT member_budget_period_check CHECK ((period = ANY (ARRAY['hour'::text, 'day'::text, 'week'::text, 'month'::text]))),
    CONSTRAINT member_budget_period_limit_check CHECK ((period_limit >= 0)),
    CONSTRAINT member_budget_period_spent_check CHECK ((period_spent >= 0)),
    CONSTRAINT member_budget_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT member_budget_spent_check CHECK ((spent >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.notice (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    event text NOT NULL,
    cause text NOT NULL,
    data jsonb NOT NULL,
    person_id bigint,
    created_at timestamp with time zone NOT NULL,
    planned_at timestamp with time zone,
    CONSTRAINT notice_cause_check CHECK (((length(cause) >= 1) AND (length(cause) <= 500))),
    CONSTRAINT notice_event_check CHECK ((event <> ''::text))
);
CREATE TABLE public.notice_delivery (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    notice_id uuid NOT NULL,
    address text,
    endpoint_id uuid,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    lease_owner uuid,
    tried_at timestamp with time zone,
    response_code integer,
    response text,
    CONSTRAINT notice_delivery_address_check CHECK ((address <> ''::text)),
    CONSTRAINT notice_delivery_check CHECK (((address IS NULL) <> (endpoint_id IS NULL))),
    CONSTRAINT notice_delivery_check1 CHECK (((state = 'waiting'::text) = (due_at IS NOT NULL))),
    CONSTRAINT notice_delivery_response_check CHECK ((length(response) <= 1024)),
    CONSTRAINT notice_delivery_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text])))
);
CREATE TABLE public.notice_preference (
    account_id bigint NOT NULL,
    low_balance bigint,
    mails jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT notice_preference_low_balance_check CHECK ((low_balance >= 0))
);
CREATE TABLE public.notice_sweep (
    name text NOT NULL,
    swept_at timestamp with time zone NOT NULL
);
CREATE TABLE public.operator (
    account_id bigint NOT NULL,
    role text NOT NULL,
    added_by text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT operator_added_by_check CHECK ((added_by <> ''::text)),
    CONSTRAINT operator_role_check CHECK ((role = ANY (ARRAY['support'::text, 'finance'::text, 'admin'::text])))
);
CREATE TABLE public.operator_action (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    who text NOT NULL,
    account_id bigint,
    role text,
    address text,
    session text,
    action text NOT NULL,
    target text,
    reason text,
    before jsonb,
    after jsonb,
    request_id text,
    effect uuid,
    CONSTRAINT operator_action_action_check CHECK ((action <> ''::text)),
    CONSTRAINT operator_action_who_check CHECK ((who <> ''::text))
);
ALTER TABLE public.operator_action ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.operator_action_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.payment_event (
    id text NOT NULL,
    type text NOT NULL,
    topup_id uuid,
    received_at timestamp with time zone NOT NULL
);
CREATE TABLE public.payment_reversal (
    id text NOT NULL,
    topup_id uuid NOT NULL,
    amount bigint NOT NULL,
    withdrawn boolean NOT NULL,
    reinstated boolean NOT NULL,
    closed boolean NOT NULL,
    CONSTRAINT payment_reversal_amount_check CHECK ((amount >= 0))
);
CREATE TABLE public.price_change (
    id bigint NOT NULL,
    model text NOT NULL,
    at timestamp with time zone NOT NULL,
    price_before jsonb,
    price_after jsonb,
    CONSTRAINT price_change_check CHECK ((price_before IS DISTINCT FROM price_after))
);
ALTER TABLE public.price_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.price_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE public.rate_window (
    account_id bigint NOT NULL,
    bucket text NOT NULL COLLATE pg_catalog."C",
    starts_at timestamp with time zone NOT NULL,
    seconds integer NOT NULL,
    n bigint NOT NULL,
    CONSTRAINT rate_window_n_check CHECK ((n >= 0)),
    CONSTRAINT rate_window_seconds_check CHECK (((seconds > 0) AND ((seconds % 60) = 0)))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.05');
CREATE TABLE public.receipt_key (
    kid text NOT NULL,
    public_jwk jsonb NOT NULL,
    private_key text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    replaced_at timestamp with time zone,
    CONSTRAINT receipt_key_check CHECK (((private_key IS NULL) = (replaced_at IS NOT NULL)))
);
CREATE TABLE public.recovery_code (
    account_id bigint NOT NULL,
    hash bytea NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT recovery_code_hash_check CHECK ((length(hash) = 32))
);
CREATE TABLE public.replica (
    id uuid NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.schema_function (
    name text NOT NULL,
    hash text NOT NULL,
    version integer NOT NULL
);
CREATE TABLE public.schema_migration (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.sealing_key (
    only_one boolean DEFAULT true NOT NULL,
    key bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT sealing_key_key_check CHECK ((length(key) = 32)),
    CONSTRAINT sealing_key_only_one_check CHECK (only_one)
);
CREATE TABLE public.session (
    hash bytea NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    factor_at timestamp with time zone,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    address text,
    user_agent text,
    CONSTRAINT session_address_check CHECK ((length(address) <= 64)),
    CONSTRAINT session_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT session_user_agent_check CHECK ((length(user_agent) <= 300))
);
CREATE TABLE public.sign_in_flow (
    hash bytea NOT NULL,
    provider text NOT NULL,
    nonce text NOT NULL,
    code_verifier text NOT NULL,
    redirect_uri text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    browser bytea,
    CONSTRAINT sign_in_flow_browser_check CHECK ((length(browser) = 32)),
    CONSTRAINT sign_in_flow_hash_check CHECK ((length(hash) = 32))
);
CREATE TABLE public.signup_mailbox (
    mailbox text NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.stored_file (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    purpose text NOT NULL,
    filename text NOT NULL,
    bytes bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    is_stored boolean DEFAULT false NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT stored_file_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT stored_file_check CHECK ((expires_at > created_at)),
    CONSTRAINT stored_file_filename_check CHECK (((length(filename) >= 1) AND (length(filename) <= 255))),
    CONSTRAINT stored_file_purpose_check CHECK ((purpose = ANY (ARRAY['batch'::text, 'batch_output'::text])))
);
CREATE TABLE public.stored_response (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    previous_id uuid,
    created_at timestamp with time zone NOT NULL,
    input bytea NOT NULL,
    response bytea
);
ALTER TABLE ONLY public.stored_response ALTER COLUMN input SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.stored_response ALTER COLUMN response SET STORAGE EXTERNAL;
CREATE TABLE public.topup (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    amount bigint NOT NULL,
    status text NOT NULL,
    checkout_id text,
    checkout_url text,
    created_at timestamp with time zone NOT NULL,
    completed_at timestamp with time zone,
    payment_id text,
    paid bigint,
    automatic boolean DEFAULT false NOT NULL,
    tax bigint,
    tax_country text,
    tax_id text,
    CONSTRAINT topup_amount_check CHECK ((amount > 0)),
    CONSTRAINT topup_check CHECK (((status = 'pending'::text) = (completed_at IS NULL))),
    CONSTRAINT topup_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'expired'::text]))),
    CONSTRAINT topup_tax_country_check CHECK ((tax_country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT topup_tax_id_check CHECK (((length(tax_id) >= 1) AND (length(tax_id) <= 64)))
);
CREATE TABLE public.totp (
    account_id bigint NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    tried_at timestamp with time zone,
    CONSTRAINT totp_secret_check CHECK ((length(secret) = 20))
);
CREATE TABLE public.unapplied_event (
    id text NOT NULL,
    type text NOT NULL,
    about text NOT NULL,
    said text NOT NULL,
    topup_id uuid,
    reason text NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    times integer DEFAULT 1 NOT NULL
);
CREATE TABLE public.usage_active (
    span smallint NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    block bigint NOT NULL,
    accounts bit(32768) NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE public.usage_fact (
    span smallint NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    calls bigint NOT NULL,
    failures bigint NOT NULL,
    cost bigint
)
WITH (fillfactor='80');
CREATE TABLE public.usage_late (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL
);
CREATE TABLE public.usage_log (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id text NOT NULL,
    key_id bigint,
    operation text NOT NULL,
    model text NOT NULL,
    alias text,
    served_model text,
    status text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    cost bigint NOT NULL,
    reserved bigint NOT NULL,
    prices jsonb NOT NULL,
    attempts jsonb NOT NULL,
    stream boolean NOT NULL,
    fallback_layer integer,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    model_type text,
    error_message text,
    units numeric,
    unit text,
    job_id text,
    cache_write_1h_tokens bigint,
    expense bigint,
    tags jsonb,
    CONSTRAINT failures_are_free CHECK (((status <> 'failed'::text) OR (cost = 0))),
    CONSTRAINT usage_log_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT usage_log_cache_write_tokens_check CHECK ((cache_write_tokens >= 0)),
    CONSTRAINT usage_log_check CHECK (((reasoning_tokens >= 0) AND (reasoning_tokens <= output_tokens))),
    CONSTRAINT usage_log_check1 CHECK (((cache_write_1h_tokens >= 0) AND (cache_write_1h_tokens <= cache_write_tokens))),
    CONSTRAINT usage_log_cost_check CHECK ((cost >= 0)),
    CONSTRAINT usage_log_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT usage_log_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT usage_log_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT usage_log_status_check CHECK ((status = ANY (ARRAY['success'::text, 'aborted'::text, 'failed'::text]))),
    CONSTRAINT usage_log_units_check CHECK ((units >= (0)::numeric))
)
PARTITION BY RANGE (created_at);
CREATE TABLE public.usage_log_2026_10 (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id text NOT NULL,
    key_id bigint,
    operation text NOT NULL,
    model text NOT NULL,
    alias text,
    served_model text,
    status text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    cost bigint NOT NULL,
    reserved bigint NOT NULL,
    prices jsonb NOT NULL,
    attempts jsonb NOT NULL,
    stream boolean NOT NULL,
    fallback_layer integer,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    model_type text,
    error_message text,
    units numeric,
    unit text,
    job_id text,
    cache_write_1h_tokens bigint,
    expense bigint,
    tags jsonb,
    CONSTRAINT failures_are_free CHECK (((status <> 'failed'::text) OR (cost = 0))),
    CONSTRAINT usage_log_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT usage_log_cache_write_tokens_check CHECK ((cache_write_tokens >= 0)),
    CONSTRAINT usage_log_check CHECK (((reasoning_tokens >= 0) AND (reasoning_tokens <= output_tokens))),
    CONSTRAINT usage_log_check1 CHECK (((cache_write_1h_tokens >= 0) AND (cache_write_1h_tokens <= cache_write_tokens))),
    CONSTRAINT usage_log_cost_check CHECK ((cost >= 0)),
    CONSTRAINT usage_log_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT usage_log_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT usage_log_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT usage_log_status_check CHECK ((status = ANY (ARRAY['success'::text, 'aborted'::text, 'failed'::text]))),
    CONSTRAINT usage_log_units_check CHECK ((units >= (0)::numeric))
);
CREATE TABLE public.usage_log_2026_11 (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id text NOT NULL,
    key_id bigint,
    operation text NOT NULL,
    model text NOT NULL,
    alias text,
    served_model text,
    status text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    cost bigint NOT NULL,
    reserved bigint NOT NULL,
    prices jsonb NOT NULL,
    attempts jsonb NOT NULL,
    stream boolean NOT NULL,
    fallback_layer integer,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    model_type text,
    error_message text,
    units numeric,
    unit text,
    job_id text,
    cache_write_1h_tokens bigint,
    expense bigint,
    tags jsonb,
    CONSTRAINT failures_are_free CHECK (((status <> 'failed'::text) OR (cost = 0))),
    CONSTRAINT usage_log_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT usage_log_cache_write_tokens_check CHECK ((cache_write_tokens >= 0)),
    CONSTRAINT usage_log_check CHECK (((reasoning_tokens >= 0) AND (reasoning_tokens <= output_tokens))),
    CONSTRAINT usage_log_check1 CHECK (((cache_write_1h_tokens >= 0) AND (cache_write_1h_tokens <= cache_write_tokens))),
    CONSTRAINT usage_log_cost_check CHECK ((cost >= 0)),
    CONSTRAINT usage_log_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT usage_log_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT usage_log_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT usage_log_status_check CHECK ((status = ANY (ARRAY['success'::text, 'aborted'::text, 'failed'::text]))),
    CONSTRAINT usage_log_units_check CHECK ((units >= (0)::numeric))
);
CREATE TABLE public.usage_log_2026_12 (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id text NOT NULL,
    key_id bigint,
    operation text NOT NULL,
    model text NOT NULL,
    alias text,
    served_model text,
    status text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    cost bigint NOT NULL,
    reserved bigint NOT NULL,
    prices jsonb NOT NULL,
    attempts jsonb NOT NULL,
    stream boolean NOT NULL,
    fallback_layer integer,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    model_type text,
    error_message text,
    units numeric,
    unit text,
    job_id text,
    cache_write_1h_tokens bigint,
    expense bigint,
    tags jsonb,
    CONSTRAINT failures_are_free CHECK (((status <> 'failed'::text) OR (cost = 0))),
    CONSTRAINT usage_log_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT usage_log_cache_write_tokens_check CHECK ((cache_write_tokens >= 0)),
    CONSTRAINT usage_log_check CHECK (((reasoning_tokens >= 0) AND (reasoning_tokens <= output_tokens))),
    CONSTRAINT usage_log_check1 CHECK (((cache_write_1h_tokens >= 0) AND (cache_write_1h_tokens <= cache_write_tokens))),
    CONSTRAINT usage_log_cost_check CHECK ((cost >= 0)),
    CONSTRAINT usage_log_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT usage_log_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT usage_log_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT usage_log_status_check CHECK ((status = ANY (ARRAY['success'::text, 'aborted'::text, 'failed'::text]))),
    CONSTRAINT usage_log_units_check CHECK ((units >= (0)::numeric))
);
CREATE TABLE public.usage_log_2027_01 (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id text NOT NULL,
    key_id bigint,
    operation text NOT NULL,
    model text NOT NULL,
    alias text,
    served_model text,
    status text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    cost bigint NOT NULL,
    reserved bigint NOT NULL,
    prices jsonb NOT NULL,
    attempts jsonb NOT NULL,
    stream boolean NOT NULL,
    fallback_layer integer,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    model_type text,
    error_message text,
    units numeric,
    unit text,
    job_id text,
    cache_write_1h_tokens bigint,
    expense bigint,
    tags jsonb,
    CONSTRAINT failures_are_free CHECK (((status <> 'failed'::text) OR (cost = 0))),
    CONSTRAINT usage_log_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT usage_log_cache_write_tokens_check CHECK ((cache_write_tokens >= 0)),
    CONSTRAINT usage_log_check CHECK (((reasoning_tokens >= 0) AND (reasoning_tokens <= output_tokens))),
    CONSTRAINT usage_log_check1 CHECK (((cache_write_1h_tokens >= 0) AND (cache_write_1h_tokens <= cache_write_tokens))),
    CONSTRAINT usage_log_cost_check CHECK ((cost >= 0)),
    CONSTRAINT usage_log_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT usage_log_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT usage_log_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT usage_log_status_check CHECK ((status = ANY (ARRAY['success'::text, 'aborted'::text, 'failed'::text]))),
    CONSTRAINT usage_log_units_check CHECK ((units >= (0)::numeric))
);
CREATE TABLE public.usage_log_2027_02 (
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL,
    request_id text NOT NULL,
    key_id bigint,
    operation text NOT NULL,
    model text NOT NULL,
    alias text,
    served_model text,
    status text NOT NULL,
    http_status integer NOT NULL,
    error_code text,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    estimated boolean DEFAULT false NOT NULL,
    cost bigint NOT NULL,
    reserved bigint NOT NULL,
    prices jsonb NOT NULL,
    attempts jsonb NOT NULL,
    stream boolean NOT NULL,
    fallback_layer integer,
    latency_ms integer NOT NULL,
    first_byte_ms integer,
    model_type text,
    error_message text,
    units numeric,
    unit text,
    job_id text,
    cache_write_1h_tokens bigint,
    expense bigint,
    tags jsonb,
    CONSTRAINT failures_are_free CHECK (((status <> 'failed'::text) OR (cost = 0))),
    CONSTRAINT usage_log_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT usage_log_cache_write_tokens_check CHECK ((cache_write_tokens >= 0)),
    CONSTRAINT usage_log_check CHECK (((reasoning_tokens >= 0) AND (reasoning_tokens <= output_tokens))),
    CONSTRAINT usage_log_check1 CHECK (((cache_write_1h_tokens >= 0) AND (cache_write_1h_tokens <= cache_write_tokens))),
    CONSTRAINT usage_log_cost_check CHECK ((cost >= 0)),
    CONSTRAINT usage_log_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT usage_log_output_tokens_check CHECK ((output_tokens >= 0)),
    CONSTRAINT usage_log_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT usage_log_status_check CHECK ((status = ANY (ARRAY['success'::text, 'aborted'::text, 'failed'::text]))),
    CONSTRAINT usage_log_units_check CHECK ((units >= (0)::numeric))
);
CREATE TABLE public.usage_rollup (
    account_id bigint NOT NULL,
    span smallint NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    tag_hash uuid NOT NULL,
    model text NOT NULL,
    key_id bigint NOT NULL,
    operation text NOT NULL,
    failed boolean NOT NULL,
    route text NOT NULL,
    tag text,
    requests bigint NOT NULL,
    input_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    cost bigint NOT NULL,
    expense bigint,
    latency numeric NOT NULL,
    first_byte numeric NOT NULL,
    unmatched bigint,
    CONSTRAINT usage_rollup_unmatched_check CHECK ((unmatched >= 0))
)
WITH (fillfactor='80');
CREATE TABLE public.usage_rollup_state (
    only_row boolean DEFAULT true NOT NULL,
    closed_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    safe_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    next_until timestamp with time zone,
    next_xid xid8,
    whole_since timestamp with time zone,
    CONSTRAINT usage_rollup_state_only_row_check CHECK (only_row)
);
CREATE TABLE public.usage_tagged (
    account_id bigint NOT NULL,
    tag_hash uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    id uuid NOT NULL
);
CREATE TABLE public.usage_total (
    span smallint NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    model text NOT NULL,
    operation text NOT NULL,
    failed boolean NOT NULL,
    route text NOT NULL,
    requests bigint NOT NULL,
    input_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    cost bigint NOT NULL,
    expense bigint,
    unmatched bigint NOT NULL,
    latency numeric NOT NULL,
    first_byte numeric NOT NULL
)
WITH (fillfactor='80');
CREATE TABLE public.verification (
    hash bytea NOT NULL,
    account_id bigint,
    purpose text NOT NULL,
    code_hash bytea,
    code_attempts integer DEFAULT 0 NOT NULL,
    password_hash text,
    name text,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT verification_code_hash_check CHECK ((length(code_hash) = 32)),
    CONSTRAINT verification_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT verification_purpose_check CHECK ((purpose = ANY (ARRAY['verify_email'::text, 'reset_password'::text])))
);
CREATE TABLE public.voice (
    voice_id text NOT NULL,
    account_id bigint NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    name text NOT NULL,
    call_id uuid NOT NULL,
    cost bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT voice_voice_id_check CHECK (((voice_id <> ''::text) AND (length(voice_id) <= 256)))
);
CREATE TABLE public.voucher (
    id uuid NOT NULL,
    batch_id bigint NOT NULL,
    hash bytea NOT NULL,
    account_id bigint,
    redeemed_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT voucher_check CHECK (((account_id IS NULL) = (redeemed_at IS NULL))),
    CONSTRAINT voucher_check1 CHECK (((ended_at IS NULL) OR (redeemed_at IS NULL))),
    CONSTRAINT voucher_hash_check CHECK ((length(hash) = 32))
);
CREATE TABLE public.voucher_batch (
    id bigint NOT NULL,
    amount bigint NOT NULL,
    count integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    expires_at timestamp with time zone,
    credit_days integer,
    once_per_account boolean NOT NULL,
    ended_at timestamp with time zone,
    effect uuid,
    CONSTRAINT voucher_batch_amount_check CHECK ((amount > 0)),
    CONSTRAINT voucher_batch_count_check CHECK ((count > 0)),
    CONSTRAINT voucher_batch_credit_days_check CHECK ((credit_days > 0))
);
ALTER TABLE public.voucher_batch ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.voucher_batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_endpoint (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    description text,
    events text[],
    secret text NOT NULL,
    old_secret text,
    old_until timestamp with time zone,
    enabled boolean DEFAULT true NOT NULL,
    failing_since timestamp with time zone,
    given_up_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT webhook_endpoint_check CHECK (((old_secret IS NULL) = (old_until IS NULL))),
    CONSTRAINT webhook_endpoint_description_check CHECK (((length(description) >= 1) AND (length(description) <= 200))),
    CONSTRAINT webhook_endpoint_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
CREATE TABLE public.workspace_domain (
    id uuid NOT NULL,
    account_id bigint NOT NULL,
    domain text NOT NULL,
    role text NOT NULL,
    token text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone,
    CONSTRAINT workspace_domain_domain_check CHECK (((domain <> ''::text) AND (domain = lower(domain)))),
    CONSTRAINT workspace_domain_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'developer'::text, 'billing'::text, 'viewer'::text]))),
    CONSTRAINT workspace_domain_token_check CHECK ((token <> ''::text))
);
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2026_10 FOR VALUES FROM ('2026-10-01 00:00:00+00') TO ('2026-11-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2027_01 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-02-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2027_02 FOR VALUES FROM ('2027-02-01 00:00:00+00') TO ('2027-03-01 00:00:00+00');
INSERT INTO public.account OVERRIDING SYSTEM VALUE VALUES
	(1, 'test-29226-1@example.com', 'test-29226-1@example.com', '2026-11-28 01:51:44.289+00', NULL, '2026-11-28 01:51:44.289+00', '10629fa3-d3a8-43ac-9592-520bc6002b51', NULL, NULL, NULL, NULL, NULL, NULL),
	(2, 'test-29226-2@example.com', 'test-29226-2@example.com', '2026-11-28 01:51:44.347+00', NULL, '2026-11-28 01:51:44.347+00', 'cebe8c17-57c0-44f2-8935-bc9e1322ae9f', NULL, NULL, NULL, NULL, NULL, NULL),
	(3, 'test-29226-3@example.com', 'test-29226-3@example.com', '2026-11-28 01:51:44.381+00', NULL, '2026-11-28 01:51:44.381+00', '14963633-321b-4b10-9990-4d7bf8c1bedf', NULL, NULL, NULL, NULL, NULL, NULL),
	(4, 'test-29226-4@example.com', 'test-29226-4@example.com', '2026-11-28 01:51:44.4+00', NULL, '2026-11-28 01:51:44.4+00', '67b7c398-6c3b-42d6-b58e-2ec1c3ee82aa', NULL, NULL, NULL, NULL, NULL, NULL),
	(5, 'test-29226-5@example.com', 'test-29226-5@example.com', '2026-11-28 01:51:44.421+00', NULL, '2026-11-28 01:51:44.421+00', '5fa0ac9b-bed8-4cf8-b5ad-934a13623b06', NULL, NULL, NULL, NULL, NULL, NULL),
	(6, 'test-29226-1@example.com', NULL, '2026-11-28 01:51:44.661+00', NULL, '2026-11-28 01:51:44.661+00', '0fa3166b-e926-43a0-af5f-2ea95cfa0b00', NULL, NULL, 'Team cfe0f649-63c1-4cb6-aa64-6b384063868b', NULL, NULL, 365),
	(7, 'sailor@example.com', 'sailor@example.com', '2026-11-28 01:52:10.541+00', NULL, '2026-11-28 01:52:07.756+00', '7c7d2103-a65a-40cd-b84d-f7e3785eba99', NULL, '$argon2id$v=19$m=19456,t=2,p=1$mdkL9sXhn1SS+z9ifGuGqw$KDrALrwGGN4rfnmi1FZsWF4JZh36XlqGN8R1hpSnoO4', NULL, NULL, NULL, NULL),
	(8, 'outside@example.com', 'outside@example.com', '2026-11-28 01:52:12.829+00', NULL, '2026-11-28 01:52:12.829+00', '2c72f9da-e13b-4d2c-969d-d82ccf87f39c', NULL, NULL, NULL, NULL, NULL, NULL),
	(9, 'unverified@example.com', 'unverified@example.com', NULL, NULL, '2026-11-28 01:52:13.849+00', '09f406f2-6c31-4409-8da0-c0fc49c98134', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.api_key OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '\xc14a9855ba66e90aa3d16d08df51152aa92c88485efe2fb3788579ba1e0e34a1', 'svc_8sV3', 'Zt2n', 'Default', true, true, '2026-11-28 01:51:44.289+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0),
	(2, 2, '\x0deb33392c2c36a95de03d3b513075b7c9c669b6b4bf14fe8072082880f38cfd', 'svc_dWJ2', 'qilD', 'Default', true, true, '2026-11-28 01:51:44.347+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0),
	(3, 3, '\x8b5cb6fd632c3289b085fc665c9e5597f73ab8b6aef0a47ed5b3b1163ac6c31e', 'svc_VXzy', '1ouH', 'Default', true, true, '2026-11-28 01:51:44.381+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0),
	(4, 4, '\xf0b9192aa3bb2f2c7f7287f64d4914c3e59ee18c3207ceb3365477a148d2ae3d', 'svc_OoAS', 'Qjwo', 'Default', true, true, '2026-11-28 01:51:44.4+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0),
	(5, 5, '\x603a12758ab9092153758eac3c4a327f0bf7dce7b8ca071dd93fe027ee6a1753', 'svc_F9JV', 'lGV9', 'Default', true, true, '2026-11-28 01:51:44.421+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0),
	(6, 6, '\x0fdeecff9c81d203612d9fdfc4eefc2ceda6c03ae155af538f2907c27befb503', 'svc_uBmj', '7oaq', 'golden', true, true, '2026-11-28 01:51:47.436+00', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL, 1000, NULL, NULL, NULL, NULL, NULL, false, 0),
	(7, 6, '\x4401ec88f91fd552381fd7d6511389fa49170135d7b6cd278fff7f2b483ea4bb', 'svc_eb8g', 'ZQBt', 'second', false, true, '2026-11-28 01:51:48.285+00', NULL, NULL, 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0),
	(8, 7, '\x421d8ff4ec210d94a1f91e68a1c05d42bdb4c57e841482720711b7b563dc77e5', 'svc_0pIS', 'q456', 'Default', true, true, '2026-11-28 01:52:10.541+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, 0);
INSERT INTO public.auto_topup VALUES
	(1, true, 100000000, 2000000000, 10000000000, '2026-11-26', '2026-11-28 01:52:05.455+00', 1, 'cus_be22cb30e55c42299fdb1d4496f49161', 'pm_seti_c11f6e52082940a9b8448b3905b624f1', '{"brand": "visa", "last4": "4242", "exp_year": 2030, "exp_month": 4}', '{}', 0, NULL, NULL, NULL, NULL, NULL, NULL, false);
INSERT INTO public.balance VALUES
	(2, 0, 0, 0, 0, 0),
	(4, 0, 0, 0, 0, 0),
	(5, 0, 0, 0, 0, 0),
	(1, 1500000000, 0, 1500000000, 0, 0),
	(3, 200000000, 0, 0, 200000000, 0),
	(7, 100000000, 0, 0, 100000000, 0),
	(8, 100000000, 0, 0, 100000000, 0),
	(9, 0, 0, 0, 0, 0),
	(6, 4525964760, 22500, 5000000000, 860, 424013600);
INSERT INTO public.batch VALUES
	('01a21fda-1955-7370-b28d-7da98444152c', 6, 6, '/v1/chat/completions', '01a21fda-1897-748d-9028-d3ac892c1ce2', NULL, 'completed', '2026-11-28 01:51:56+00', '2026-11-29 01:51:56+00', '2026-11-28 01:51:57.649+00', '2026-11-28 01:51:58.46+00', '2026-11-28 01:51:58.804+00', NULL, NULL, NULL, NULL, '2026-11-28 01:51:58.804+00', NULL, 2, 2, 0, '01a21fda-1ffc-7604-b535-9ffd8b0e15a4', NULL, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', NULL, 12, 0, 40, 0, NULL),
	('01a21fda-236a-705a-9bc4-85903de15a16', 6, 6, '/v1/chat/completions', '01a21fda-2218-7175-a442-01240dbb7b4e', NULL, 'in_progress', '2026-11-28 01:51:59+00', '2026-11-29 01:51:59+00', '2026-11-28 01:51:59.621+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2, 0, 0, NULL, NULL, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:52:29.604522+00', 0, 0, 0, 0, NULL);
INSERT INTO public.batch_line VALUES
	('01a21fda-236a-705a-9bc4-85903de15a16', 0, 0, 166, 'r0', NULL, NULL, NULL),
	('01a21fda-236a-705a-9bc4-85903de15a16', 1, 167, 166, 'r1', NULL, NULL, NULL);
INSERT INTO public.commit_proof VALUES
	('a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', 12, '2026-11-28 01:52:16.904467+00');
INSERT INTO public.conversation VALUES
	(6, '01a21fda-0976-71ba-bf73-033615f55bc3', '2026-11-28 01:51:52.326+00', '2026-11-28 01:51:52.326+00', '\x75169b5a0ed98c0d18f3d6a36117b02b0fe24cfc68b85c3f651f8a0ea4ec', 1, 1, 177, NULL, NULL, NULL);
INSERT INTO public.conversation_item VALUES
	(6, '01a21fda-0976-71ba-bf73-033615f55bc3', 0, 'msg_01a21fda09b57016b1252204b633e2c0_i0', '\xf3e748d0b6629e249e4baa82a83ec13737762a097ad4dbde37e17675efed27c8817a62f6bdff4b051ab9d033e01b05c366dce7440eb5c6efaabc6335b651e8aa4e5cca914acd0dcdd5a5e3732d21a169bf0a1fdaee4c9c4f4ac2cbc9979979a97b287ba84ded399a534909d66532f3d9c571d90bf5aa0c0493b2617079fa18fceda77ac39607e4e99f5a824026792e6a3b90b065d9a11508988271835334cec6d35fb5b020c507b85e73cf6a7b6285f6d6');
INSERT INTO public.credit_grant VALUES
	(3, 'da632878-fa8b-4382-a6f6-dd53aaa01bba', 1, 200000000, '2035-02-14 01:52:05.849+00', '2026-11-28 01:52:05.849+00', 0, 1, 0, NULL);
INSERT INTO public.disabled_route VALUES
	('idle', '', '2026-11-28 02:02:06.175+00', 'golden', 'test-29226-2@example.com', '2026-11-28 01:52:06.192+00');
INSERT INTO public.former_member VALUES
	(6, 5);
INSERT INTO public.hold VALUES
	(6, '01a21fda-272a-71bb-b499-26a88ade122e', 4500, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:54:00.628823+00', 6, NULL, NULL),
	(6, '01a21fda-2730-7272-a905-a41929a2096d', 4500, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:54:00.628823+00', 6, NULL, NULL),
	(6, '01a21fda-6a7d-7570-9bf6-2c001740a2c1', 4500, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:54:18.072625+00', 6, NULL, NULL),
	(6, '01a21fda-6a91-7621-bd9d-52f7078ecfe9', 4500, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:54:18.072625+00', 6, NULL, NULL),
	(6, '01a21fda-6ace-706a-8e76-3e29e2813542', 4500, 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:54:18.135061+00', 6, NULL, NULL);
INSERT INTO public.idempotency_key VALUES
	(6, 'createChatCompletion', 'golden', '\x505432872e32bfd22a9cbc955c83a1cd7f3c0d7b8e7846753f0fa200ebe37ffe', '01a21fd9-fcc1-7217-9057-eb1062014bc8', '2026-11-28 01:51:49.403+00', 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', 200, '{"x-svc-model": "north/chat-small", "content-type": "application/json", "x-litellm-response-cost": "0.0000086"}', '\x7b226964223a2263686174636d706c2d396465366333373635343339356434366135636661323835222c2263726561746564223a313736373232353630302c226f626a656374223a22636861742e636f6d706c6574696f6e222c226d6f64656c223a226e6f7274682f636861742d736d616c6c222c22736572766963655f74696572223a2264656661756c74222c2273797374656d5f66696e6765727072696e74223a2266705f73696d756c61746f72222c2263686f69636573223a5b7b22696e646578223a302c226d657373616765223a7b22726f6c65223a22617373697374616e74222c22636f6e74656e74223a22596f7520736169643a205c2248656c6c6f5c22204361707461696e207365612063616e2064656c69766572206576656e696e67207765617468657220746865206c616e7465726e20666f726573742e204365222c227265667573616c223a6e756c6c7d2c226c6f6770726f6273223a6e756c6c2c2266696e6973685f726561736f6e223a226c656e677468227d5d2c227573616765223a7b2270726f6d70745f746f6b656e73223a362c22636f6d706c6574696f6e5f746f6b656e73223a32302c22746f74616c5f746f6b656e73223a32362c2270726f6d70745f746f6b656e735f64657461696c73223a7b226361636865645f746f6b656e73223a307d2c22636f7374223a302e303030303038362c2263616368655f646973636f756e74223a307d7d'),
	(6, 'createChatCompletion', 'batch_01a21fda19557370b28d7da98444152c:0', '\x64243bdc1e518c4582728068d138d6b6d7c12e28df1ce33690ada85434b5bed6', '01a21fda-1dbd-72ac-a4de-de884591fa5e', '2026-11-28 01:51:57.885+00', 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', 200, '{"x-svc-model": "north/chat-small", "content-type": "application/json", "x-litellm-response-cost": "0.0000086"}', '\x7b226964223a2263686174636d706c2d663137333232316435636665383338306132633838613637222c2263726561746564223a313736373232353630302c226f626a656374223a22636861742e636f6d706c6574696f6e222c226d6f64656c223a226e6f7274682f636861742d736d616c6c222c22736572766963655f74696572223a2264656661756c74222c2273797374656d5f66696e6765727072696e74223a2266705f73696d756c61746f72222c2263686f69636573223a5b7b22696e646578223a302c226d657373616765223a7b22726f6c65223a22617373697374616e74222c22636f6e74656e74223a22596f7520736169643a205c2248656c6c6f5c2220486172626f7572206361707461696e206b69746368656e206c616e7465726e20666f78206e61747572616c2076696c6c616765207468726f75676820666f222c227265667573616c223a6e756c6c7d2c226c6f6770726f6273223a6e756c6c2c2266696e6973685f726561736f6e223a226c656e677468227d5d2c227573616765223a7b2270726f6d70745f746f6b656e73223a362c22636f6d706c6574696f6e5f746f6b656e73223a32302c22746f74616c5f746f6b656e73223a32362c2270726f6d70745f746f6b656e735f64657461696c73223a7b226361636865645f746f6b656e73223a307d2c22636f7374223a302e303030303038362c2263616368655f646973636f756e74223a307d7d'),
	(6, 'createChatCompletion', 'batch_01a21fda19557370b28d7da98444152c:1', '\x27600632428907610556918ca5d00eeee380682132f60641dc5224f77a687c48', '01a21fda-1dc7-7646-be4a-5640a7d13c74', '2026-11-28 01:51:57.895+00', 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', 200, '{"x-svc-model": "north/chat-small", "content-type": "application/json", "x-litellm-response-cost": "0.0000086"}', '\x7b226964223a2263686174636d706c2d643337303731316634613263366261376561323933623634222c2263726561746564223a313736373232353630302c226f626a656374223a22636861742e636f6d706c6574696f6e222c226d6f64656c223a226e6f7274682f636861742d736d616c6c222c22736572766963655f74696572223a2264656661756c74222c2273797374656d5f66696e6765727072696e74223a2266705f73696d756c61746f72222c2263686f69636573223a5b7b22696e646578223a302c226d657373616765223a7b22726f6c65223a22617373697374616e74222c22636f6e74656e74223a22596f7520736169643a205c2248656c6c6f5c2220486172626f7572206d617020616e64206576656e696e6720686172626f7572207765617468657220726564207369676e616c2e204c616e7465726e207477222c227265667573616c223a6e756c6c7d2c226c6f6770726f6273223a6e756c6c2c2266696e6973685f726561736f6e223a226c656e677468227d5d2c227573616765223a7b2270726f6d70745f746f6b656e73223a362c22636f6d706c6574696f6e5f746f6b656e73223a32302c22746f74616c5f746f6b656e73223a32362c2270726f6d70745f746f6b656e735f64657461696c73223a7b226361636865645f746f6b656e73223a307d2c22636f7374223a302e303030303038362c2263616368655f646973636f756e74223a307d7d'),
	(6, 'createChatCompletion', 'batch_01a21fda236a705a9bc485903de15a16:0', '\xbcd162769ed2640e99a3a378796ff25bc83c323d639afe869af726537bf40475', '01a21fda-272a-71bb-b499-26a88ade122e', '2026-11-28 01:52:00.297+00', 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', NULL, NULL, NULL),
	(6, 'createChatCompletion', 'batch_01a21fda236a705a9bc485903de15a16:1', '\x68213381e851c8ba7210a5aa5b1379620b2aa482ad644385f0cc878ad560ccae', '01a21fda-2730-7272-a905-a41929a2096d', '2026-11-28 01:52:00.304+00', 'a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', NULL, NULL, NULL);
INSERT INTO public.identity VALUES
	('http://127.0.0.1:39041', 'outside@example.com', 8, '2026-11-28 01:52:12.829+00');
INSERT INTO public.invitation VALUES
	('d67fab86-b0ad-4caf-b6df-4843c653ccd5', 6, 'invited@example.com', 'invited@example.com', 'viewer', '\xbde645ed5bb892d27744b00785c41065256fea235f1aa44dedc88cabdad7ddd6', 1, '2026-11-28 01:51:45.451+00', '2026-11-28 01:51:45.451+00', 1, '2026-12-05 01:51:45.451+00', NULL, NULL);
INSERT INTO public.kept_answer VALUES
	(6, '\x9e67a439aae8d77a9d0ccd3c60ede0075943a18b103e81ddef2d042308026ebe', '\xff0f6f220575736167656f2205696e707574490c22096361636865526561644900220a63616368655772697465490022066f757470757449282209726561736f6e696e6749007b05220870726f746f636f6c22066f70656e616922046b696e64220577686f6c652206616e737765726f22046b696e64220577686f6c65220a636f6d706c6574696f6e6f22026964222163686174636d706c2d6464633735313363313038373566343337636134353938312207637265617465644980e4ad950d22066f626a656374220f636861742e636f6d706c6574696f6e22056d6f64656c220b676f6c64656e2f6b657074220c736572766963655f74696572220764656661756c74221273797374656d5f66696e6765727072696e74220c66705f73696d756c61746f72220763686f6963657341016f2205696e646578490022076d6573736167656f2204726f6c652209617373697374616e742207636f6e74656e742250596f7520736169643a202248656c6c6f22204265747765656e2073756e2062616c616e6365207765617468657220666f7820616e642073756e20616e6f74686572206578616d706c6520616e7377657222077265667573616c307b0322086c6f6770726f627330220d66696e6973685f726561736f6e22066c656e6774687b042400017b07220575736167656f2205696e707574490c22096361636865526561644900220a63616368655772697465490022066f757470757449282209726561736f6e696e674900220b7365727669636554696572220764656661756c747b067b037b04', DEFAULT, '2026-11-28 01:51:50.58+00', '2026-11-28 02:01:50.58+00');
INSERT INTO public.key_budget VALUES
	(1, 1, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
	(2, 2, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
	(3, 3, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
	(4, 4, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
	(5, 5, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
	(6, 7, NULL, 1900, 0, NULL, NULL, 0, NULL, 3),
	(7, 8, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
	(6, 6, NULL, 424010840, 50022500, 'day', 10000000000, 424010840, '2026-11-29 00:00:00+00', NULL);
INSERT INTO public.known_network VALUES
	('\x7c1a5d0f4d257685d2641fe01ff74e05211fbdc5e13ade6c5bb7e513b283483f', 7, '2026-12-28 01:52:10.541+00'),
	('\xe83fb47f70ef145df8e8455fc3b70a5c627d7cc0b0b4fd851f59248cbcfcef09', 7, '2026-12-28 01:52:10.995+00'),
	('\xf25ed24b4f6821437d4a17e3febfb31e27fbb56a10d267462e461acf43b61c9f', 8, '2026-12-28 01:52:12.829+00');
INSERT INTO public.ledger_audit OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-28 01:52:07.236819+00', 'test-29226-2@example.com', 'agrees', '2026-11-28 01:53:07.236819+00', '2026-11-28 01:52:08.071132+00', '{"chain": {"head": "03e7c5a4b5c23e6135df9df9b5b168ec900629d726e43121d5c604e22e3c6549", "broken": null, "entries": 19, "accounts": 3}, "balances": {"entries": 19, "accounts": 6, "holds_open": 1, "mismatches": [], "reservations_open": 2}}');
INSERT INTO public.ledger_entry VALUES
	(6, '2026-11-28 01:51:45.126+00', '01a21fd9-ebe6-76b5-b9ac-06212e78797e', 'deposit', 5000000000, 'golden', NULL, 1, 5000000000, '\x0328d5aa00b4487633694b09256ed0830a0d57ee9be127aa6f9119049d2fabd2', NULL, NULL),
	(6, '2026-11-28 01:51:48.55+00', '01a21fd9-f997-73d2-bacd-f76f2d80d866', 'usage', -860, 'req_01a21fd9f946707f96bcd4e2f5794e27', 6, 2, 4999999140, '\x84c4a6305c1d46b5fd1d47551d137bdbd944dea277613da1e0692d7d955640c8', NULL, NULL),
	(6, '2026-11-28 01:51:49.403+00', '01a21fd9-fcc1-7217-9057-eb1062014bc8', 'usage', -860, 'req_01a21fd9fc9b73f0a4bc6541f290d6b9', 6, 3, 4999998280, '\x0836d7135e8dd566bf23d9a45900d27637f1359f91e05033794d2978d6b718dc', NULL, NULL),
	(6, '2026-11-28 01:51:50.4+00', '01a21fda-009c-7411-9985-1a49c0700c78', 'usage', -2600, 'req_01a21fda0080752385955b595c83824b', 6, 4, 4999995680, '\x4dfd0d4dd646d50c58a86d28dcb1a0c9b18c9cd159e7b0e2c2d29d48dcdf7a43', NULL, NULL),
	(6, '2026-11-28 01:51:50.648+00', '01a21fda-0185-70fe-91cb-ada2e0966fce', 'usage', -260, 'req_01a21fda017871a2b516e6e8dbfc0983', 6, 5, 4999995420, '\x6fccba3d0df3a29a289492921653bf5caa0c6d370445d1875723431c03d991d2', NULL, NULL),
	(6, '2026-11-28 01:51:50.825+00', '01a21fda-0270-76b1-af1a-f783c582dac2', 'usage', -1900, 'req_01a21fda0229710b8388cce8e745bc07', 6, 6, 4999993520, '\x3d3cd78643d88638c9246b4c1ac85fa463a75a635ea2b3b2c861b1984d120c4d', NULL, NULL),
	(6, '2026-11-28 01:51:53.301883+00', '01a21fda-0b8c-72f0-a874-d3c94390a193', 'hold', -4000000, 'job_01a21fda0b8c72f0a874d3c94390a193', 6, 7, 4995993520, '\x22b1dbb1ddbcd2a743d52532dd6fba9a8432281e34ac4aea7b190c04735d2b3d', NULL, NULL),
	(6, '2026-11-28 01:51:54.141+00', '01a21fda-0b8c-72f0-a874-d3c94390a193', 'hold_settle', 4000000, 'job_01a21fda0b8c72f0a874d3c94390a193', 6, 8, 4999993520, '\x2d71395fd92f04a63438054beebc8b819904a885c794272cbb5788e86cb3f660', NULL, NULL),
	(6, '2026-11-28 01:51:54.141+00', '01a21fda-0b8c-72f0-a874-d3c94390a193', 'usage', -4000000, 'req_01a21fda0af377d3a113931f683bdee4', 6, 9, 4995993520, '\x6709b925a9a2535d87015a8e4738324b48d54fc47a809cd4976ef0115526efdd', NULL, NULL),
	(6, '2026-11-28 01:51:54.455+00', '01a21fda-1066-776b-8b66-33dd1d4c19d0', 'usage', -3500, 'req_01a21fda105773d9861096bf6e97e819', 6, 10, 4995990020, '\x4f64a7a29dcc1b7ca72da3fe7a48ab0489c19693bceac29fb169680652c8bf11', NULL, NULL),
	(6, '2026-11-28 01:51:55.422+00', '01a21fda-1443-771c-9c22-e90ef0b782a4', 'usage', -420000000, 'req_01a21fda141e72adb3530741616c579f', 6, 11, 4575990020, '\xc2695ea8f062be0c93123d4631c18f168117829d98db12dfa4f424e2d403894e', NULL, NULL),
	(6, '2026-11-28 01:51:56.385+00', '01a21fda-1800-77f9-877b-8fe494eb6ed9', 'usage', -1900, 'req_01a21fda17e17288b125a0665272682c', 7, 12, 4575988120, '\x8a923d3ce4b448fb67350d6f0a54141ec34f38c8dfe8580ae91b14f46a53c168', NULL, NULL),
	(6, '2026-11-28 01:51:57.885+00', '01a21fda-1dbd-72ac-a4de-de884591fa5e', 'usage', -860, 'req_01a21fda1d5a755992db74e90f5dd63d', 6, 13, 4575987260, '\x44863739833cb9ef7e5cea72920b2b73369ab3242679f05efe75b0e95999e226', NULL, NULL),
	(6, '2026-11-28 01:51:57.895+00', '01a21fda-1dc7-7646-be4a-5640a7d13c74', 'usage', -860, 'req_01a21fda1d5a755ab0cd5163a5519309', 6, 14, 4575986400, '\xadd62221e2207e37e9c49721312f404288fd6284ad0e7dcf0633feb66b04f4dc', NULL, NULL),
	(6, '2026-11-28 01:51:59.53589+00', '01a21fda-23e8-74f5-9320-e9f24bc42df5', 'hold', -50000000, 'vid_01a21fda23e874f59320e9f24bc42df5', 6, 15, 4525986400, '\x4c032e06a45f849757220bf8188c4e1b38d2536136c0b5295378eb23ab6ddc6c', NULL, NULL),
	(1, '2026-11-28 01:52:03.261+00', 'd96f6e72-6b43-44fd-ad18-1e4ebcfe3306', 'deposit', 2000000000, 'top_d96f6e726b4344fdad181e4ebcfe3306', NULL, 1, 2000000000, '\xada753c9593e45378c24220c61d4815c472cc0e62184940edb7de20f0167e583', NULL, NULL),
	(1, '2026-11-28 01:52:04.468+00', '01a21fda-3774-755f-a3ce-08920bd699d1', 'payment_refund', -500000000, 'top_d96f6e726b4344fdad181e4ebcfe3306', NULL, 2, 1500000000, '\x5764bf146196a9ced313637618982679a32261420e3731da0f280a0c9553ee46', 1, 'the payment was refunded'),
	(3, '2026-11-28 01:52:05.849+00', 'da632878-fa8b-4382-a6f6-dd53aaa01bba', 'bonus', 200000000, 'vou_da632878fa8b4382a6f6dd53aaa01bba', NULL, 1, 200000000, '\x1df8950d0e7e2cdd0b1e93324795a5543e65e115b3025ecb49509134c7004241', NULL, NULL),
	(6, '2026-11-28 01:52:06.948+00', '01a21fd9-f997-73d2-bacd-f76f2d80d866', 'refund', 860, 'req_01a21fd9f946707f96bcd4e2f5794e27', 6, 16, 4525987260, '\x7ac125aa642ac87fed4fec55a1ecd482f96d6a0122b266fea64bcdcd41510498', 2, 'golden'),
	(7, '2026-11-28 01:52:10.541+00', '01a21fda-4f2d-77d6-b3ef-21e487a1f051', 'signup_credit', 100000000, 'verified', NULL, 1, 100000000, '\x27a6ad7ecacf14499804add2e8738a44b1498f96ae9bf283f2d40b0773f90254', NULL, NULL),
	(8, '2026-11-28 01:52:12.829+00', '01a21fda-581d-7713-b14b-17d9d12efc0c', 'signup_credit', 100000000, 'verified', NULL, 1, 100000000, '\xb745a2a6c290cb0aa77e7305fed5dbd38bd082e332e3180e3ebb442af645c33d', NULL, NULL);
INSERT INTO public.ledger_verdict OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-28 01:52:07.950236+00', 3, 19, '\x03e7c5a4b5c23e6135df9df9b5b168ec900629d726e43121d5c604e22e3c6549', NULL);
INSERT INTO public.media_job OVERRIDING SYSTEM VALUE VALUES
	('01a21fda-0b8c-72f0-a874-d3c94390a193', 6, 6, 'image', 'image', 'job_01a21fda0b8c72f0a874d3c94390a193', 'succeeded', 1, NULL, 'req_01a21fda0af377d3a113931f683bdee4', 'createImage', 202, 'golden/image', NULL, NULL, '{"each": "40000000000", "unit": "image", "model": "golden/image"}', '57a470e7153a41da59b10616166b31a0', 4000000, 4000000, NULL, '{"files": [{"name": "845b08d438b379169881b82e95688f640e8b75054dbce2892f0ceb9878244643.png", "width": 1024, "height": 1024, "content_type": "image/png"}]}', NULL, NULL, NULL, '[{"cost": "2000000", "layer": 0, "model": "golden/image", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 43, "response_id": "f5a5cb16-18ca-42a9-aa18-12816bab0e23"}]', 'studio/pixa/standard', '2026-11-28 01:51:53.681627+00', '{"id": "f5a5cb16-18ca-42a9-aa18-12816bab0e23", "cancelUrl": "http://127.0.0.1:9/fal/pixa/standard/requests/f5a5cb16-18ca-42a9-aa18-12816bab0e23/cancel", "statusUrl": "http://127.0.0.1:9/fal/pixa/standard/requests/f5a5cb16-18ca-42a9-aa18-12816bab0e23/status", "responseUrl": "http://127.0.0.1:9/fal/pixa/standard/requests/f5a5cb16-18ca-42a9-aa18-12816bab0e23"}', NULL, NULL, NULL, '2026-11-28 01:51:53.3+00', '2026-11-28 01:51:53.35903+00', '2026-11-28 01:51:54.141+00'),
	('01a21fda-23e8-74f5-9320-e9f24bc42df5', 6, 6, 'video', 'video', 'vid_01a21fda23e874f59320e9f24bc42df5', 'processing', 2, NULL, 'req_01a21fda23cd77eea8431aa6510b7ca8', 'createVideo', 202, 'golden/video', NULL, '{"kind": "video", "order": {"extra": {}, "aspect": null, "prompt": "a boat", "seconds": 5, "firstFrame": null, "soundTrack": null}}', '{"each": "100000000000", "unit": "second", "model": "golden/video"}', '2830516e62774817f3ed017365c0feea', 50000000, NULL, NULL, NULL, NULL, NULL, NULL, '[{"layer": 0, "model": "golden/video", "route": "studio/tide/video+sim-job-hang", "status": 200, "outcome": "ok", "latency_ms": 316, "response_id": "7bea732f-e92f-4291-9eb0-6b79ba25c5d4"}]', 'studio/tide/video+sim-job-hang', '2026-11-28 01:51:59.666706+00', '{"id": "7bea732f-e92f-4291-9eb0-6b79ba25c5d4", "cancelUrl": "http://127.0.0.1:9/fal/tide/video/requests/7bea732f-e92f-4291-9eb0-6b79ba25c5d4/cancel", "statusUrl": "http://127.0.0.1:9/fal/tide/video/requests/7bea732f-e92f-4291-9eb0-6b79ba25c5d4/status", "responseUrl": "http://127.0.0.1:9/fal/tide/video/requests/7bea732f-e92f-4291-9eb0-6b79ba25c5d4"}', '405ba3c1-bee7-4324-a0e8-06464898b66f', '2026-11-28 01:52:27.430639+00', NULL, '2026-11-28 01:51:59.523+00', '2026-11-28 01:51:59.58159+00', NULL);
INSERT INTO public.media_job_move VALUES
	('queued', 'pending'),
	('queued', 'failed'),
	('queued', 'expired'),
	('pending', 'processing'),
	('pending', 'succeeded'),
	('pending', 'failed'),
	('pending', 'expired'),
	('processing', 'succeeded'),
	('processing', 'failed'),
	('processing', 'expired'),
	('succeeded', 'refunded');
INSERT INTO public.member VALUES
	(6, 1, 'owner', '2026-11-28 01:51:44.661+00', NULL),
	(6, 2, 'admin', '2026-11-28 01:51:45.110774+00', NULL),
	(6, 3, 'developer', '2026-11-28 01:51:45.11805+00', NULL),
	(6, 4, 'billing', '2026-11-28 01:51:45.119891+00', NULL);
INSERT INTO public.member_budget VALUES
	(6, 3, NULL, 1900, 0, 'day', 500000000, 1900, '2026-11-29 00:00:00+00');
INSERT INTO public.notice VALUES
	(6, '01a21fd9-f291-74a9-9052-9515b47df6f3', 'webhook.test', 'webhook.test:01a21fd9-f291-74a9-9052-9515b47df6f3', '{}', NULL, '2026-11-28 01:51:46.833+00', '2026-11-28 01:51:46.833+00'),
	(7, '01a21fda-50f3-7085-96c1-7cdcbf61c9c7', 'sign_in.new_place', 'sign_in.new_place:2026-11-28:e83fb47f70ef145df8e8455fc3b70a5c627d7cc0b0b4fd851f59248cbcfcef09', '{"network": "10.0.0.3", "signed_in_at": "2026-11-28T01:52:10.995Z"}', 7, '2026-11-28 01:52:10.995+00', '2026-11-28 01:52:12.007+00');
INSERT INTO public.notice_delivery VALUES
	(6, '01a21fd9-f291-74aa-b496-ce7e4331df81', '01a21fd9-f291-74a9-9052-9515b47df6f3', NULL, '01a21fd9-f15d-75c9-a01b-dd3f6e41d62f', 'delivered', 1, '2026-11-28 01:51:46.833+00', NULL, NULL, '2026-11-28 01:51:47.494099+00', 204, ''),
	(7, '01a21fda-54f8-7623-aad2-be408edf8ffa', '01a21fda-50f3-7085-96c1-7cdcbf61c9c7', 'sailor@example.com', NULL, 'delivered', 1, '2026-11-28 01:52:12.007+00', NULL, NULL, '2026-11-28 01:52:12.587588+00', NULL, NULL);
INSERT INTO public.notice_preference VALUES
	(6, 500000000, '{}');
INSERT INTO public.notice_sweep VALUES
	('look', '2026-11-28 01:51:44.39347+00'),
	('tidy', '2026-11-28 01:51:44.572278+00');
INSERT INTO public.operator VALUES
	(2, 'admin', 'test', '2026-11-28 01:52:05.638033+00');
INSERT INTO public.operator_action OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-11-28 01:52:05.682+00', 'test-29226-2@example.com', 2, 'admin', '127.0.0.1', 'ses_fff19d1107893f50', 'voucher.create', 'batch 1', 'golden', NULL, '{"count": 2, "amount_usd": 2, "expires_at": null, "credit_days": 3000, "once_per_account": false}', 'req_01a21fda3c157455b0af30096b47e75b', NULL),
	(2, '2026-11-28 01:52:06.192+00', 'test-29226-2@example.com', 2, 'admin', '127.0.0.1', 'ses_fff19d1107893f50', 'provider.disable', 'idle', 'golden', '{"disabled": null}', '{"disabled": {"until": "2026-11-28T02:02:06.175Z", "reason": "golden", "disabled_at": "2026-11-28T01:52:06.192Z", "disabled_by": "test-29226-2@example.com"}}', 'req_01a21fda3dea777a84d9fb124f44ebc2', NULL),
	(3, '2026-11-28 01:52:06.948+00', 'test-29226-2@example.com', 2, 'admin', '127.0.0.1', 'ses_fff19d1107893f50', 'call.refund', 'req_01a21fd9f946707f96bcd4e2f5794e27', 'golden', '{"account_id": "acc_6", "balance_usd": 45.259864}', '{"entry_id": "led_16", "account_id": "acc_6", "amount_usd": 0.0000086, "balance_usd": 45.2598726}', 'req_01a21fda4092745c87b60453eae0d997', '01a21fd9-f997-73d2-bacd-f76f2d80d866'),
	(4, '2026-11-28 01:52:07.228+00', 'test-29226-2@example.com', 2, 'admin', '127.0.0.1', 'ses_fff19d1107893f50', 'ledger.audit', 'aud_1', 'golden', NULL, NULL, 'req_01a21fda41ec770686abf2dd8720d94b', NULL);
INSERT INTO public.payment_event VALUES
	('evt_61df0cab580f4671be24fb9fe2057681', 'checkout.session.completed', 'd96f6e72-6b43-44fd-ad18-1e4ebcfe3306', '2026-11-28 01:52:03.261+00'),
	('evt_c6eb5b3c47d14da9a9a993481dd1aa55', 'charge.refunded', 'd96f6e72-6b43-44fd-ad18-1e4ebcfe3306', '2026-11-28 01:52:04.468+00'),
	('evt_26894a2b7bcb48a29f561dff8d6b062a', 'checkout.session.completed', NULL, '2026-11-28 01:52:05.378+00');
INSERT INTO public.payment_reversal VALUES
	('ch_pi_b9891731fa5b4f40ab2a84ce7284f3e8', 'd96f6e72-6b43-44fd-ad18-1e4ebcfe3306', 500000000, true, false, true);
INSERT INTO public.price_change OVERRIDING SYSTEM VALUE VALUES
	(1, 'golden/image', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.04}'),
	(2, 'golden/hung', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1, "cached": null, "output": 1}'),
	(3, 'golden/kept', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1, "cached": null, "output": 1, "response_cache": 0.1}'),
	(4, 'golden/video', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-second", "usd_per_second": 0.1}'),
	(5, 'north/chat-large', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 2, "cached": 0.5, "output": 8}'),
	(6, 'north/chat-small', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.1, "cached": 0.025, "output": 0.4}'),
	(7, 'north/chat-nano', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.04, "cached": null, "output": 0.16}'),
	(8, 'harbor/chat-pro', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 3, "cached": 0.3, "output": 15}'),
	(9, 'harbor/chat-swift', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.8, "cached": 0.08, "output": 4}'),
	(10, 'ember/flash', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.075, "cached": 0.01875, "output": 0.3}'),
	(11, 'ember/long-context', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1.25, "cached": 0.3125, "output": 5}'),
	(12, 'ember/document-reader', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.3, "cached": null, "output": 1.2}'),
	(13, 'lumen/reason-large', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 2.5, "cached": 0.625, "output": 10}'),
	(14, 'lumen/reason-mini', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1.1, "cached": 0.275, "output": 4.4}'),
	(15, 'harbor/think-max', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 15, "cached": 1.5, "output": 75}'),
	(16, 'solstice/agent', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1.5, "cached": 0.15, "output": 6}'),
	(17, 'tern/opal-large', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 4, "cached": 0.4, "output": 20}'),
	(18, 'tern/opal-small', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1, "cached": 0.1, "output": 5}'),
	(19, 'lumen/search-pro', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 3, "cached": null, "output": 15}'),
	(20, 'lumen/search', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 1, "cached": null, "output": 1}'),
	(21, 'cedar/instruct-70b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.59, "cached": null, "output": 0.79}'),
	(22, 'cedar/instruct-8b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.05, "cached": null, "output": 0.08}'),
	(23, 'cedar/vision-11b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.16, "cached": null, "output": 0.16}'),
	(24, 'cedar/code-34b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.2, "cached": null, "output": 0.6}'),
	(25, 'basalt/moe-235b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.22, "cached": 0.055, "output": 0.88}'),
	(26, 'basalt/moe-30b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.09, "cached": null, "output": 0.3}'),
	(27, 'basalt/think-70b', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.4, "cached": null, "output": 1.6}'),
	(28, 'quill/writer', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.6, "cached": null, "output": 2.4}'),
	(29, 'quill/translate', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.15, "cached": null, "output": 0.6}'),
	(30, 'quill/companion', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.2, "cached": null, "output": 0.8}'),
	(31, 'north/embed-large', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.13, "cached": null, "output": 0}'),
	(32, 'north/embed-small', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.02, "cached": null, "output": 0}'),
	(33, 'cedar/embed-multilingual', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.07, "cached": null, "output": 0}'),
	(34, 'heron/rerank', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.05, "cached": null, "output": 0}'),
	(35, 'heron/rerank-large', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.12, "cached": null, "output": 0}'),
	(36, 'jev', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-token", "input": 0.3, "cached": null, "output": 0}'),
	(37, 'pixa/budget', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.0035}'),
	(38, 'pixa/standard', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.027}'),
	(39, 'pixa/photo-ultra', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.054}'),
	(40, 'canvas/megapixel', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-megapixel", "base_usd": 0.03, "extra_per_mp_usd": 0.015}'),
	(41, 'canvas/edit', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.036}'),
	(42, 'north/image', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-quality", "tiers": {"low": 0.011, "high": 0.167, "medium": 0.042}, "default_quality": "medium"}'),
	(43, 'north/image-reference-flash', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-quality", "tiers": {"low": 0.009, "high": 0.285, "medium": 0.019}, "default_quality": "medium"}'),
	(44, 'ember/flash-image', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.035}'),
	(45, 'atelier/design', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.04}'),
	(46, 'atelier/vector', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-image", "usd_per_image": 0.08}'),
	(47, 'tide/video', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-second", "usd_per_second": 0.1}'),
	(48, 'tide/video-sound', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-second", "usd_per_second": 0.36}'),
	(49, 'echo/scribe-fast', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-minute", "usd_per_minute": 0.0009, "min_billable_minutes": 1}'),
	(50, 'echo/scribe-quality', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-minute", "usd_per_minute": 0.00405, "min_billable_minutes": 1}'),
	(51, 'relay/scribe', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-minute", "usd_per_minute": 0.0036, "min_billable_minutes": 1}'),
	(52, 'relay/plain-text', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-minute", "usd_per_minute": 0.003, "min_billable_minutes": 1}'),
	(53, 'lyra/multilingual-quality', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-1k-chars", "usd_per_1k_chars": 0.405}'),
	(54, 'lyra/flash', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-1k-chars", "usd_per_1k_chars": 0.2025}'),
	(55, 'lyra/turbo', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-1k-chars", "usd_per_1k_chars": 0.2025}'),
	(56, 'lyra/expressive', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-1k-chars", "usd_per_1k_chars": 0.405}'),
	(57, 'mimir/speech-hd', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-1k-chars", "usd_per_1k_chars": 0.07}'),
	(58, 'mimir/speech-turbo', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-1k-chars", "usd_per_1k_chars": 0.04}'),
	(59, 'lyra/music', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-second", "usd_per_second": 0.135}'),
	(60, 'verse/song', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-song", "usd_per_song": 0.108}'),
	(61, 'lyra/sound-effects', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-call", "usd_per_call": 0.027}'),
	(62, 'mimir/voice-clone', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-call", "usd_per_call": 2}'),
	(63, 'mimir/voice-design', '2026-11-28 01:51:42.928+00', NULL, '{"mode": "per-call", "usd_per_call": 4.2}');
INSERT INTO public.rate_window VALUES
	(0, 'sign-in email:yfhmu9vC7ldQlOKsQDnA1r', '2026-11-28 01:52:00+00', 60, 2),
	(6, 'rpm:mimir/voice-design', '2026-11-28 01:51:00+00', 60, 1),
	(1, 'top-up', '2026-11-28 01:52:00+00', 60, 3),
	(3, 'reads', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'voucher client:EsoXtJryKJQ28wPgFmAwoh', '2026-11-28 01:52:00+00', 60, 1),
	(3, 'voucher', '2026-11-28 01:52:00+00', 60, 1),
	(2, 'reads', '2026-11-28 01:52:00+00', 60, 4),
	(0, 'sign-up client:9QRzRBIvDe6ZdLpnYeYca4', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-up pair:a649gfSrfeTnESrDwMnYQ6', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-up email:yfhmu9vC7ldQlOKsQDnA1r', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'public:10.0.0.2', '2026-11-28 01:52:00+00', 60, 1),
	(6, 'rpm:north/chat-small', '2026-11-28 01:51:00+00', 60, 7),
	(0, 'verify client:y183tHYocea77M7mY8szJD', '2026-11-28 01:52:00+00', 60, 1),
	(6, 'tpm', '2026-11-28 01:51:00+00', 60, 499),
	(0, 'public:10.0.0.3', '2026-11-28 01:52:00+00', 60, 1),
	(6, 'rpm:golden/kept', '2026-11-28 01:51:00+00', 60, 2),
	(0, 'sign-in client:qaUSbXzKSrXuzucgYfHiBg', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-in pair:6D-0f3DvFF346EVfw7cKXG', '2026-11-28 01:52:00+00', 60, 1),
	(6, 'reads', '2026-11-28 01:51:00+00', 60, 30),
	(6, 'rpm:golden/video', '2026-11-28 01:51:00+00', 60, 1),
	(6, 'rpm:golden/image', '2026-11-28 01:51:00+00', 60, 1),
	(6, 'rpm', '2026-11-28 01:51:00+00', 60, 12),
	(6, 'key:6:requests', '2026-11-28 01:51:00+00', 60, 11),
	(1, 'reads', '2026-11-28 01:51:00+00', 60, 2),
	(6, 'day', '2026-11-28 00:00:00+00', 86400, 17),
	(6, 'key:6:requests', '2026-11-28 01:52:00+00', 60, 5),
	(6, 'rpm', '2026-11-28 01:52:00+00', 60, 5),
	(6, 'rpm:golden/hung', '2026-11-28 01:52:00+00', 60, 5),
	(1, 'reads', '2026-11-28 01:52:00+00', 60, 3),
	(0, 'public:10.0.0.1', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-up client:p1p0DNNW0MklvlyGQa99Vy', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-up pair:OCeuyils1SNzVDBwRYA9zS', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-up email:zFjA8iv1pQW_Wr8PzG0C7y', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-in client:EsoXtJryKJQ28wPgFmAwoh', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'sign-in pair:WXtV8ZmEDbeVgQLvF0aROy', '2026-11-28 01:52:00+00', 60, 1),
	(6, 'tpm', '2026-11-28 01:52:00+00', 60, 135),
	(0, 'public:10.0.0.4', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'external start client:GA0zjRYtZ5AhUlq8udZuIE', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'public:10.0.0.6', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'public:10.0.0.5', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'external client:BUZBLWG6V_FAy8ViyB7YP7', '2026-11-28 01:52:00+00', 60, 1),
	(7, 'reads', '2026-11-28 01:52:00+00', 60, 2),
	(0, 'public:127.0.0.1', '2026-11-28 01:52:00+00', 60, 1),
	(0, 'external start client:EsoXtJryKJQ28wPgFmAwoh', '2026-11-28 01:52:00+00', 60, 1);
INSERT INTO public.receipt_key VALUES
	('2N1VYIZoIv6MPKKiwroOagNXFFDqVVONjvAcZB0j54U', '{"x": "WWukdwLfBDZSr3reqAHR1CRRNkaFthg7T3FgSVXn0k4", "crv": "Ed25519", "kty": "OKP"}', '{"kty":"OKP","crv":"Ed25519","x":"WWukdwLfBDZSr3reqAHR1CRRNkaFthg7T3FgSVXn0k4","d":"yStSFOAABRnhRQhoItf4XEI325TPjf4t1w8MR4ypF44"}', '2026-11-28 01:51:54.954944+00', NULL);
INSERT INTO public.recovery_code VALUES
	(7, '\xc89b0c033d77954178dc44495489fa65ca87d65da06dd5612399ff33a4c5b008', NULL),
	(7, '\xe2968cc06ef639c20851c8fd931518408187d627d7a4d5dea762af30579643b6', NULL),
	(7, '\xa44a368c9a52545a170feab3f97fcff7fe0fd98905425b7619a1160f2b96472f', NULL),
	(7, '\x80bee2efe530f7f708c6e54d1aa131f833b14df471eaf342efa290c86ee16644', NULL),
	(7, '\x107f53048521db8d6b91ffd1e1656286fe6da0e739f15ec1ff9931429ff9743f', NULL),
	(7, '\x406419fbd643da88e0033a501b2e811f357e650149e681da04c42022d024ff3f', NULL),
	(7, '\x761628bbf6b18b88b95381d0031f17c6cd32b464d009e57496bdf2733e4f736a', NULL),
	(7, '\x6b2e0eb4d0772287fc7c6b51af4ffbf427a5ba8549e59aa27f069ddff4ece101', NULL),
	(7, '\x32c7eec6fa44b6659307b69f649b59d7e89f085be3213616ded5781b298dfb78', NULL),
	(7, '\x5eeb6fdcec910748d942001599245b34aafd0d8be7682585e3f1245afadad5ff', NULL);
INSERT INTO public.replica VALUES
	('a9a0b6d9-df95-4821-adaf-ecc02e35ffc8', '2026-11-28 01:52:16.904658+00');
INSERT INTO public.schema_function VALUES
	('account_media_limits', '13fd9403fbc10143acaaf0068f398caa10031f1c0bc3b6abe741713d3569509f', 32),
	('admit_calls', '438a9005420617b0563f00b11f090bb17ca1a7b2ab82d74a4d4422a682c2a3e7', 32),
	('announce_account', '96e85e118a50d64f64c6f26da2584d42a60867047250f5cc2c2aa1103b205eeb', 32),
	('announce_api_key', 'e11085010d9d0b1efb2f52e90fcc90c43cdfa1344a27347c1649b04b489499ce', 32),
	('apply_ended_holds', '318e71c94cbcbcd10753d63a676254995c2d5e351d5eddd911acc2e50c20bf5c', 32),
	('apply_entries', '903e76dfbd4f0ffbfbf1e2ebbcb56ee25db4828f3a00cb044d4b9158f42cc4a5', 32),
	('apply_member_budget', 'd10c389941ca739a8f1e541406614d36a3c078018852b5e89b35c330a2cc08df', 32),
	('apply_new_holds', '26af7a099744d041623a95dacede6103e67772ebd77ccdbdf2ddd3c8d7551d62', 32),
	('balance_starts_empty', 'c373aacc33081f692ad2f4e16331dfb123dc209e0c75dafefab3353fda5cec7b', 32),
	('budget_left', 'd0cc2f78789cf5ca9a7edbc2c3c70ec2696b95ba5f847be408a0c0d09d929f90', 32),
	('chain_entry', 'a9b3a2a954abcc313ed10ea2dc88426600d9aab48768c640bea7b6a1afe9ef31', 32),
	('check_media_job_move', 'e9281950b409b08b7fe5e3fcb97dc25080c3fce8307dda3c43196c0759f0fb71', 32),
	('count_grants', '58a99637ecebd712454f9abe3135c01933e09a2165856085e86ab620a708cf92', 32),
	('database_identity', '2265ed7bfa10036c592ad6251e396afe4ccbc6412385f7cbda875c2345c6ce42', 32),
	('drop_partitions', '7a063723607a2d1e3eacc284f67e13a62525d901221c86eac309025b4a19ce12', 32),
	('ensure_log_statistics', '837538e6c090f5a762a08ac337b0488edb2061b1dbe313631fbe1115fd172fa5', 32),
	('ensure_partitions', 'a3ba316e3e950d61904510d74f35a7cd4659898a4fb45616e6940991c7bf3ce8', 32),
	('entry_hashes', '1c7258d7abe167a5e0bbe5f7bc364336d85599ef3bd8c1000b123ab4ee85bb4a', 32),
	('escrow_close', '8331dc1970ee7e2c41911e6b6da208c5608ac223a4775f560ecd66882224961b', 32),
	('escrow_closed', 'de08e4c70f13d97058db2876ae7df8c7fe6cbecd5f7ddf4fcb16a3097bf12d1b', 32),
	('escrow_take', '69ffb53b69292872561d625c927c6daf19c87872663087e8154d724f7e727924', 32),
	('expire_grant', '7769aa76e9bae46e61eed8bf4ddfbed2a2e19cebdb3d1b5a3d05f9b28a641d4c', 32),
	('forgotten_mailbox', 'ade09a77feb0728469cbfd080d28a5b13e51e0827c56fc7b31bc9742cd69b505', 32),
	('idempotency_claim', '8ec2a080f815b717a586a735c815000fa525bcb0039b79a379651c2556a65ada', 32),
	('key_budget_left', '80d0ac5c20b13d35ff4e363744687de244bdb93b4c00b6de331fb14cb53477e0', 32),
	('ledger_correct', '60d94f60681149061636a8c1122fc9fb02898a6ee28265839dcfc21019cb0285', 32),
	('ledger_raise', '2ecf3291a9967a133a8ff2f43b559c741fdeb884ce3ffd6cb81b23972f36049c', 32),
	('ledger_refund', '2f965841dd0ade68333951529df92f9fe3cdf7499686ae28ef4aad597f3a5300', 32),
	('ledger_reserve', '50fc9ceda088d739c64cac025806d31694dac104361d0436e6ef3688d361d8cc', 32),
	('ledger_settle', 'e3d723f57292c67e8dbe0913dee1e814cbed3fdfab6cb8a54de471160800beda', 32),
	('ledger_sweep', '81e5f557a3b229d03dc198016062ebdde3ad45d56887471c1c7c984f78a2035c', 32),
	('lock_balances', 'aff474d7d605c80664afed30bf5a3dae32a2d0504c5924bd324c8d3ca8141fa0', 32),
	('media_cancel', 'b324aaa4b65574d5c9db0f03b16eeb8e6baa964e4841b81860682d6721beb8a2', 32),
	('media_end', '9d2ea9ba140873832847e6c62e4fb068e182032d0fb72c3fc65977bafe6b9cf4', 32),
	('media_finish', '1140d7fbb0995023842f6c4850feef4e18b2fc1dee9cc926d55511372aa35d0c', 32),
	('media_hold', 'f94b8bfef2d143e02dee4dd2482a0302868999b7389766095666ea7a488590c4', 32),
	('media_limits', '4e7b08dfbc5a6c4c5ce5999f1ceef7e1cc36fc94a714eba00f8fd3daafaa79bd', 32),
	('media_promote', '1ea5014b805003bbf2f2c4ed8ae6be839dbd9b1008c5ad44fe8be7e7f85edffd', 32),
	('media_refund', '91922614931036025375d8e93164653c165c1dd6cd96e771f8d3b83fd96b85e0', 32),
	('media_submit', 'c5c3c0ae11c40dca1969b7ab3af1c682686bb1b4cd7145954b17059ecee92e61', 32),
	('media_tidy', '3347d9fe9f51fc6b5f34401ae3ff3ee5ad2fd88a19f7011c5cb0bc8655e366e2', 32),
	('media_untidy', '63c857ab7e819c77ea086fc852d0e286e0a823e354e59848d973af07405a84b0', 32),
	('open_balance', 'd9b2647d40450b47250105da5c734f8ffb982a950092864f8b41f1ecd5a02eab', 32),
	('open_key_budget', '75a01c0fef8fb0b2e4066ad9fc3fc77e3ba9dcebd8c530569d5984a5190ca3b3', 32),
	('prove_commit', 'bbcff296ef06a22daeedbe17ffd68a4561c2823ee3c37f152454179aad46d698', 32),
	('rate_sweep', 'a3a2971c9c4825478c1f1415afe1f5bbde9003a738c0d25cc325ba7513b1be81', 32),
	('rate_take', '7009581f1f22787c4d3f4ac041687abf317a8369eef299193f09c1005a51d37d', 32),
	('recall_slices', '7fa7c11a43c85c16d2a554177b9a43f948e8b367de1753576ad59fbc8d8d5a92', 32),
	('refuse_change', 'd9bc6abb0e4ee75ffdcad828c28428b56310eb871328ceca176ebaeffe2044c7', 32),
	('usage_facts', '07a68db423541f9853758eb6e400ce7348385aaf1bcf536cf5ab645a4f6baa41', 32),
	('usage_histogram', 'f43febbe886fb80038602298bcaa0bf54c8e7ba4ca0290e76e2cd0edca3aa8df', 32),
	('usage_late_after', 'e702a66d98e1b9864e85b8bf604babc8fb62e0c8b27cb6eb7adbc3eb9b48a060', 32),
	('usage_roll_up', 'c4f70c8e0b7d2485212321d4c9ae794cf2c03651c2c438687507f2143afe4950', 32),
	('usage_tags', '226edf85e4393524e08611c4777ddcb2461b9bb0859238d841769c1ebb1155ce', 32);
INSERT INTO public.schema_migration VALUES
	('0001-schema', '2026-11-28 01:50:53.455373+00'),
	('0002-settled-call', '2026-11-28 01:50:53.455373+00'),
	('0003-money-back', '2026-11-28 01:50:53.455373+00'),
	('0004-cache-writes-of-an-hour', '2026-11-28 01:50:53.455373+00'),
	('0005-expense', '2026-11-28 01:50:53.455373+00'),
	('0006-idempotency-keys', '2026-11-28 01:50:53.455373+00'),
	('0007-escrow', '2026-11-28 01:50:53.455373+00'),
	('0008-receipt-keys', '2026-11-28 01:50:53.455373+00'),
	('0009-usage-rollups', '2026-11-28 01:50:53.455373+00'),
	('0010-workspaces', '2026-11-28 01:50:53.455373+00'),
	('0011-key-policies', '2026-11-28 01:50:53.455373+00'),
	('0012-operators', '2026-11-28 01:50:53.455373+00'),
	('0013-key-secrets', '2026-11-28 01:50:53.455373+00'),
	('0014-disabled-routes', '2026-11-28 01:50:53.455373+00'),
	('0015-totp', '2026-11-28 01:50:53.455373+00'),
	('0017-notices', '2026-11-28 01:50:53.455373+00'),
	('0018-webhooks', '2026-11-28 01:50:53.455373+00'),
	('0019-usage-tags', '2026-11-28 01:50:53.455373+00'),
	('0020-sessions-shown', '2026-11-28 01:50:53.455373+00'),
	('0021-statements', '2026-11-28 01:50:53.455373+00'),
	('0022-vouchers', '2026-11-28 01:50:53.455373+00'),
	('0023-deleted-accounts', '2026-11-28 01:50:53.455373+00'),
	('0024-auto-topup', '2026-11-28 01:50:53.455373+00'),
	('0025-member-budgets', '2026-11-28 01:50:53.455373+00'),
	('0027-ledger-audits', '2026-11-28 01:50:53.455373+00'),
	('0028-ledger-verdicts', '2026-11-28 01:50:53.455373+00'),
	('0032-assigned-tiers', '2026-11-28 01:50:53.455373+00'),
	('0033-files-and-batches', '2026-11-28 01:50:53.455373+00'),
	('0034-catalog-versions', '2026-11-28 01:50:53.455373+00'),
	('0035-sealing-key', '2026-11-28 01:50:53.455373+00'),
	('0036-stream-usage', '2026-11-28 01:50:53.455373+00'),
	('0037-kept-answers', '2026-11-28 01:50:53.455373+00'),
	('0038-stored-responses', '2026-11-28 01:50:53.455373+00'),
	('0039-group-members', '2026-11-28 01:50:53.455373+00'),
	('0041-conversations', '2026-11-28 01:50:53.455373+00'),
	('0042-workspace-domains', '2026-11-28 01:50:53.455373+00'),
	('0043-topup-tax', '2026-11-28 01:50:53.455373+00'),
	('0044-batch-usage', '2026-11-28 01:50:53.455373+00'),
	('0045-revenue-without-cost', '2026-11-28 01:50:53.455373+00'),
	('0046-overview-sums', '2026-11-28 01:50:53.455373+00'),
	('0047-voucher-ends', '2026-11-28 01:50:53.455373+00');
INSERT INTO public.sealing_key VALUES
	(true, '\xfd5ebeacb35123f6b5c3bafea56f3b247666ffc8b8eba44ee93ad1bf87f4e46f', '2026-11-28 01:51:54.506856+00');
INSERT INTO public.session VALUES
	('\x1f6a905ba32b89e3dfadc885e50150967ea148fcccb5158bbc86e857edb70b16', 1, '2026-11-28 01:51:44.332+00', '2026-11-28 01:51:44.332+00', '2026-12-28 01:51:44.332+00', NULL, NULL, '4c2b4d36-9905-4bb1-b721-8c1226eb7824', NULL, NULL),
	('\xfff19d1107893f50a6ce2bb2335b0a13bbf6e7bb16f3086f5e8c5fb5d9b713d0', 2, '2026-11-28 01:51:44.356+00', '2026-11-28 01:51:44.356+00', '2026-12-28 01:51:44.356+00', NULL, NULL, 'edf10f4d-3685-4dd7-b745-aa89dbe16cfc', NULL, NULL),
	('\xecb79e178309ddcf88c3f05a3e07fa524ea6126f3bbe55af11bd300e6884b509', 3, '2026-11-28 01:51:44.384+00', '2026-11-28 01:51:44.384+00', '2026-12-28 01:51:44.384+00', NULL, NULL, 'fe75de87-c5c5-49bd-abb9-26fb88dd22d3', NULL, NULL),
	('\x66791046202e8c2e79c545c0bfbbefe544a70a2139ddf0a3a32b703a0dea75ce', 4, '2026-11-28 01:51:44.408+00', '2026-11-28 01:51:44.408+00', '2026-12-28 01:51:44.408+00', NULL, NULL, '06e554be-b43f-44a3-aedf-79e78b21814f', NULL, NULL),
	('\x834142dd60a6f04208b3f7655cd544de366560e6c2aa81eaf859a3c20aa8e799', 5, '2026-11-28 01:51:44.438+00', '2026-11-28 01:51:44.438+00', '2026-12-28 01:51:44.438+00', NULL, NULL, '05aba001-5aff-435e-aa95-f11970470b3b', NULL, NULL),
	('\x7800491a9de69e5fc3c42881e846bb8cbccfd3677aee273c495a3e4a3b1499b9', 7, '2026-11-28 01:52:10.995+00', '2026-11-28 01:52:10.995+00', '2026-12-28 01:52:10.995+00', NULL, NULL, 'dd060320-89b4-4318-8bdc-87f73ce09c78', '10.0.0.3', 'node'),
	('\x6ac1770f468d2bb6837da21dfd5d63f0e119f09afe626a38bb72c5bb3cdc5e33', 8, '2026-11-28 01:52:12.829+00', '2026-11-28 01:52:12.829+00', '2026-12-28 01:52:12.829+00', NULL, NULL, 'dd1cae59-bac8-4ca4-b14b-9818a9186ec2', '10.0.0.5', 'node'),
	('\x89df34a736154bc6b05def5d870f7e9edbfd1f70c9a6e4d5093343618ad329be', 7, '2026-11-28 01:52:10.541+00', '2026-11-28 01:52:10.541+00', '2026-12-28 01:52:10.541+00', NULL, '2026-11-28 01:52:15.174+00', 'db0d7eed-6acf-41ab-9d73-0aba61667501', '10.0.0.2', 'node');
INSERT INTO public.sign_in_flow VALUES
	('\x83aaec72efff7314e324368d600011a6497f7f60e5a64754d5db6b450f19a3c9', 'idp', 'ikhKK-nsZklk8_yo_9CA8Dmov0axvEb6a78e9658Obw', 'kBqfYp4mdsuyd274ZkTfNLKEyoBpwrFtGrK7EhdNoR4', 'https://app.example.com/signed-in?from=provider', '2026-11-28 01:52:12.024+00', '2026-11-28 02:02:12.024+00', '2026-11-28 01:52:12.829+00', '\x12623219da707864ec313213a5a83d42f64df4f244964490795c1bc34d408ed1'),
	('\x0837124c2d8cb7b26f431fbc6d88f6e8b34750e73a3085e1665adc9c7189d617', 'idp', 'ItZr4om_KZju7Vj6Gcn1ubonacrLdmJ1t6BTL1cHTtY', '0W2sM-OFDPp3aUbH-QrTiMRyo9BB7eKTsaYOLis6XL0', 'https://app.example.com/signed-in?from=provider', '2026-11-28 01:52:13.668+00', '2026-11-28 02:02:13.668+00', NULL, '\x4ef871961fe780addafbf8a22e7163ac55ba3173bddf854a75b636ff7245aea4');
INSERT INTO public.signup_mailbox VALUES
	('sailor@example.com', 7, '2026-11-28 01:52:10.541+00'),
	('outside@example.com', 8, '2026-11-28 01:52:12.829+00');
INSERT INTO public.stored_file VALUES
	('01a21fda-1897-748d-9028-d3ac892c1ce2', 6, 'batch', 'requests.jsonl', 344, '2026-11-28 01:51:56+00', '2026-12-28 01:51:56+00', true, NULL),
	('01a21fda-1ffc-7604-b535-9ffd8b0e15a4', 6, 'batch_output', 'batch_01a21fda19557370b28d7da98444152c_output.jsonl', 1420, '2026-11-28 01:51:58+00', '2026-12-28 01:51:58+00', true, NULL),
	('01a21fda-2218-7175-a442-01240dbb7b4e', 6, 'batch', 'requests.jsonl', 334, '2026-11-28 01:51:59+00', '2026-12-28 01:51:59+00', true, NULL);
INSERT INTO public.stored_response VALUES
	(6, '01a21fda-025c-716d-b423-413231ce5b18', NULL, '2026-11-28 01:51:50.825+00', '\x47c2f807c6763dd9a2b4e27f2f35483077be4c4ac891577c2ef4b5163f9c2099ad0fbc375e62d8bfc1bdbd9ee16cc1d3110c298eb9e310ffe2c0496fdfdffd11e90ab64fd66e9669e10fe813ea1a105e4c7041c2ae32d60c51e1ab4dc265f66326c52d9c2c5297f2e293aceba2f62744ee724a5da58071b93ff059a2ecd86c82dfa1ef1f7f73e2b36bf261307e2050cd4cab28d417625fdfed924d595a39e22ff7bc5df51ac6944ed2f318ad6f860b7f0a045f', '\x164aa445b071aa220868c1e00c0d33502ab76c55554a8bcdd6bd326a6af60aa394632312c7b59c29cb550885cc68acc764ad7d8c7d32d39295a9a68008dca61ab67ff976bed35f11f2755f746ba4bd8c9cad5331287fa5aa5b6f8ec3d936a3a6b40478c2c347a181b3ab2b5f1c1118a293ebc3e1d82fc06cccdaf2467f4225f44914fb71f76e6fddf73cd61bad0a0439cace9368db953b739af2801dd36f6da01fecd898d9646b2a95493fbef60f031e3bd81d8a8bf4e05b986641a96fb7bd01aed53470007aef2fb0038bb5f13f0eb8e0f8d672d94c340d395dc04f4661affa3d5ea0221c8b80f8b4dd55b7647cde7d52ca1200e9de86a9f181ce1476c15b6d452b22debf556275490a1cad3e56f3b80be8216344d5f5de49c9426f60f4a3d90e6aa9953f3fc93bf8c54b1a438df221990c5623fd0c3b9d98f11ec9156931e64a713b14f29b45e0cc57bc8f9b4b3d42192f5e8d5ea260cf244fb0aac2859dac0fd9a4af7b655574a6f0a61b8e034d66b54073800c5c6833083794c220217cf3d2aeb9bf6736b471f9a46a9ae42e043ba857a5232e1b2e515f38d2100fa7a110b67b854cbfd8db6f438b7bad90be443715b0ce87c1099a10cd4746720516e40dccf083c25e9c1401a9b87f1de6caa5fd6ed7aa8e5537f02dcde3d78f7cbc9763e6e320ebd210ba020efff8481c139d9aae4c5dbc8011772202b779ef0bae977f8a4954cd62ef34b150e23f5e1f28ce98a113410fd8ea2059debf70d317882cb7914d91ee0981afd88de83ff72ed185f39cab19c79c85e723b66af810d2794bcd711fca5a8657ec43d1e5411c8b1fffc9cca2fd8acd6fea1ba99dc113dcbc0e999fcf3430dd2a46033f13f5ad0c348211065a1fb04561ebc2d42d4c8bc47a0479d3c73641a040b24050fbbed46eb44261b3fae1773d751c3715934847f5b7127defb40d9a088f62ffe8be99f0c38ad6ac0f5f9da8073435ba1aa6a898099577b279051b48de2cdb7aa91f3fc7d6c9845707037ab6fc1a81ac94982c18060c47c4285248649b15ec6677756c4c0f135518a412aa03861159fe7f23b72dbee9f41dee4bb05dca52dd35732d9f4b9be2dd20728fcc21cc05e8f5c8040db21b735b167cd7906e3f72e7c68ddc2fa28e2c59cb5b373fb166322257f8ae8a308e705ef6562dc830c003bd00e1837672cd33adac948c821f5c4bb1bafc0ad56b925d4b4c6a0cf1af136e683130d7bf6b7f6f48e340fc00a4c9431c75c52024d813b5650a881497f56284547b9bc9bb1373410bd6b0a03b3e774f3012b7ee68622bcaec46d20f8e042e41343ada702e44fb163f0571fab3082d5af99c7ef92b781b3a7a2ad5b69a01bb130757447dc0b8d179c11674c2afe935c784b16880fe7d059ce0dc082d4ddf4df8db574a5403b057bd90c1bae4682327133d1e32fd90d98390c569e28b03a4dbe828483c8efcfaccff228dbde2c2827ff1b1f520fac678b4e33e42d91b6345e38a4a668ace5af4b0979a6fff79c3082a34d6168ef701c0e79a2bef13d3ba8a46a9d0f6da9ce084f121feae65988b3586129e6e9d98703b80bb10d475bab44f0b6cc4a8009c0dd9173a399311d6ec06f0b943cb84fc421e6aec0e4c6b7fdc63470cb3043bb78aadc8dd9ca3715688934ad208872b4a571f9cab4f8e7eb6cb6153958b91d2b4eca2874ecdec445df5bee023b59f57ed63892aca7e6eb9886b899fc661995512fbdcf866c1cb766350996d76eacea95d752aa7654e953e6fde3d06');
INSERT INTO public.topup VALUES
	('be21368a-c99c-4108-b34b-5f5ceb6cc036', 1, 2000000000, 'pending', 'cs_test_70d6ef1b478a43c6924ca4612ced5a56', 'https://checkout.stripe.example/c/pay/cs_test_70d6ef1b478a43c6924ca4612ced5a56', '2026-11-28 01:52:01.783+00', NULL, NULL, NULL, false, NULL, NULL, NULL),
	('d96f6e72-6b43-44fd-ad18-1e4ebcfe3306', 1, 2000000000, 'succeeded', 'cs_test_fd73c5729e1a4473b5cdd79dc392ce65', 'https://checkout.stripe.example/c/pay/cs_test_fd73c5729e1a4473b5cdd79dc392ce65', '2026-11-28 01:51:59.802+00', '2026-11-28 01:52:03.261+00', 'pi_b9891731fa5b4f40ab2a84ce7284f3e8', 2000000000, false, NULL, NULL, NULL);
INSERT INTO public.totp VALUES
	(7, '\x5183a7ae3e781e31f7d231edb55ca9967fd42a8c', '2026-11-28 01:52:15.039+00', '2026-11-28 01:52:15.174+00', 59861024, 0, '2026-11-28 01:52:15.174+00');
INSERT INTO public.unapplied_event VALUES
	('evt_b545df98003d40ff9ea49cfae83e6ccc', 'charge.dispute.created', 'dp_strange', '2000 usd', NULL, 'it names no payment of this gateway', '2026-11-28 01:52:04.976+00', '2026-11-28 01:52:04.976+00', 1);
INSERT INTO public.usage_active VALUES
	(1440, '2026-11-28 00:00:00+00', 0, B'00000010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'),
	(60, '2026-11-28 01:00:00+00', 0, B'00000010000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO public.usage_fact VALUES
	(60, '2026-11-28 01:00:00+00', 'provider', 'voices-b', 1, 0, NULL),
	(1440, '2026-11-28 00:00:00+00', 'provider', 'voices-b', 1, 0, NULL),
	(1440, '2026-11-28 00:00:00+00', 'provider', 'meridian', 8, 0, NULL),
	(60, '2026-11-28 01:00:00+00', 'provider', 'studio', 1, 0, 2000000),
	(15, '2026-11-28 01:45:00+00', 'provider', 'voices-b', 1, 0, NULL),
	(1440, '2026-11-28 00:00:00+00', 'provider', 'studio', 1, 0, 2000000),
	(15, '2026-11-28 01:45:00+00', 'provider', 'meridian', 8, 0, NULL),
	(15, '2026-11-28 01:45:00+00', 'provider', 'studio', 1, 0, 2000000),
	(60, '2026-11-28 01:00:00+00', 'provider', 'meridian', 8, 0, NULL);
INSERT INTO public.usage_log_2026_11 VALUES
	(6, '2026-11-28 01:51:48.55+00', '01a21fd9-f997-73d2-bacd-f76f2d80d866', 'req_01a21fd9f946707f96bcd4e2f5794e27', 6, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 20, 0, false, 860, 1050, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 187, "response_id": "chatcmpl-9de6c37654395d46a5cfa285"}]', false, NULL, 439, 436, 'language', NULL, NULL, NULL, NULL, NULL, NULL, '{"team": "north"}'),
	(6, '2026-11-28 01:51:49.403+00', '01a21fd9-fcc1-7217-9057-eb1062014bc8', 'req_01a21fd9fc9b73f0a4bc6541f290d6b9', 6, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 20, 0, false, 860, 1050, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 301, "response_id": "chatcmpl-9de6c37654395d46a5cfa285"}]', false, NULL, 818, 762, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:50.4+00', '01a21fda-009c-7411-9985-1a49c0700c78', 'req_01a21fda0080752385955b595c83824b', 6, 'createChatCompletion', 'golden/kept', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 20, 0, false, 2600, 4500, '{"input": "1000000", "model": "golden/kept", "cached": null, "output": "1000000", "per_request": "0"}', '[{"model": "golden/kept", "route": "meridian/kept", "status": 200, "outcome": "ok", "cost_basis": {"input": 1, "cached": null, "output": 1, "per_request": 0}, "latency_ms": 45, "response_id": "chatcmpl-ddc7513c10875f437ca45981"}]', false, NULL, 113, 113, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:50.648+00', '01a21fda-0185-70fe-91cb-ada2e0966fce', 'req_01a21fda017871a2b516e6e8dbfc0983', 6, 'createChatCompletion', 'golden/kept', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 20, 0, false, 260, 260, '{"input": "100000", "model": "golden/kept", "cached": null, "output": "100000", "per_request": "0", "service_tier": "response_cache"}', '[]', false, NULL, 80, 80, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:50.825+00', '01a21fda-0270-76b1-af1a-f783c582dac2', 'req_01a21fda0229710b8388cce8e745bc07', 6, 'createResponse', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 46, 0, false, 1900, 655610, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 152, "response_id": "chatcmpl-9de6c37654395d46a5cfa285"}]', false, NULL, 292, 292, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:53.3+00', '01a21fda-0b8c-72f0-a874-d3c94390a193', 'req_01a21fda0af377d3a113931f683bdee4', 6, 'createImage', 'golden/image', NULL, NULL, 'success', 202, NULL, 0, 0, 0, 0, 0, false, 4000000, 4000000, '{"each": "40000000000", "unit": "image", "model": "golden/image"}', '[{"cost": "2000000", "layer": 0, "model": "golden/image", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 43, "response_id": "f5a5cb16-18ca-42a9-aa18-12816bab0e23"}]', false, NULL, 841, NULL, 'image', NULL, 1, 'image', 'job_01a21fda0b8c72f0a874d3c94390a193', NULL, 2000000, NULL),
	(6, '2026-11-28 01:51:54.455+00', '01a21fda-1066-776b-8b66-33dd1d4c19d0', 'req_01a21fda105773d9861096bf6e97e819', 6, 'compactResponse', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 202, 0, 0, 37, 0, false, 3500, 663540, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 9, "response_id": "chatcmpl-85f793aff1dbabe0baf4cb4a"}]', false, NULL, 35, 35, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:55.422+00', '01a21fda-1443-771c-9c22-e90ef0b782a4', 'req_01a21fda141e72adb3530741616c579f', 6, 'designVoice', 'mimir/voice-design', NULL, NULL, 'success', 200, NULL, 0, 0, 0, 0, 0, false, 420000000, 420000000, '{"each": "4200000000000", "unit": "call", "model": "mimir/voice-design"}', '[{"model": "mimir/voice-design", "route": "voices-b/voice-design", "status": 200, "outcome": "ok", "latency_ms": 659}]', false, NULL, 855, 843, 'speech', NULL, 1, 'call', NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:56.385+00', '01a21fda-1800-77f9-877b-8fe494eb6ed9', 'req_01a21fda17e17288b125a0665272682c', 7, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 46, 0, false, 1900, 655610, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 23, "response_id": "chatcmpl-9de6c37654395d46a5cfa285"}]', false, NULL, 84, 84, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:57.885+00', '01a21fda-1dbd-72ac-a4de-de884591fa5e', 'req_01a21fda1d5a755992db74e90f5dd63d', 6, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 20, 0, false, 860, 1050, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 39, "response_id": "chatcmpl-f173221d5cfe8380a2c88a67"}]', false, NULL, 230, 230, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(6, '2026-11-28 01:51:57.895+00', '01a21fda-1dc7-7646-be4a-5640a7d13c74', 'req_01a21fda1d5a755ab0cd5163a5519309', 6, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 20, 0, false, 860, 1050, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 35, "response_id": "chatcmpl-d370711f4a2c6ba7ea293b64"}]', false, NULL, 221, 221, 'language', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.usage_rollup VALUES
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'compactResponse', false, 'meridian/chat-small', NULL, 1, 202, 0, 0, 37, 0, 3500, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 3500),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'createResponse', false, 'meridian/chat-small', NULL, 1, 6, 0, 0, 46, 0, 1900, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 1900),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'compactResponse', false, 'meridian/chat-small', NULL, 1, 202, 0, 0, 37, 0, 3500, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 3500),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'createChatCompletion', false, 'meridian/chat-small', NULL, 4, 24, 0, 0, 80, 0, 3440, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000001000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 3440),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'golden/kept', 6, 'createChatCompletion', false, '', NULL, 1, 6, 0, 0, 20, 0, 260, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 0),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'golden/kept', 6, 'createChatCompletion', false, '', NULL, 1, 6, 0, 0, 20, 0, 260, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 0),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'mimir/voice-design', 6, 'designVoice', false, 'voices-b/voice-design', NULL, 1, 0, 0, 0, 0, 0, 420000000, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 420000000),
	(6, 1440, '2026-11-28 00:00:00+00', 'b69021ae-8f20-db3e-4cab-5406249aa51d', 'north/chat-small', 6, 'createChatCompletion', false, 'meridian/chat-small', 'team:north', 1, 6, 0, 0, 20, 0, 860, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 860),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'golden/image', 6, 'createImage', false, 'studio/pixa/standard', NULL, 1, 0, 0, 0, 0, 0, 4000000, 2000000, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 0),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'createResponse', false, 'meridian/chat-small', NULL, 1, 6, 0, 0, 46, 0, 1900, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 1900),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'createChatCompletion', false, 'meridian/chat-small', NULL, 4, 24, 0, 0, 80, 0, 3440, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000001000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 3440),
	(6, 60, '2026-11-28 01:00:00+00', 'b69021ae-8f20-db3e-4cab-5406249aa51d', 'north/chat-small', 6, 'createChatCompletion', false, 'meridian/chat-small', 'team:north', 1, 6, 0, 0, 20, 0, 860, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 860),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 7, 'createChatCompletion', false, 'meridian/chat-small', NULL, 1, 6, 0, 0, 46, 0, 1900, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 1900),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'createResponse', false, 'meridian/chat-small', NULL, 1, 6, 0, 0, 46, 0, 1900, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 1900),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'golden/kept', 6, 'createChatCompletion', false, 'meridian/kept', NULL, 1, 6, 0, 0, 20, 0, 2600, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 2600),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'compactResponse', false, 'meridian/chat-small', NULL, 1, 202, 0, 0, 37, 0, 3500, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 3500),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 6, 'createChatCompletion', false, 'meridian/chat-small', NULL, 4, 24, 0, 0, 80, 0, 3440, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000001000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 3440),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'golden/kept', 6, 'createChatCompletion', false, '', NULL, 1, 6, 0, 0, 20, 0, 260, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 0),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'golden/kept', 6, 'createChatCompletion', false, 'meridian/kept', NULL, 1, 6, 0, 0, 20, 0, 2600, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 2600),
	(6, 15, '2026-11-28 01:45:00+00', 'b69021ae-8f20-db3e-4cab-5406249aa51d', 'north/chat-small', 6, 'createChatCompletion', false, 'meridian/chat-small', 'team:north', 1, 6, 0, 0, 20, 0, 860, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 860),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'mimir/voice-design', 6, 'designVoice', false, 'voices-b/voice-design', NULL, 1, 0, 0, 0, 0, 0, 420000000, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 420000000),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 7, 'createChatCompletion', false, 'meridian/chat-small', NULL, 1, 6, 0, 0, 46, 0, 1900, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 1900),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'mimir/voice-design', 6, 'designVoice', false, 'voices-b/voice-design', NULL, 1, 0, 0, 0, 0, 0, 420000000, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 420000000),
	(6, 15, '2026-11-28 01:45:00+00', '00000000-0000-0000-0000-000000000000', 'golden/image', 6, 'createImage', false, 'studio/pixa/standard', NULL, 1, 0, 0, 0, 0, 0, 4000000, 2000000, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 0),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'golden/kept', 6, 'createChatCompletion', false, 'meridian/kept', NULL, 1, 6, 0, 0, 20, 0, 2600, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 2600),
	(6, 1440, '2026-11-28 00:00:00+00', '00000000-0000-0000-0000-000000000000', 'north/chat-small', 7, 'createChatCompletion', false, 'meridian/chat-small', NULL, 1, 6, 0, 0, 46, 0, 1900, NULL, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 1900),
	(6, 60, '2026-11-28 01:00:00+00', '00000000-0000-0000-0000-000000000000', 'golden/image', 6, 'createImage', false, 'studio/pixa/standard', NULL, 1, 0, 0, 0, 0, 0, 4000000, 2000000, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0, 0);
INSERT INTO public.usage_rollup_state VALUES
	(true, '2026-11-28 01:52:17.206746+00', '2026-11-28 01:52:17.206746+00', '2026-11-28 01:52:17.206746+00', NULL, '-infinity');
INSERT INTO public.usage_tagged VALUES
	(6, 'b69021ae-8f20-db3e-4cab-5406249aa51d', '2026-11-28 01:51:48.55+00', '01a21fd9-f997-73d2-bacd-f76f2d80d866');
INSERT INTO public.usage_total VALUES
	(15, '2026-11-28 01:45:00+00', 'golden/image', 'createImage', false, 'studio/pixa/standard', 1, 0, 0, 0, 0, 0, 4000000, 2000000, 0, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(15, '2026-11-28 01:45:00+00', 'golden/kept', 'createChatCompletion', false, '', 1, 6, 0, 0, 20, 0, 260, NULL, 0, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(15, '2026-11-28 01:45:00+00', 'golden/kept', 'createChatCompletion', false, 'meridian/kept', 1, 6, 0, 0, 20, 0, 2600, NULL, 2600, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(15, '2026-11-28 01:45:00+00', 'mimir/voice-design', 'designVoice', false, 'voices-b/voice-design', 1, 0, 0, 0, 0, 0, 420000000, NULL, 420000000, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(15, '2026-11-28 01:45:00+00', 'north/chat-small', 'compactResponse', false, 'meridian/chat-small', 1, 202, 0, 0, 37, 0, 3500, NULL, 3500, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(15, '2026-11-28 01:45:00+00', 'north/chat-small', 'createChatCompletion', false, 'meridian/chat-small', 5, 30, 0, 0, 126, 0, 5340, NULL, 5340, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000001000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(15, '2026-11-28 01:45:00+00', 'north/chat-small', 'createResponse', false, 'meridian/chat-small', 1, 6, 0, 0, 46, 0, 1900, NULL, 1900, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'golden/image', 'createImage', false, 'studio/pixa/standard', 1, 0, 0, 0, 0, 0, 4000000, 2000000, 0, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'golden/kept', 'createChatCompletion', false, '', 1, 6, 0, 0, 20, 0, 260, NULL, 0, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'golden/kept', 'createChatCompletion', false, 'meridian/kept', 1, 6, 0, 0, 20, 0, 2600, NULL, 2600, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'mimir/voice-design', 'designVoice', false, 'voices-b/voice-design', 1, 0, 0, 0, 0, 0, 420000000, NULL, 420000000, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'north/chat-small', 'compactResponse', false, 'meridian/chat-small', 1, 202, 0, 0, 37, 0, 3500, NULL, 3500, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'north/chat-small', 'createChatCompletion', false, 'meridian/chat-small', 5, 30, 0, 0, 126, 0, 5340, NULL, 5340, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000001000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(60, '2026-11-28 01:00:00+00', 'north/chat-small', 'createResponse', false, 'meridian/chat-small', 1, 6, 0, 0, 46, 0, 1900, NULL, 1900, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'golden/image', 'createImage', false, 'studio/pixa/standard', 1, 0, 0, 0, 0, 0, 4000000, 2000000, 0, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'golden/kept', 'createChatCompletion', false, '', 1, 6, 0, 0, 20, 0, 260, NULL, 0, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'golden/kept', 'createChatCompletion', false, 'meridian/kept', 1, 6, 0, 0, 20, 0, 2600, NULL, 2600, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'mimir/voice-design', 'designVoice', false, 'voices-b/voice-design', 1, 0, 0, 0, 0, 0, 420000000, NULL, 420000000, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'north/chat-small', 'compactResponse', false, 'meridian/chat-small', 1, 202, 0, 0, 37, 0, 3500, NULL, 3500, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'north/chat-small', 'createChatCompletion', false, 'meridian/chat-small', 5, 30, 0, 0, 126, 0, 5340, NULL, 5340, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000001000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0),
	(1440, '2026-11-28 00:00:00+00', 'north/chat-small', 'createResponse', false, 'meridian/chat-small', 1, 6, 0, 0, 46, 0, 1900, NULL, 1900, 1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000, 0);
INSERT INTO public.verification VALUES
	('\xd27b653bd745017e0b31bc51e8ffc9c6183547b14c149dcb2b0e42d341540d4c', 7, 'verify_email', '\x2a9cd274098b5ad1cd1f9148c739abd3f1c46b3ae8e1897e9bce72ef3cbf8a4e', 0, '$argon2id$v=19$m=19456,t=2,p=1$mdkL9sXhn1SS+z9ifGuGqw$KDrALrwGGN4rfnmi1FZsWF4JZh36XlqGN8R1hpSnoO4', NULL, '2026-11-28 01:52:07.756+00', '2026-11-29 01:52:07.756+00', '2026-11-28 01:52:10.541+00'),
	('\xd91038e89e9fd147252edb9eae3aa95d8f5cb699fe6f5171347a7c1eb1b5f3b1', 9, 'verify_email', '\x98de775f2d6e1668172a75d746a588054abd8b78eb09dc33c5ab5d9e68bf0ebd', 0, '$argon2id$v=19$m=19456,t=2,p=1$a04mNPhdQ5UQ3fhAlcFHLg$Op0UhWeNA5EIcM1ciPM/OcYgaTA+iTKAfoRrUwB33dM', NULL, '2026-11-28 01:52:13.849+00', '2026-11-29 01:52:13.849+00', NULL);
INSERT INTO public.voice VALUES
	('svcv_305446b1dd05578f0954d53b688c8e71', 6, 'voices-b', 'mimir/voice-design', 'svcv_305446b1dd05578f0954d53b688c8e71', '01a21fda-1443-771c-9c22-e90ef0b782a4', 420000000, '2026-11-28 01:51:55.422+00');
INSERT INTO public.voucher VALUES
	('930b454a-b0da-4193-abd8-de2cdee651ad', 1, '\x3d928f3d04ba9e3bd4233cbe84f975cf12ace9455bcbf5bff839480580048ee3', NULL, NULL, NULL),
	('da632878-fa8b-4382-a6f6-dd53aaa01bba', 1, '\x118df1b1060cb088b4b89df48a0b062ea6f89047346c068aef5daa608367b7b2', 3, '2026-11-28 01:52:05.849+00', NULL);
INSERT INTO public.voucher_batch OVERRIDING SYSTEM VALUE VALUES
	(1, 200000000, 2, '2026-11-28 01:52:05.682+00', 'test-29226-2@example.com', NULL, 3000, false, NULL, NULL);
INSERT INTO public.webhook_endpoint VALUES
	(6, '01a21fd9-f15d-75c9-a01b-dd3f6e41d62f', 'https://files.test:42429/hook', NULL, NULL, 'sealed.fqEo5CF0x0eVexEaMVNAGvzjgTTBm9LBETcx5pgsvo9LyKYweN4sTz6WncwzcXE+IuWd+CljVM4zR5aw6hfsIoVQu+WEqccojLG6D1ui', NULL, NULL, true, NULL, NULL, '2026-11-28 01:51:46.525+00');
INSERT INTO public.workspace_domain VALUES
	('299b135b-f817-44d1-ba14-5d4b49df8bc3', 6, 'golden.example', 'developer', 'ufNiRu85cPSRDKE-Zq8DXzGFuPHv9cgj', '2026-11-28 01:51:46.166+00', NULL);
SELECT pg_catalog.setval('public.account_id_seq', 9, true);
SELECT pg_catalog.setval('public.api_key_id_seq', 8, true);
SELECT pg_catalog.setval('public.catalog_version_id_seq', 1, false);
SELECT pg_catalog.setval('public.ledger_audit_id_seq', 1, true);
SELECT pg_catalog.setval('public.ledger_verdict_id_seq', 1, true);
SELECT pg_catalog.setval('public.media_job_seq_seq', 2, true);
SELECT pg_catalog.setval('public.operator_action_id_seq', 4, true);
SELECT pg_catalog.setval('public.price_change_id_seq', 63, true);
SELECT pg_catalog.setval('public.voucher_batch_id_seq', 1, true);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_email_norm_key UNIQUE (email_norm);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_user_id_key UNIQUE (user_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_old_hash_key UNIQUE (old_hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auto_topup
    ADD CONSTRAINT auto_topup_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.balance_armed
    ADD CONSTRAINT balance_armed_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.balance
    ADD CONSTRAINT balance_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.batch_line
    ADD CONSTRAINT batch_line_pkey PRIMARY KEY (batch_id, seq);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.budget_told
    ADD CONSTRAINT budget_told_pkey PRIMARY KEY (account_id, key_id, span);
ALTER TABLE ONLY public.catalog_version
    ADD CONSTRAINT catalog_version_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.closed_month
    ADD CONSTRAINT closed_month_pkey PRIMARY KEY (account_id, month);
ALTER TABLE ONLY public.commit_proof
    ADD CONSTRAINT commit_proof_pkey PRIMARY KEY (replica);
ALTER TABLE ONLY public.conversation_item
    ADD CONSTRAINT conversation_item_account_id_conversation_id_id_key UNIQUE (account_id, conversation_id, id);
ALTER TABLE ONLY public.conversation_item
    ADD CONSTRAINT conversation_item_pkey PRIMARY KEY (account_id, conversation_id, place);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_pkey PRIMARY KEY (account_id, id);
ALTER TABLE public.ledger_entry
    ADD CONSTRAINT corrects_an_earlier_one CHECK ((corrects < seq)) NOT VALID;
ALTER TABLE ONLY public.credit_grant
    ADD CONSTRAINT credit_grant_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.disabled_route
    ADD CONSTRAINT disabled_route_pkey PRIMARY KEY (provider, model);
ALTER TABLE ONLY public.escrow
    ADD CONSTRAINT escrow_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT former_member_pkey PRIMARY KEY (account_id, person_id);
ALTER TABLE ONLY public.hold
    ADD CONSTRAINT hold_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, operation, key);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kept_answer
    ADD CONSTRAINT kept_answer_pkey PRIMARY KEY (account_id, hash);
ALTER TABLE ONLY public.key_budget
    ADD CONSTRAINT key_budget_pkey PRIMARY KEY (key_id);
ALTER TABLE public.ledger_entry
    ADD CONSTRAINT kind_decides_sign CHECK ((((kind = ANY (ARRAY['deposit'::text, 'signup_credit'::text, 'bonus'::text, 'refund'::text, 'hold_settle'::text, 'hold_release'::text])) AND (amount > 0)) OR ((kind = ANY (ARRAY['usage'::text, 'hold'::text, 'payment_refund'::text])) AND (amount < 0)) OR (kind = ANY (ARRAY['adjustment'::text, 'earned_adjustment'::text, 'dispute'::text])))) NOT VALID;
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.ledger_audit
    ADD CONSTRAINT ledger_audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (account_id, id, kind);
ALTER TABLE ONLY public.ledger_verdict
    ADD CONSTRAINT ledger_verdict_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.media_expense
    ADD CONSTRAINT media_expense_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.media_job_move
    ADD CONSTRAINT media_job_move_pkey PRIMARY KEY (from_status, to_status);
ALTER TABLE ONLY public.media_job
    ADD CONSTRAINT media_job_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.member_budget
    ADD CONSTRAINT member_budget_pkey PRIMARY KEY (account_id, person_id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (account_id, person_id);
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_account_id_cause_key UNIQUE (account_id, cause);
ALTER TABLE ONLY public.notice_delivery
    ADD CONSTRAINT notice_delivery_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.notice_preference
    ADD CONSTRAINT notice_preference_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.notice_sweep
    ADD CONSTRAINT notice_sweep_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.operator_action
    ADD CONSTRAINT operator_action_effect_key UNIQUE (effect);
ALTER TABLE ONLY public.operator_action
    ADD CONSTRAINT operator_action_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator
    ADD CONSTRAINT operator_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.payment_event
    ADD CONSTRAINT payment_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_reversal
    ADD CONSTRAINT payment_reversal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.price_change
    ADD CONSTRAINT price_change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_window
    ADD CONSTRAINT rate_window_pkey PRIMARY KEY (account_id, bucket, starts_at);
ALTER TABLE public.ledger_entry
    ADD CONSTRAINT reason_is_one_line CHECK (((reason <> ''::text) AND (reason !~ '[\n\r]'::text))) NOT VALID;
ALTER TABLE ONLY public.receipt_key
    ADD CONSTRAINT receipt_key_pkey PRIMARY KEY (kid);
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (account_id, hash);
ALTER TABLE ONLY public.replica
    ADD CONSTRAINT replica_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_function
    ADD CONSTRAINT schema_function_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.sealing_key
    ADD CONSTRAINT sealing_key_pkey PRIMARY KEY (only_one);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_id_key UNIQUE (id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.sign_in_flow
    ADD CONSTRAINT sign_in_flow_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.signup_mailbox
    ADD CONSTRAINT signup_mailbox_pkey PRIMARY KEY (mailbox);
ALTER TABLE ONLY public.stored_file
    ADD CONSTRAINT stored_file_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stored_response
    ADD CONSTRAINT stored_response_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_checkout_id_key UNIQUE (checkout_id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_payment_id_key UNIQUE (payment_id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.totp
    ADD CONSTRAINT totp_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.unapplied_event
    ADD CONSTRAINT unapplied_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_active
    ADD CONSTRAINT usage_active_pkey PRIMARY KEY (span, starts_at, block);
ALTER TABLE ONLY public.usage_fact
    ADD CONSTRAINT usage_fact_pkey PRIMARY KEY (span, starts_at, kind, name);
ALTER TABLE ONLY public.usage_late
    ADD CONSTRAINT usage_late_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_log
    ADD CONSTRAINT usage_log_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_log_2026_10
    ADD CONSTRAINT usage_log_2026_10_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_log_2026_11
    ADD CONSTRAINT usage_log_2026_11_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_log_2026_12
    ADD CONSTRAINT usage_log_2026_12_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_log_2027_01
    ADD CONSTRAINT usage_log_2027_01_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_log_2027_02
    ADD CONSTRAINT usage_log_2027_02_pkey PRIMARY KEY (account_id, created_at, id);
ALTER TABLE ONLY public.usage_rollup
    ADD CONSTRAINT usage_rollup_pkey PRIMARY KEY (account_id, span, starts_at, tag_hash, model, key_id, operation, failed, route);
ALTER TABLE ONLY public.usage_rollup_state
    ADD CONSTRAINT usage_rollup_state_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY public.usage_tagged
    ADD CONSTRAINT usage_tagged_pkey PRIMARY KEY (account_id, tag_hash, created_at, id);
ALTER TABLE ONLY public.usage_total
    ADD CONSTRAINT usage_total_pkey PRIMARY KEY (span, starts_at, model, operation, failed, route);
ALTER TABLE ONLY public.verification
    ADD CONSTRAINT verification_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.voice
    ADD CONSTRAINT voice_pkey PRIMARY KEY (voice_id);
ALTER TABLE ONLY public.voucher_batch
    ADD CONSTRAINT voucher_batch_effect_key UNIQUE (effect);
ALTER TABLE ONLY public.voucher_batch
    ADD CONSTRAINT voucher_batch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.voucher
    ADD CONSTRAINT voucher_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.voucher
    ADD CONSTRAINT voucher_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_endpoint
    ADD CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.workspace_domain
    ADD CONSTRAINT workspace_domain_account_id_domain_key UNIQUE (account_id, domain);
ALTER TABLE ONLY public.workspace_domain
    ADD CONSTRAINT workspace_domain_pkey PRIMARY KEY (id);
CREATE INDEX api_key_expires ON public.api_key USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX api_key_masked ON public.api_key USING btree (account_id, prefix, last4);
CREATE INDEX api_key_newest ON public.api_key USING btree (account_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX api_key_one_default ON public.api_key USING btree (account_id) WHERE (is_default AND (deleted_at IS NULL));
CREATE INDEX auto_topup_due ON public.auto_topup USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX auto_topup_enabled ON public.auto_topup USING btree (account_id) WHERE enabled;
CREATE INDEX auto_topup_forgets ON public.auto_topup USING btree (account_id) WHERE (forget_cards <> '{}'::text[]);
CREATE INDEX batch_ended ON public.batch USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX batch_line_waiting ON public.batch_line USING btree (batch_id, seq) WHERE (ended_at IS NULL);
CREATE INDEX batch_of_account ON public.batch USING btree (account_id, created_at, id);
CREATE INDEX batch_of_file ON public.batch USING btree (input_file_id) WHERE (ended_at IS NULL);
CREATE INDEX batch_open ON public.batch USING btree (created_at) WHERE (ended_at IS NULL);
CREATE INDEX conversation_of_account ON public.conversation USING btree (account_id, changed_at);
CREATE INDEX credit_grant_due ON public.credit_grant USING btree (expires_at) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX credit_grant_newest ON public.credit_grant USING btree (account_id, seq);
CREATE INDEX former_member_of_person ON public.former_member USING btree (person_id);
CREATE INDEX hold_owner ON public.hold USING btree (owner);
CREATE INDEX hold_slots ON public.hold USING btree (account_id, pool) WHERE (pool IS NOT NULL);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (received_at);
CREATE INDEX idempotency_key_answers ON public.idempotency_key USING btree (account_id, received_at DESC) WHERE (body IS NOT NULL);
CREATE INDEX identity_of_account ON public.identity USING btree (account_id);
CREATE INDEX invitation_expires ON public.invitation USING btree (expires_at);
CREATE INDEX invitation_newest ON public.invitation USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX invitation_of_address ON public.invitation USING btree (email_norm, sent_at);
CREATE UNIQUE INDEX invitation_waiting ON public.invitation USING btree (account_id, email_norm) WHERE (ended_at IS NULL);
CREATE INDEX kept_answer_age ON public.kept_answer USING btree (account_id, created_at DESC) INCLUDE (bytes);
CREATE INDEX kept_answer_expiry ON public.kept_answer USING btree (expires_at);
CREATE INDEX key_budget_limited ON public.key_budget USING btree (key_id) WHERE ((limit_amount IS NOT NULL) OR (period_limit IS NOT NULL));
CREATE INDEX key_budget_of_account ON public.key_budget USING btree (account_id);
CREATE INDEX known_network_expires ON public.known_network USING btree (expires_at);
CREATE INDEX known_network_of_account ON public.known_network USING btree (account_id);
CREATE UNIQUE INDEX ledger_audit_running ON public.ledger_audit USING btree ((true)) WHERE (status = 'running'::text);
CREATE UNIQUE INDEX ledger_entry_chain ON public.ledger_entry USING btree (account_id, seq);
CREATE UNIQUE INDEX ledger_entry_hold_ends_once ON public.ledger_entry USING btree (account_id, id) WHERE (kind = ANY (ARRAY['hold_settle'::text, 'hold_release'::text]));
CREATE INDEX ledger_entry_no_usage ON public.ledger_entry USING btree (account_id, seq) WHERE (kind <> 'usage'::text);
CREATE UNIQUE INDEX ledger_entry_signup_once ON public.ledger_entry USING btree (account_id) WHERE (kind = 'signup_credit'::text);
CREATE UNIQUE INDEX media_job_idempotency ON public.media_job USING btree (account_id, api, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE INDEX media_job_kind ON public.media_job USING btree (account_id, kind, seq DESC) WHERE (api <> 'genmedia'::text);
CREATE INDEX media_job_late ON public.media_job USING btree (late_at) WHERE (late_at IS NOT NULL);
CREATE INDEX media_job_model ON public.media_job USING btree (account_id, model, seq DESC) WHERE (api <> 'genmedia'::text);
CREATE INDEX media_job_newest ON public.media_job USING btree (account_id, seq DESC) WHERE (api <> 'genmedia'::text);
CREATE INDEX media_job_open ON public.media_job USING btree (account_id, seq) WHERE (status = ANY (ARRAY['queued'::text, 'pending'::text, 'processing'::text]));
CREATE INDEX media_job_status ON public.media_job USING btree (account_id, status, seq DESC) WHERE (api <> 'genmedia'::text);
CREATE INDEX media_job_turn ON public.media_job USING btree (run_at) WHERE (run_at IS NOT NULL);
CREATE INDEX member_of_person ON public.member USING btree (person_id);
CREATE INDEX notice_age ON public.notice USING btree (created_at);
CREATE INDEX notice_delivery_due ON public.notice_delivery USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notice_delivery_of_endpoint ON public.notice_delivery USING btree (account_id, endpoint_id, created_at DESC, id DESC) WHERE (endpoint_id IS NOT NULL);
CREATE INDEX notice_delivery_of_notice ON public.notice_delivery USING btree (account_id, notice_id);
CREATE INDEX notice_newest ON public.notice USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX notice_unplanned ON public.notice USING btree (created_at) WHERE (planned_at IS NULL);
CREATE INDEX operator_action_target ON public.operator_action USING btree (target, id DESC);
CREATE INDEX operator_action_who ON public.operator_action USING btree (who, id DESC);
CREATE INDEX payment_reversal_of_topup ON public.payment_reversal USING btree (topup_id);
CREATE INDEX price_change_model ON public.price_change USING btree (model, id DESC);
CREATE UNIQUE INDEX receipt_key_current ON public.receipt_key USING btree ((true)) WHERE (replaced_at IS NULL);
CREATE INDEX session_expires ON public.session USING btree (expires_at);
CREATE INDEX session_newest ON public.session USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX sign_in_flow_expires ON public.sign_in_flow USING btree (expires_at);
CREATE INDEX stored_file_expiring ON public.stored_file USING btree (LEAST(expires_at, deleted_at));
CREATE INDEX stored_file_of_account ON public.stored_file USING btree (account_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX stored_response_of_account ON public.stored_response USING btree (account_id, created_at);
CREATE INDEX topup_of_account ON public.topup USING btree (account_id, created_at DESC);
CREATE INDEX unapplied_event_newest ON public.unapplied_event USING btree (first_at DESC);
CREATE INDEX usage_log_failed ON ONLY public.usage_log USING btree (account_id, created_at) WHERE (status = 'failed'::text);
CREATE INDEX usage_log_2026_10_account_id_created_at_idx ON public.usage_log_2026_10 USING btree (account_id, created_at) WHERE (status = 'failed'::text);
CREATE INDEX usage_log_key ON ONLY public.usage_log USING btree (account_id, key_id, created_at);
CREATE INDEX usage_log_2026_10_account_id_key_id_created_at_idx ON public.usage_log_2026_10 USING btree (account_id, key_id, created_at);
CREATE INDEX usage_log_model ON ONLY public.usage_log USING btree (account_id, model, created_at);
CREATE INDEX usage_log_2026_10_account_id_model_created_at_idx ON public.usage_log_2026_10 USING btree (account_id, model, created_at);
CREATE INDEX usage_log_type ON ONLY public.usage_log USING btree (account_id, model_type, created_at) WHERE (model_type <> 'language'::text);
CREATE INDEX usage_log_2026_10_account_id_model_type_created_at_idx ON public.usage_log_2026_10 USING btree (account_id, model_type, created_at) WHERE (model_type <> 'language'::text);
CREATE INDEX usage_log_recent ON ONLY public.usage_log USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX usage_log_2026_10_created_at_idx ON public.usage_log_2026_10 USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX usage_log_request ON ONLY public.usage_log USING btree (request_id, account_id, created_at);
CREATE INDEX usage_log_2026_10_request_id_account_id_created_at_idx ON public.usage_log_2026_10 USING btree (request_id, account_id, created_at);
CREATE INDEX usage_log_2026_11_account_id_created_at_idx ON public.usage_log_2026_11 USING btree (account_id, created_at) WHERE (status = 'failed'::text);
CREATE INDEX usage_log_2026_11_account_id_key_id_created_at_idx ON public.usage_log_2026_11 USING btree (account_id, key_id, created_at);
CREATE INDEX usage_log_2026_11_account_id_model_created_at_idx ON public.usage_log_2026_11 USING btree (account_id, model, created_at);
CREATE INDEX usage_log_2026_11_account_id_model_type_created_at_idx ON public.usage_log_2026_11 USING btree (account_id, model_type, created_at) WHERE (model_type <> 'language'::text);
CREATE INDEX usage_log_2026_11_created_at_idx ON public.usage_log_2026_11 USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX usage_log_2026_11_request_id_account_id_created_at_idx ON public.usage_log_2026_11 USING btree (request_id, account_id, created_at);
CREATE INDEX usage_log_2026_12_account_id_created_at_idx ON public.usage_log_2026_12 USING btree (account_id, created_at) WHERE (status = 'failed'::text);
CREATE INDEX usage_log_2026_12_account_id_key_id_created_at_idx ON public.usage_log_2026_12 USING btree (account_id, key_id, created_at);
CREATE INDEX usage_log_2026_12_account_id_model_created_at_idx ON public.usage_log_2026_12 USING btree (account_id, model, created_at);
CREATE INDEX usage_log_2026_12_account_id_model_type_created_at_idx ON public.usage_log_2026_12 USING btree (account_id, model_type, created_at) WHERE (model_type <> 'language'::text);
CREATE INDEX usage_log_2026_12_created_at_idx ON public.usage_log_2026_12 USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX usage_log_2026_12_request_id_account_id_created_at_idx ON public.usage_log_2026_12 USING btree (request_id, account_id, created_at);
CREATE INDEX usage_log_2027_01_account_id_created_at_idx ON public.usage_log_2027_01 USING btree (account_id, created_at) WHERE (status = 'failed'::text);
CREATE INDEX usage_log_2027_01_account_id_key_id_created_at_idx ON public.usage_log_2027_01 USING btree (account_id, key_id, created_at);
CREATE INDEX usage_log_2027_01_account_id_model_created_at_idx ON public.usage_log_2027_01 USING btree (account_id, model, created_at);
CREATE INDEX usage_log_2027_01_account_id_model_type_created_at_idx ON public.usage_log_2027_01 USING btree (account_id, model_type, created_at) WHERE (model_type <> 'language'::text);
CREATE INDEX usage_log_2027_01_created_at_idx ON public.usage_log_2027_01 USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX usage_log_2027_01_request_id_account_id_created_at_idx ON public.usage_log_2027_01 USING btree (request_id, account_id, created_at);
CREATE INDEX usage_log_2027_02_account_id_created_at_idx ON public.usage_log_2027_02 USING btree (account_id, created_at) WHERE (status = 'failed'::text);
CREATE INDEX usage_log_2027_02_account_id_key_id_created_at_idx ON public.usage_log_2027_02 USING btree (account_id, key_id, created_at);
CREATE INDEX usage_log_2027_02_account_id_model_created_at_idx ON public.usage_log_2027_02 USING btree (account_id, model, created_at);
CREATE INDEX usage_log_2027_02_account_id_model_type_created_at_idx ON public.usage_log_2027_02 USING btree (account_id, model_type, created_at) WHERE (model_type <> 'language'::text);
CREATE INDEX usage_log_2027_02_created_at_idx ON public.usage_log_2027_02 USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX usage_log_2027_02_request_id_account_id_created_at_idx ON public.usage_log_2027_02 USING btree (request_id, account_id, created_at);
CREATE INDEX usage_rollup_by_time ON public.usage_rollup USING btree (span, starts_at);
CREATE INDEX verification_expires ON public.verification USING btree (expires_at);
CREATE INDEX verification_of_account ON public.verification USING btree (account_id, purpose, created_at DESC);
CREATE INDEX voice_account ON public.voice USING btree (account_id, created_at);
CREATE INDEX voucher_of_account ON public.voucher USING btree (account_id, batch_id) WHERE (account_id IS NOT NULL);
CREATE INDEX voucher_of_batch ON public.voucher USING btree (batch_id, id);
CREATE UNIQUE INDEX workspace_domain_verified ON public.workspace_domain USING btree (domain) WHERE (verified_at IS NOT NULL);
ALTER INDEX public.usage_log_failed ATTACH PARTITION public.usage_log_2026_10_account_id_created_at_idx;
ALTER INDEX public.usage_log_key ATTACH PARTITION public.usage_log_2026_10_account_id_key_id_created_at_idx;
ALTER INDEX public.usage_log_model ATTACH PARTITION public.usage_log_2026_10_account_id_model_created_at_idx;
ALTER INDEX public.usage_log_type ATTACH PARTITION public.usage_log_2026_10_account_id_model_type_created_at_idx;
ALTER INDEX public.usage_log_recent ATTACH PARTITION public.usage_log_2026_10_created_at_idx;
ALTER INDEX public.usage_log_pkey ATTACH PARTITION public.usage_log_2026_10_pkey;
ALTER INDEX public.usage_log_request ATTACH PARTITION public.usage_log_2026_10_request_id_account_id_created_at_idx;
ALTER INDEX public.usage_log_failed ATTACH PARTITION public.usage_log_2026_11_account_id_created_at_idx;
ALTER INDEX public.usage_log_key ATTACH PARTITION public.usage_log_2026_11_account_id_key_id_created_at_idx;
ALTER INDEX public.usage_log_model ATTACH PARTITION public.usage_log_2026_11_account_id_model_created_at_idx;
ALTER INDEX public.usage_log_type ATTACH PARTITION public.usage_log_2026_11_account_id_model_type_created_at_idx;
ALTER INDEX public.usage_log_recent ATTACH PARTITION public.usage_log_2026_11_created_at_idx;
ALTER INDEX public.usage_log_pkey ATTACH PARTITION public.usage_log_2026_11_pkey;
ALTER INDEX public.usage_log_request ATTACH PARTITION public.usage_log_2026_11_request_id_account_id_created_at_idx;
ALTER INDEX public.usage_log_failed ATTACH PARTITION public.usage_log_2026_12_account_id_created_at_idx;
ALTER INDEX public.usage_log_key ATTACH PARTITION public.usage_log_2026_12_account_id_key_id_created_at_idx;
ALTER INDEX public.usage_log_model ATTACH PARTITION public.usage_log_2026_12_account_id_model_created_at_idx;
ALTER INDEX public.usage_log_type ATTACH PARTITION public.usage_log_2026_12_account_id_model_type_created_at_idx;
ALTER INDEX public.usage_log_recent ATTACH PARTITION public.usage_log_2026_12_created_at_idx;
ALTER INDEX public.usage_log_pkey ATTACH PARTITION public.usage_log_2026_12_pkey;
ALTER INDEX public.usage_log_request ATTACH PARTITION public.usage_log_2026_12_request_id_account_id_created_at_idx;
ALTER INDEX public.usage_log_failed ATTACH PARTITION public.usage_log_2027_01_account_id_created_at_idx;
ALTER INDEX public.usage_log_key ATTACH PARTITION public.usage_log_2027_01_account_id_key_id_created_at_idx;
ALTER INDEX public.usage_log_model ATTACH PARTITION public.usage_log_2027_01_account_id_model_created_at_idx;
ALTER INDEX public.usage_log_type ATTACH PARTITION public.usage_log_2027_01_account_id_model_type_created_at_idx;
ALTER INDEX public.usage_log_recent ATTACH PARTITION public.usage_log_2027_01_created_at_idx;
ALTER INDEX public.usage_log_pkey ATTACH PARTITION public.usage_log_2027_01_pkey;
ALTER INDEX public.usage_log_request ATTACH PARTITION public.usage_log_2027_01_request_id_account_id_created_at_idx;
ALTER INDEX public.usage_log_failed ATTACH PARTITION public.usage_log_2027_02_account_id_created_at_idx;
ALTER INDEX public.usage_log_key ATTACH PARTITION public.usage_log_2027_02_account_id_key_id_created_at_idx;
ALTER INDEX public.usage_log_model ATTACH PARTITION public.usage_log_2027_02_account_id_model_created_at_idx;
ALTER INDEX public.usage_log_type ATTACH PARTITION public.usage_log_2027_02_account_id_model_type_created_at_idx;
ALTER INDEX public.usage_log_recent ATTACH PARTITION public.usage_log_2027_02_created_at_idx;
ALTER INDEX public.usage_log_pkey ATTACH PARTITION public.usage_log_2027_02_pkey;
ALTER INDEX public.usage_log_request ATTACH PARTITION public.usage_log_2027_02_request_id_account_id_created_at_idx;
CREATE STATISTICS public.usage_log_2026_10_key (dependencies) ON account_id, key_id FROM public.usage_log_2026_10;
CREATE STATISTICS public.usage_log_2026_11_key (dependencies) ON account_id, key_id FROM public.usage_log_2026_11;
CREATE STATISTICS public.usage_log_2026_12_key (dependencies) ON account_id, key_id FROM public.usage_log_2026_12;
CREATE STATISTICS public.usage_log_2027_01_key (dependencies) ON account_id, key_id FROM public.usage_log_2027_01;
CREATE STATISTICS public.usage_log_2027_02_key (dependencies) ON account_id, key_id FROM public.usage_log_2027_02;
CREATE TRIGGER account_announced AFTER UPDATE OF suspended_at, email_verified_at, assigned_tier, response_retention_days ON public.account FOR EACH ROW EXECUTE FUNCTION public.announce_account();
CREATE TRIGGER account_has_balance AFTER INSERT ON public.account FOR EACH ROW EXECUTE FUNCTION public.open_balance();
CREATE TRIGGER actions_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_action FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('actions are append-only');
CREATE TRIGGER api_key_announced AFTER DELETE OR UPDATE OF enabled, deleted_at, hash, old_hash, expires_at, allowed_models, allowed_operations, allowed_networks, scopes, rpm, tpm, stream_usage, response_cache_seconds ON public.api_key FOR EACH ROW EXECUTE FUNCTION public.announce_api_key();
CREATE TRIGGER balances_follow_entries BEFORE UPDATE ON public.balance FOR EACH STATEMENT WHEN (((pg_trigger_depth() < 1) AND (current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text))) EXECUTE FUNCTION public.refuse_change('a balance follows its entries and holds');
CREATE TRIGGER balances_start_empty BEFORE INSERT ON public.balance FOR EACH ROW EXECUTE FUNCTION public.balance_starts_empty();
CREATE TRIGGER balances_stay BEFORE DELETE OR TRUNCATE ON public.balance FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('an account keeps its balance row');
CREATE TRIGGER budgets_follow_entries BEFORE UPDATE OF account_id, key_id, spent, reserved ON public.key_budget FOR EACH STATEMENT WHEN (((pg_trigger_depth() < 1) AND (current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text))) EXECUTE FUNCTION public.refuse_change('a budget follows its entries and holds; set its limit alone');
CREATE TRIGGER budgets_move_members AFTER UPDATE OF spent, reserved ON public.key_budget FOR EACH ROW WHEN ((new.member_id IS NOT NULL)) EXECUTE FUNCTION public.apply_member_budget();
CREATE TRIGGER budgets_recall_slices AFTER UPDATE OF limit_amount, period, period_limit ON public.key_budget FOR EACH ROW WHEN (((new.limit_amount IS DISTINCT FROM old.limit_amount) OR (new.period_limit IS DISTINCT FROM old.period_limit) OR (new.period IS DISTINCT FROM old.period))) EXECUTE FUNCTION public.recall_slices();
CREATE TRIGGER budgets_start_with_their_key BEFORE INSERT ON public.key_budget FOR EACH STATEMENT WHEN ((pg_trigger_depth() < 1)) EXECUTE FUNCTION public.refuse_change('a budget is made with its key');
CREATE TRIGGER budgets_stay BEFORE DELETE OR TRUNCATE ON public.key_budget FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('a key keeps its budget');
CREATE TRIGGER closed_months_stay BEFORE DELETE OR UPDATE OR TRUNCATE ON public.closed_month FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('a closed month is final');
CREATE TRIGGER entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('entries are append-only; correct with a new entry');
CREATE TRIGGER entries_are_chained BEFORE INSERT ON public.ledger_entry FOR EACH ROW WHEN ((current_setting('svc.chained'::text, true) IS DISTINCT FROM 'by ledger_settle'::text)) EXECUTE FUNCTION public.chain_entry();
CREATE TRIGGER entries_move_balances AFTER INSERT ON public.ledger_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.apply_entries();
CREATE TRIGGER holds_end_one_by_one BEFORE TRUNCATE ON public.hold FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('holds end by delete');
CREATE TRIGGER holds_give_back AFTER DELETE ON public.hold REFERENCING OLD TABLE AS ended FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.apply_ended_holds();
CREATE TRIGGER holds_keep_what_they_hold BEFORE UPDATE OF account_id, id, amount, key_id, pool, pool_group ON public.hold FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.refuse_change('a hold keeps its amount, key and slot until it ends');
CREATE TRIGGER holds_reserve AFTER INSERT ON public.hold REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.apply_new_holds();
CREATE TRIGGER key_has_budget AFTER INSERT ON public.api_key FOR EACH ROW EXECUTE FUNCTION public.open_key_budget();
CREATE TRIGGER media_jobs_begin BEFORE INSERT ON public.media_job FOR EACH ROW EXECUTE FUNCTION public.check_media_job_move();
CREATE TRIGGER media_jobs_move BEFORE UPDATE OF status ON public.media_job FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.check_media_job_move();
CREATE TRIGGER media_jobs_stay BEFORE UPDATE OF id, account_id, key_id, api, kind, shown_id, model, prices, secret, estimated, created_at ON public.media_job FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what a media job is and may cost does not change');
CREATE TRIGGER member_budgets_follow_keys BEFORE UPDATE OF account_id, person_id, spent, reserved ON public.member_budget FOR EACH STATEMENT WHEN ((pg_trigger_depth() < 1)) EXECUTE FUNCTION public.refuse_change('a member''s budget follows those of the keys; set its limit alone');
CREATE TRIGGER member_budgets_recall_slices AFTER INSERT OR UPDATE OF limit_amount, period, period_limit ON public.member_budget FOR EACH ROW EXECUTE FUNCTION public.recall_slices();
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.account(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_old_seen_by_fkey FOREIGN KEY (old_seen_by) REFERENCES public.account(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_rolled_by_fkey FOREIGN KEY (rolled_by) REFERENCES public.account(id);
ALTER TABLE ONLY public.auto_topup
    ADD CONSTRAINT auto_topup_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.auto_topup
    ADD CONSTRAINT auto_topup_charging_fkey FOREIGN KEY (charging) REFERENCES public.topup(id);
ALTER TABLE ONLY public.auto_topup
    ADD CONSTRAINT auto_topup_consent_by_fkey FOREIGN KEY (consent_by) REFERENCES public.account(id);
ALTER TABLE ONLY public.balance
    ADD CONSTRAINT balance_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.balance_armed
    ADD CONSTRAINT balance_armed_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.batch_line
    ADD CONSTRAINT batch_line_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.batch(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.budget_told
    ADD CONSTRAINT budget_told_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.budget_told
    ADD CONSTRAINT budget_told_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.closed_month
    ADD CONSTRAINT closed_month_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.conversation
    ADD CONSTRAINT conversation_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.conversation_item
    ADD CONSTRAINT conversation_item_account_id_conversation_id_fkey FOREIGN KEY (account_id, conversation_id) REFERENCES public.conversation(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.credit_grant
    ADD CONSTRAINT credit_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.escrow
    ADD CONSTRAINT escrow_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT former_member_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.former_member
    ADD CONSTRAINT former_member_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.account(id);
ALTER TABLE ONLY public.key_budget
    ADD CONSTRAINT key_budget_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.media_expense
    ADD CONSTRAINT media_expense_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.media_job(id);
ALTER TABLE ONLY public.media_job
    ADD CONSTRAINT media_job_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.member_budget
    ADD CONSTRAINT member_budget_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.member_budget
    ADD CONSTRAINT member_budget_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.notice_delivery
    ADD CONSTRAINT notice_delivery_account_id_endpoint_id_fkey FOREIGN KEY (account_id, endpoint_id) REFERENCES public.webhook_endpoint(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notice_delivery
    ADD CONSTRAINT notice_delivery_account_id_notice_id_fkey FOREIGN KEY (account_id, notice_id) REFERENCES public.notice(account_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notice
    ADD CONSTRAINT notice_person_id_fkey FOREIGN KEY (person_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.notice_preference
    ADD CONSTRAINT notice_preference_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.operator
    ADD CONSTRAINT operator_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.operator_action
    ADD CONSTRAINT operator_action_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.payment_event
    ADD CONSTRAINT payment_event_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES public.topup(id);
ALTER TABLE ONLY public.payment_reversal
    ADD CONSTRAINT payment_reversal_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES public.topup(id);
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.signup_mailbox
    ADD CONSTRAINT signup_mailbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.stored_file
    ADD CONSTRAINT stored_file_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.stored_response
    ADD CONSTRAINT stored_response_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.totp
    ADD CONSTRAINT totp_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.unapplied_event
    ADD CONSTRAINT unapplied_event_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES public.topup(id);
ALTER TABLE ONLY public.verification
    ADD CONSTRAINT verification_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.voice
    ADD CONSTRAINT voice_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.voucher
    ADD CONSTRAINT voucher_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.voucher
    ADD CONSTRAINT voucher_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.voucher_batch(id);
ALTER TABLE ONLY public.webhook_endpoint
    ADD CONSTRAINT webhook_endpoint_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.workspace_domain
    ADD CONSTRAINT workspace_domain_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
