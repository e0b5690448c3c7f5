-- A database as it was with the migrations up to 0006-idempotency-keys, with the functions of that version: test/db/upgrade.test.ts upgrades it. Made by
-- that version's gateway with the simulator behind it and written by pg_dump 15 (--inserts); README.md beside this file. No secret is in use.
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
CREATE FUNCTION public.admit_calls(_owner uuid, _ttl interval, _shown text, _account bigint[], _want bigint[], _key_account bigint[], _key bigint[], _key_want bigint[], _window_account bigint[], _bucket text[], _seconds integer[], _amount bigint[], _limit bigint[], _call_account bigint[], _call_id uuid[], _call_want bigint[], _call_key bigint[], OUT at_ms bigint, OUT accounts bigint[], OUT available bigint[], OUT reserved bigint[], OUT n bigint[], OUT previous bigint[], OUT keys bigint[], OUT keys_left bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
#variable_conflict use_column
declare setting text; is_whole boolean;
begin
  at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
  setting := set_config('synchronous_commit', 'off', true);
  setting := set_config('svc.moved', 'by the ledger', true); -- of this statement alone; an error takes it back by itself
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
        where k.account_id = a.account_id and g.limit_amount - g.spent - g.reserved < k.want)
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
      and (g.limit_amount is null or g.limit_amount - g.spent - g.reserved >= k.want)
    returning g.account_id, g.key_id, g.limit_amount - g.spent - g.reserved as key_left
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
      count(*) = (select count(*) from able)
        and (select count(*) from allowed) = (select count(*) from able join budgets using (account_id))
        and (select count(*) from counted) = (select count(*) from able join windows using (account_id))
    into accounts, available, reserved, n, previous, keys, keys_left, is_whole
    from funds f join counted c on c.account_id = f.account_id and c.bucket = _shown;
  setting := set_config('svc.moved', '', true);
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
  perform pg_notify('api_key_changed', encode(coalesce(new.hash, old.hash), 'hex'));
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
  return null;
end $$;
CREATE FUNCTION public.apply_entries() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare touched int; wanted int;
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
    update key_budget k set spent = k.spent + s.spent, reserved = k.reserved + s.reserved
    from s where k.key_id = s.key_id and k.account_id = s.account_id returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'an entry names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
  perform pg_notify('account_changed', account_id::text) from added where kind in ('deposit', 'adjustment', 'payment_refund', 'dispute');
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
    exit when found; -- else it was deleted
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
declare held hold; more bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  select b.available, b.reserved into available, reserved from balance b where b.account_id = _account for no key update;
  select * into held from hold h where h.account_id = _account and h.id = _id;
  if held.id is null then raise exception 'the reservation has ended' using errcode = 'no_data_found'; end if;
  select k.limit_amount - k.spent - k.reserved into key_left from key_budget k where k.account_id = _account and k.key_id = held.key_id;
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
  taken jsonb; -- in this batch, by the account at hand: slots by pool and group, money by key
  places bigint[] := '{}'; amounts bigint[] := '{}'; unmoved int; unknown_keys int;
begin
  setting := set_config('synchronous_commit', 'off', true);
  payers := array(select b.account_id
    from (select q.account_id, min(q.least) as least, bool_or(h.id is not null) as is_held
        from unnest(_account, _id, _least) q(account_id, id, least) left join hold h on h.account_id = q.account_id and h.id = q.id
        group by q.account_id) asked
    join balance b on b.account_id = asked.account_id
    where b.available >= asked.least or asked.is_held order by b.account_id for no key update of b);
  for r in
    select q.n::int as n, q.account_id, q.want, q.least, q.key_id, 'pool ' || q.pool as pool, q.pool_max, 'group ' || q.pool_group as pool_group,
      q.group_max, b.available, b.reserved, h.amount as existing, k.limit_amount - k.spent - k.reserved as key_left,
      case when q.pool is not null then (select count(*) from hold s where s.account_id = q.account_id and s.pool = q.pool
        and s.expires_at > now()) end as pool_used,
      case when q.pool_group is not null then (select count(*) from hold s where s.account_id = q.account_id and s.pool is not null
        and s.pool_group = q.pool_group and s.expires_at > now()) end as group_used
    from unnest(_account, _id, _want, _least, _key, _pool, _pool_max, _group, _group_max)
      with ordinality q(account_id, id, want, least, key_id, pool, pool_max, pool_group, group_max, n)
    join balance b on b.account_id = q.account_id
    left join hold h on h.account_id = q.account_id and h.id = q.id
    left join key_budget k on k.account_id = q.account_id and k.key_id = q.key_id
    order by q.account_id, q.n
  loop
    if current is distinct from r.account_id then
      current := r.account_id; left_over := r.available; held := r.reserved; taken := '{}';
    end if;
    n := r.n; available := left_over; reserved := held; key_left := null; granted := null; refused := null;
    if r.key_left is not null then key_left := r.key_left - coalesce((taken ->> ('key ' || r.key_id))::bigint, 0); end if;
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
        taken := jsonb_set(taken, array['key ' || r.key_id], to_jsonb(r.key_left - key_left + granted));
      end if;
      if r.pool is not null then taken := jsonb_set(taken, array[r.pool], to_jsonb(coalesce((taken ->> r.pool)::int, 0) + 1)); end if;
      if r.pool_group is not null then
        taken := jsonb_set(taken, array[r.pool_group], to_jsonb(coalesce((taken ->> r.pool_group)::int, 0) + 1));
      end if;
    end if;
    return next;
  end loop;
  setting := set_config('svc.moved', 'by the ledger', true); -- of this statement alone; an error takes it back by itself
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
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
#variable_conflict use_column
declare accounts bigint[]; left_over bigint[]; unmoved int; unknown_keys int; setting text;
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
CREATE FUNCTION public.ledger_settle(_account bigint[], _held bigint[], _cost bigint[], _key_account bigint[], _key bigint[], _key_held bigint[], _key_cost bigint[], _call public.settled_call[]) RETURNS bigint[]
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
#variable_conflict use_column
declare left_over bigint[]; budgets int; holds int; setting text;
begin
  -- A charge is durable also where the server doesn't usually wait for the disk. Set for the transaction: the function ends before the commit.
  if current_setting('synchronous_commit') = 'off' then setting := set_config('synchronous_commit', 'on', true); end if;
  setting := set_config('svc.moved', 'by the ledger', true);
  with balances as (
    update balance b set available = b.available + t.held - t.cost, reserved = b.reserved - t.held, spent = b.spent + t.cost
    from unnest(_account, _held, _cost) t(account_id, held, cost) where b.account_id = t.account_id
    returning b.account_id, b.available + b.reserved as balance
  ), budgets as (
    update key_budget k set spent = k.spent + t.cost, reserved = k.reserved - t.held
    from unnest(_key_account, _key, _key_held, _key_cost) t(account_id, key_id, held, cost)
    where k.key_id = t.key_id and k.account_id = t.account_id returning 1
  ), ended as (
    delete from hold h using unnest(_call) c
    where h.account_id = c.account_id and h.id = c.id and h.amount = c.reserved and h.key_id is not distinct from c.key_id returning 1
  ), logged as (
    insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, alias, served_model, status, http_status,
        error_code, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices,
        attempts, stream, fallback_layer, latency_ms, first_byte_ms, model_type, error_message, units, unit, expense,
        cache_write_1h_tokens)
      select account_id, created_at, id, request_id, key_id, operation, model, alias, served_model, status, http_status,
        error_code, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices,
        attempts, stream, fallback_layer, latency_ms, first_byte_ms, model_type, error_message, units, unit, expense,
        cache_write_1h_tokens from unnest(_call)
  )
  select array_agg(balance order by account_id), (select count(*) from budgets), (select count(*) from ended)
    into left_over, budgets, holds from balances;
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
  if coalesce(cardinality(left_over), 0) <> cardinality(_account) or budgets <> cardinality(_key) or holds <> cardinality(_call) then
    raise exception 'a hold, a balance or a budget is not what the batch says' using errcode = 'no_data_found';
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
  if not pg_try_advisory_xact_lock(7322001) then return query select unnest(_account); return; end if; -- another one sweeps
  _account := array(select lock_balances(_account, _waits));
  delete from hold h where h.account_id = any(_account)
    and (h.account_id, h.id) in (select s.account_id, s.id from ledger_sweepable(_dead_after) s);
  return query select unnest(_account);
end $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
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
declare available bigint; key_left bigint;
begin
  select b.available into available from balance b where b.account_id = _job.account_id;
  if available < 0 or available < _job.estimated then return 'balance'; end if;
  select k.limit_amount - k.spent - k.reserved into key_left from key_budget k where k.account_id = _job.account_id and k.key_id = _job.key_id;
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
CREATE FUNCTION public.media_promote(_account bigint, _tiers jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare limits jsonb; job media_job; images int; videos int; is_free boolean; refused text;
begin
  if not exists (select 1 from media_job j where j.account_id = _account and j.status = 'queued') then return; end if;
  select media_limits(_tiers, b.purchased) into limits from balance b where b.account_id = _account;
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
  old media_job; limits jsonb; pool text; active int; waiting int; purchased bigint;
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
  select b.purchased, b.available, b.reserved into purchased, available, reserved from balance b where b.account_id = job.account_id;
  select k.limit_amount - k.spent - k.reserved into key_left from key_budget k where k.account_id = job.account_id and k.key_id = job.key_id;
  limits := media_limits(_tiers, purchased);
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
  ) c join balance b on b.account_id = c.account_id, lateral media_limits(_tiers, b.purchased) l(limits)
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
  insert into key_budget (account_id, key_id) values (new.account_id, new.id);
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
    -- A minute that ended while we waited is no longer the one to take from, and we hold its rows: a process that makes the next one's rows
    -- waits for them. The caller repeats, without any lock.
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
  if cardinality(found) is distinct from places then -- some named window is gone
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
    else -- the wait is for all of them
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
CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception '% on % is refused: %', lower(tg_op), tg_table_name, tg_argv[0] using errcode = 'restrict_violation';
end $$;
CREATE AGGREGATE public.entry_hashes(_before bytea, _text text) (
    SFUNC = public.next_entry_hash,
    STYPE = bytea
);
CREATE TABLE public.account (
    id bigint NOT NULL,
    email text NOT NULL,
    email_norm text NOT NULL,
    email_verified_at timestamp with time zone,
    suspended_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    user_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text,
    password_hash text,
    CONSTRAINT account_email_check CHECK ((email <> ''::text)),
    CONSTRAINT account_email_norm_check CHECK ((email_norm = lower(email_norm))),
    CONSTRAINT account_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
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
    CONSTRAINT api_key_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT api_key_last4_check CHECK ((length(last4) = 4)),
    CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT api_key_prefix_check CHECK ((length(prefix) <= 12))
);
ALTER TABLE public.api_key ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.api_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
CREATE TABLE public.commit_proof (
    replica uuid NOT NULL,
    count bigint NOT NULL,
    at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
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
CREATE TABLE public.key_budget (
    account_id bigint NOT NULL,
    key_id bigint NOT NULL,
    limit_amount bigint,
    spent bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    CONSTRAINT key_budget_limit_amount_check CHECK ((limit_amount >= 0)),
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
CREATE TABLE public.session (
    hash bytea NOT NULL,
    account_id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT session_hash_check CHECK ((length(hash) = 32))
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
    CONSTRAINT topup_amount_check CHECK ((amount > 0)),
    CONSTRAINT topup_check CHECK (((status = 'pending'::text) = (completed_at IS NULL))),
    CONSTRAINT topup_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'expired'::text])))
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
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2026_10 FOR VALUES FROM ('2026-10-01 00:00:00+00') TO ('2026-11-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2027_01 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-02-01 00:00:00+00');
ALTER TABLE ONLY public.usage_log ATTACH PARTITION public.usage_log_2027_02 FOR VALUES FROM ('2027-02-01 00:00:00+00') TO ('2027-03-01 00:00:00+00');
INSERT INTO public.account OVERRIDING SYSTEM VALUE VALUES
	(1, 'golden@example.com', 'golden@example.com', '2026-11-26 21:18:13.405+00', NULL, '2026-11-26 21:18:13.405+00', 'a78a6b4f-e3a1-498d-94ce-9e80aeaf0768', NULL, NULL),
	(2, 'second@example.com', 'second@example.com', '2026-11-26 21:18:14.023+00', NULL, '2026-11-26 21:18:14.023+00', '99d6f489-dcaa-485f-abc9-926e5ff90ec4', NULL, NULL),
	(3, 'poor@example.com', 'poor@example.com', NULL, '2026-11-26 21:19:23.599+00', '2026-11-26 21:18:14.487+00', '8e0d4117-bc8d-440f-b571-0efa6ab932ba', NULL, NULL);
INSERT INTO public.api_key OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '\x5b93fd0d48851694655f19c7896c0ad8ec04984b3f5bca8a35ba9cfbc94f2c18', 'svc_gCST', '3Hso', 'Default', true, true, '2026-11-26 21:18:13.405+00', NULL, NULL),
	(2, 2, '\x80e041473c4c4680dc953d897b4fef1a6bbafd5d9355fcdc5a08340f06cf69eb', 'svc_j3Ey', 'C0ch', 'Default', true, true, '2026-11-26 21:18:14.023+00', NULL, NULL),
	(3, 3, '\x5190e79dcfd40abcf1b6864fdacb95591c86446f2e0d720d2ae83dce17747d51', 'svc_QVQq', 'n8Ck', 'Default', true, true, '2026-11-26 21:18:14.487+00', NULL, NULL),
	(4, 2, '\x438e1290e2f215642632db8da80a9a74ecc5ec58f5e8ab58f38462e981f27bf1', 'svc_KsUV', 'TxKd', 'laptop', false, true, '2026-11-26 21:18:54.739+00', NULL, NULL);
INSERT INTO public.balance VALUES
	(3, 0, 0, 0, 0, 0),
	(1, 1606573800, 6600, 1850000000, 52700000, 8119600),
	(2, 499918680, 6600, 500000000, 50019680, 50094400);
INSERT INTO public.commit_proof VALUES
	('0872e520-7286-4405-9ed2-2303ae2abb79', 12, '2026-11-26 21:19:22.501349+00');
INSERT INTO public.hold VALUES
	(1, '01a219ba-2bf1-7316-aa98-3e11973bed69', 3300, '0872e520-7286-4405-9ed2-2303ae2abb79', '2026-11-26 21:21:21.093929+00', 1, NULL, NULL),
	(1, '01a219ba-2c01-7186-a494-2587bd5120b9', 3300, '0872e520-7286-4405-9ed2-2303ae2abb79', '2026-11-26 21:21:21.102165+00', 1, NULL, NULL),
	(2, '01a219ba-2c24-7431-85ab-5aa2bb4320a7', 3300, '0872e520-7286-4405-9ed2-2303ae2abb79', '2026-11-26 21:21:21.126715+00', 4, NULL, NULL),
	(2, '01a219ba-2c2e-7657-92ab-422a5130c8ec', 3300, '0872e520-7286-4405-9ed2-2303ae2abb79', '2026-11-26 21:21:21.134624+00', 4, NULL, NULL);
INSERT INTO public.key_budget VALUES
	(3, 3, NULL, 0, 0),
	(2, 2, NULL, 50074720, 0),
	(1, 1, NULL, 5419600, 288006600),
	(2, 4, 200000000, 0, 6600);
INSERT INTO public.ledger_entry VALUES
	(1, '2026-11-26 21:18:13.405+00', '01a219b9-239d-7642-98ae-a2dd82181150', 'signup_credit', 50000000, 'cli', NULL, 1, 50000000, '\xf8d24e5a3a8ae4c9147672de2aaa7a1d138698e9823fdbfdd002935b84a468f1', NULL, NULL),
	(1, '2026-11-26 21:18:13.405+00', '01a219b9-239d-7643-b42b-a1747cc980e4', 'deposit', 2000000000, 'cli', NULL, 2, 2050000000, '\xa497d2701495b4b42212410be649a5ca143d677b44aa6734c9c6f2dce374b254', NULL, NULL),
	(2, '2026-11-26 21:18:14.023+00', '01a219b9-2607-7275-926e-a5da9574faa6', 'deposit', 500000000, 'cli', NULL, 1, 500000000, '\x0b886d66e8f664fd86313643719e18452a898d75f8bde6e545706beb0ba117a8', NULL, NULL),
	(1, '2026-11-26 21:18:50.67+00', '01a219b9-b583-71fb-9a08-674c4e49ea2a', 'usage', -1500, 'req_51e58a9f59354726ac418c2f610a2242', 1, 3, 2049998500, '\x483a963d39dc51eb967b100331ef0f9204dab79bf2f48901a642a68114c89321', NULL, NULL),
	(1, '2026-11-26 21:18:50.915+00', '01a219b9-b624-75c0-8a85-890f72cd7080', 'usage', -1500, 'req_b96a641dc162421f8b7dfbdfd82f1cc2', 1, 4, 2049997000, '\xac2f2e34c8c7fe6099e5a54e79e2439c37fbb0b3cb8e5ba03f1550055e98cbd6', NULL, NULL),
	(1, '2026-11-26 21:18:51.025+00', '01a219b9-b692-7387-a711-f067dcf88836', 'usage', -1540, 'req_671ebb5385c24a9a80da5b4089560928', 1, 5, 2049995460, '\x39951b51d8e10747b907ab6e819da367e5d758b72f4b489ccda26c44f171fb1a', NULL, NULL),
	(1, '2026-11-26 21:18:51.172+00', '01a219b9-b724-765d-b02b-38d0cf674485', 'usage', -1460, 'req_84e0f1b56c0d4a35ae55ad00aa847b15', 1, 6, 2049994000, '\xeb7b67a948d6cee205fd7f330aa65130022e0997371f6a8cd59169c70e7d5251', NULL, NULL),
	(1, '2026-11-26 21:18:51.218+00', '01a219b9-b753-702a-a034-bc87aaf12aea', 'usage', -1580, 'req_209c53238f53425c83c9b42c8eb703c6', 1, 7, 2049992420, '\xed6c6f6e8dee9ea34c50cf9eeafb0fdfdb040cb3a7daf6ffae887e25eec87a28', NULL, NULL),
	(1, '2026-11-26 21:18:51.265+00', '01a219b9-b782-7623-a30f-c9f6d79d4328', 'usage', -2380, 'req_386916d72466462c9507016abf532807', 1, 8, 2049990040, '\xcebdb62de5018a710227f15071baee5eed4323ddb17798733d8ba6bb1bf51931', NULL, NULL),
	(1, '2026-11-26 21:18:51.323+00', '01a219b9-b7bc-7439-bcb1-dd86870ed4c0', 'usage', -2140, 'req_0af10859071c499e92aa0260c632b84d', 1, 9, 2049987900, '\x5a83739b6014996bcf6f7de9788c4df2fbad2aba348405d10262a3e881d8ca13', NULL, NULL),
	(1, '2026-11-26 21:18:51.379+00', '01a219b9-b7f4-7449-bc88-de8633082e63', 'usage', -1780, 'req_b599e7c063a6409ea33998f4d9718cd9', 1, 10, 2049986120, '\xdb4bc3d29a774c76111eda310962d11eddbbb4fddd1e71dbfe9ad484f13cf895', NULL, NULL),
	(1, '2026-11-26 21:18:51.428+00', '01a219b9-b825-74ee-92c6-8f31a1add73f', 'usage', -1500, 'req_365d0810bf5d408c8197076a98ce41c3', 1, 11, 2049984620, '\xdaebf5cd98191c988ce9dd78ad9679477289cb0d0e613d529ce041bee75a89cf', NULL, NULL),
	(1, '2026-11-26 21:18:51.548+00', '01a219b9-b89d-7406-9d09-ecfe54623a3b', 'usage', -1380, 'req_a0044c57744d4f27a89688f979dbb2cb', 1, 12, 2049983240, '\xb1c15f9a82d319a6ddbad881d945dca9ee94cc3e604d491d9dc5be0d8999699f', NULL, NULL),
	(1, '2026-11-26 21:18:51.607+00', '01a219b9-b8d8-70c5-a6ab-481e6eb7c39e', 'usage', -1700, 'req_e7f8d668fb6042ea88321fd886c32939', 1, 13, 2049981540, '\xf852a1f94298d471a66751ca4c0888a501a5c1ba40f0e1b0d246629f774ea335', NULL, NULL),
	(1, '2026-11-26 21:18:51.654+00', '01a219b9-b907-7309-b92e-f3bdfc9047cd', 'usage', -1140, 'req_5cc4a9deff9842c5afc1c3ac282eed7d', 1, 14, 2049980400, '\x24c4af4972e9283236ff2a9f222a2cb25ca100238032fc00c29cfad05c5dbb54', NULL, NULL),
	(2, '2026-11-26 21:18:51.705+00', '01a219b9-b93c-74f2-ad56-dcd7d4250ef3', 'usage', -14880, 'req_42e61cc366794b559bf84f7f76a9e1c7', 2, 2, 499985120, '\x274164b2dca0f837cdb3f3f47a5dbce8b101985020cce0b0d1f13dbcf5d99c45', NULL, NULL),
	(2, '2026-11-26 21:18:51.747+00', '01a219b9-b964-77e3-b500-c64ff049d4a2', 'usage', -16480, 'req_1aeaf57188ac459ba1759f084c1850dd', 2, 3, 499968640, '\xd430bcc28116617f1149be3adb0d4654479cac8b071e04d037f31934b1b8e380', NULL, NULL),
	(2, '2026-11-26 21:18:51.778+00', '01a219b9-b982-756c-a8e9-a6b102c712a7', 'usage', -16880, 'req_baf897c4a59645c5beb897ca02e56414', 2, 4, 499951760, '\x10344cbb23c1eb7f9c539c52b5f1ec3451f2dfa369bc0278ad275862ab068081', NULL, NULL),
	(2, '2026-11-26 21:18:51.819+00', '01a219b9-b9ac-7106-b065-a466f87ebb58', 'usage', -26480, 'req_787584ccedb24f309931e696bd8b5f95', 2, 5, 499925280, '\x56b05daf00cf98b95b9bcffe0c64a7e06763f2cfde13224de2897f0386be8236', NULL, NULL),
	(2, '2026-11-26 21:18:51.912+00', '01a219b9-ba09-72fe-9b25-15d945e67064', 'usage', -19680, 'req_d1d9b493a7a54384829685ec3f271b2d', 2, 6, 499905600, '\xf192105598c80b641a17b1818bfa0adc61d47fb178f62d14da986b90ce35ced8', NULL, NULL),
	(2, '2026-11-26 21:18:52.53+00', '01a219b9-ba09-72fe-9b25-15d945e67064', 'refund', 19680, 'req_d1d9b493a7a54384829685ec3f271b2d', 2, 7, 499925280, '\xfc20bd8e9adee40011424f417cee3c19136b14c20e7ae94dfe1337200f6ab8a8', 6, 'A wrong answer'),
	(1, '2026-11-26 21:18:53.134+00', '01a219b9-bece-75cf-8c66-0a28f4553d97', 'adjustment', -150000000, 'cli', NULL, 15, 1899980400, '\x1f49581634e015c2a9593abc87f03734de5e16f76fd3c650871a0653ff0653f8', NULL, 'Counted twice'),
	(2, '2026-11-26 21:18:53.818+00', '01a219b9-c17a-7360-b2fb-0c3071342b78', 'bonus', 50000000, 'cli', NULL, 8, 549925280, '\xc5423c099393f4e17ee822c69cb11324921951de063024b2e5b508c6824a2418', NULL, NULL),
	(1, '2026-11-26 21:18:55.413682+00', '01a219b9-c7af-764e-9b2c-9c556c867cba', 'hold', -2700000, 'job_01a219b9c7af764e9b2c9c556c867cba', 1, 16, 1897280400, '\x9a46198011605d5087ded640f920c5bef865dc5f1a6b5cd7cfc30a2973e49310', NULL, NULL),
	(1, '2026-11-26 21:18:55.565695+00', '01a219b9-c83d-730a-8b93-ddb0e52b2f53', 'hold', -2700000, 'job_01a219b9c83d730a8b93ddb0e52b2f53', 1, 17, 1894580400, '\xa1214c5012d487ac64504a2549b4bcfeb4af7226a8872c37634341b23a502d59', NULL, NULL),
	(1, '2026-11-26 21:18:55.609+00', '01a219b9-c7af-764e-9b2c-9c556c867cba', 'hold_settle', 2700000, 'job_01a219b9c7af764e9b2c9c556c867cba', 1, 18, 1897280400, '\xbcb3d0fdf61684ea6e207f4b486767c6ff710b419186387163fa77754c572fe0', NULL, NULL),
	(1, '2026-11-26 21:18:55.609+00', '01a219b9-c7af-764e-9b2c-9c556c867cba', 'usage', -2700000, 'req_edc08c6a9bee45e0b6244d4c4d96a9ee', 1, 19, 1894580400, '\x7b12a846f3bcfdf51f7080930e480c698906a0ae9ea9776330b799d705e42fa0', NULL, NULL),
	(1, '2026-11-26 21:18:55.648959+00', '01a219b9-c89f-73fb-be1a-991ad72fff7f', 'hold', -2700000, 'job_01a219b9c89f73fbbe1a991ad72fff7f', 1, 20, 1891880400, '\x6a12bd347e76a6ba6d2de8bf86c66fd96563e52191ea4bb2c779b98418022bf8', NULL, NULL),
	(2, '2026-11-26 21:18:55.710739+00', '01a219b9-c8dc-736f-a97c-33d37f8d0ceb', 'hold', -50000000, 'vid_01a219b9c8dc736fa97c33d37f8d0ceb', 2, 9, 499925280, '\xfb18d5636dcbf3f324811ee3acf02257a59cf6561fe0c36f93fed64ecfaf9387', NULL, NULL),
	(1, '2026-11-26 21:18:56.099+00', '01a219b9-c83d-730a-8b93-ddb0e52b2f53', 'hold_settle', 2700000, 'job_01a219b9c83d730a8b93ddb0e52b2f53', 1, 21, 1894580400, '\xc5733ad39076fff107f05ccf085efa0ac813da549e06fb3e27f8e84a5f7faff5', NULL, NULL),
	(1, '2026-11-26 21:18:56.099+00', '01a219b9-c83d-730a-8b93-ddb0e52b2f53', 'usage', -2700000, 'req_06390d90b22848a49b967268cd94900a', 1, 22, 1891880400, '\xb1b8616b496cc7f34deef8b64caf8e6d31574cfb9e53f01f70dde7da9550483a', NULL, NULL),
	(1, '2026-11-26 21:18:56.132+00', '01a219b9-c89f-73fb-be1a-991ad72fff7f', 'hold_settle', 2700000, 'job_01a219b9c89f73fbbe1a991ad72fff7f', 1, 23, 1894580400, '\xaacc11588d63b9a2d948865bb803a63243b7f5c61e8e351bf07dae6337263aa0', NULL, NULL),
	(1, '2026-11-26 21:18:56.132+00', '01a219b9-c89f-73fb-be1a-991ad72fff7f', 'usage', -2700000, 'req_1c9917173cea4c9c8facdd0237c8627b', 1, 24, 1891880400, '\xe17168e451fdd4e72b6f1abc903524a6ada7f2a8b3dd9a2fbaa1d57ca0a0569a', NULL, NULL),
	(2, '2026-11-26 21:18:56.986+00', '01a219b9-c8dc-736f-a97c-33d37f8d0ceb', 'hold_settle', 50000000, 'vid_01a219b9c8dc736fa97c33d37f8d0ceb', 2, 10, 549925280, '\x697f0fe086eaf779f474d8c8542e44e10173302d0d15b6f3c6cfab18a142f736', NULL, NULL),
	(2, '2026-11-26 21:18:56.986+00', '01a219b9-c8dc-736f-a97c-33d37f8d0ceb', 'usage', -50000000, 'req_618dfdb94c724b9e951f621bd035ce06', 2, 11, 499925280, '\x48aac4577a803aebb6d04c3b1c972cb163918adfe4485f5a15c925b4949a1b6c', NULL, NULL),
	(1, '2026-11-26 21:19:21.005898+00', '01a219b9-c7af-764e-9b2c-9c556c867cba', 'refund', 2700000, 'job_01a219b9c7af764e9b2c9c556c867cba', 1, 25, 1894580400, '\xb0cb4e75b05fc29c8a05d19cf58e9e02be8d445942bc33f671b4b0285e4b9c4d', 19, NULL),
	(1, '2026-11-26 21:19:21.042824+00', '01a219ba-2bd0-7220-a089-1f98cc20235c', 'hold', -288000000, 'vid_01a219ba2bd07220a0891f98cc20235c', 1, 26, 1606580400, '\x02575a623e464d6e9d6a4fb3f206f2a4cbbe15ba5815699e7f323ee7286a3958', NULL, NULL);
INSERT INTO public.media_job OVERRIDING SYSTEM VALUE VALUES
	('01a219b9-c83d-730a-8b93-ddb0e52b2f53', 1, 1, 'image', 'image', 'job_01a219b9c83d730a8b93ddb0e52b2f53', 'succeeded', 2, NULL, 'req_06390d90b22848a49b967268cd94900a', 'createImage', 202, 'pixa/standard', NULL, NULL, '{"each": "27000000000", "unit": "image", "model": "pixa/standard"}', '36b6f53f21acd000ddc52b23f4f2e239', 2700000, 2700000, NULL, '{"files": [{"name": "1bd0b15fec96b0f423edc03614fbea97ebb658d79ee856159d26d0518118e86a.png", "width": 1024, "height": 1024, "content_type": "image/png"}]}', NULL, NULL, NULL, '[{"layer": 0, "model": "pixa/standard", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 4, "response_id": "82497776-83aa-4ea9-9a51-af18a440db78"}]', 'studio/pixa/standard', '2026-11-26 21:18:55.59194+00', '{"id": "82497776-83aa-4ea9-9a51-af18a440db78", "cancelUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/82497776-83aa-4ea9-9a51-af18a440db78/cancel", "statusUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/82497776-83aa-4ea9-9a51-af18a440db78/status", "responseUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/82497776-83aa-4ea9-9a51-af18a440db78"}', NULL, NULL, NULL, '2026-11-26 21:18:55.565+00', '2026-11-26 21:18:55.570945+00', '2026-11-26 21:18:56.099+00'),
	('01a219b9-c7af-764e-9b2c-9c556c867cba', 1, 1, 'image', 'image', 'job_01a219b9c7af764e9b2c9c556c867cba', 'refunded', 1, NULL, 'req_edc08c6a9bee45e0b6244d4c4d96a9ee', 'createImage', 202, 'pixa/standard', NULL, NULL, '{"each": "27000000000", "unit": "image", "model": "pixa/standard"}', '71b801fdf143c044c7734306ed611a79', 2700000, 0, 2700000, '{"files": [{"name": "148ed42fe7e0cc46d5bcc7234b7521996d9dd2451a9a3b8d057c34ef68831bb3.png", "width": 1024, "height": 1024, "content_type": "image/png"}]}', NULL, NULL, NULL, '[{"layer": 0, "model": "pixa/standard", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 47, "response_id": "11548c2f-b126-4759-98ba-34bd281c541e"}]', 'studio/pixa/standard', '2026-11-26 21:18:55.43663+00', '{"id": "11548c2f-b126-4759-98ba-34bd281c541e", "cancelUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/11548c2f-b126-4759-98ba-34bd281c541e/cancel", "statusUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/11548c2f-b126-4759-98ba-34bd281c541e/status", "responseUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/11548c2f-b126-4759-98ba-34bd281c541e"}', NULL, NULL, NULL, '2026-11-26 21:18:55.413+00', '2026-11-26 21:18:55.420445+00', '2026-11-26 21:18:55.609+00'),
	('01a219b9-c89f-73fb-be1a-991ad72fff7f', 1, 1, 'image', 'image', 'job_01a219b9c89f73fbbe1a991ad72fff7f', 'succeeded', 3, NULL, 'req_1c9917173cea4c9c8facdd0237c8627b', 'createImage', 202, 'pixa/standard', NULL, NULL, '{"each": "27000000000", "unit": "image", "model": "pixa/standard"}', 'd12d84634ab0d689f4bdb69f05a9a887', 2700000, 2700000, NULL, '{"files": [{"name": "cd2f11d65f4638fa3d4d8d2a9646c004deb81096cd841cc65a1a4faf830cab5c.png", "width": 1024, "height": 1024, "content_type": "image/png"}]}', NULL, NULL, NULL, '[{"layer": 0, "model": "pixa/standard", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 10, "response_id": "c0ba7a6f-c4ba-4c20-a015-febc8971db09"}]', 'studio/pixa/standard', '2026-11-26 21:18:55.657237+00', '{"id": "c0ba7a6f-c4ba-4c20-a015-febc8971db09", "cancelUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/c0ba7a6f-c4ba-4c20-a015-febc8971db09/cancel", "statusUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/c0ba7a6f-c4ba-4c20-a015-febc8971db09/status", "responseUrl": "http://127.0.0.1:42881/fal/pixa/standard/requests/c0ba7a6f-c4ba-4c20-a015-febc8971db09"}', NULL, NULL, NULL, '2026-11-26 21:18:55.648+00', '2026-11-26 21:18:55.649524+00', '2026-11-26 21:18:56.132+00'),
	('01a219ba-2bd0-7220-a089-1f98cc20235c', 1, 1, 'video', 'video', 'vid_01a219ba2bd07220a0891f98cc20235c', 'processing', 5, NULL, 'req_7773c282e0ba44d48c7a02b6296a9ede', 'createVideo', 202, 'tide/video-sound', NULL, '{"kind": "video", "order": {"extra": {}, "aspect": null, "prompt": "a tree", "seconds": 8, "firstFrame": null, "soundTrack": null}}', '{"each": "360000000000", "unit": "second", "model": "tide/video-sound"}', '7fe41378718a4c2f8dc0c146d4ca2a7e', 288000000, NULL, NULL, NULL, NULL, NULL, NULL, '[{"layer": 0, "model": "tide/video-sound", "route": "studio/tide/video-sound+sim-job-hang", "status": 200, "outcome": "ok", "latency_ms": 12, "response_id": "1ae76599-338c-415d-b301-0cf322c474fa"}]', 'studio/tide/video-sound+sim-job-hang', '2026-11-26 21:19:21.047444+00', '{"id": "1ae76599-338c-415d-b301-0cf322c474fa", "cancelUrl": "http://127.0.0.1:42881/fal/tide/video-sound/requests/1ae76599-338c-415d-b301-0cf322c474fa/cancel", "statusUrl": "http://127.0.0.1:42881/fal/tide/video-sound/requests/1ae76599-338c-415d-b301-0cf322c474fa/status", "responseUrl": "http://127.0.0.1:42881/fal/tide/video-sound/requests/1ae76599-338c-415d-b301-0cf322c474fa"}', '66a08c54-8a2f-4526-8dba-c77d646ec207', '2026-11-26 21:19:32.564647+00', NULL, '2026-11-26 21:19:21.042+00', '2026-11-26 21:19:21.043849+00', NULL),
	('01a219b9-c8dc-736f-a97c-33d37f8d0ceb', 2, 2, 'video', 'video', 'vid_01a219b9c8dc736fa97c33d37f8d0ceb', 'succeeded', 4, NULL, 'req_618dfdb94c724b9e951f621bd035ce06', 'createVideo', 202, 'tide/video', NULL, NULL, '{"each": "100000000000", "unit": "second", "model": "tide/video"}', '26a02ba01158fc51406829f0c162c173', 50000000, 50000000, NULL, '{"files": [{"fps": 24, "name": "eb8157f5da0ec1e1050042f78527451f08165508367ddfc7e58324787fe44a8a.mp4", "width": 1280, "height": 720, "duration_s": 5, "content_type": "video/mp4"}]}', NULL, NULL, NULL, '[{"layer": 0, "model": "tide/video", "route": "studio/tide/video", "status": 200, "outcome": "ok", "latency_ms": 5, "response_id": "94386015-a917-438c-a9f1-612b89294c54"}]', 'studio/tide/video', '2026-11-26 21:18:55.715709+00', '{"id": "94386015-a917-438c-a9f1-612b89294c54", "cancelUrl": "http://127.0.0.1:42881/fal/tide/video/requests/94386015-a917-438c-a9f1-612b89294c54/cancel", "statusUrl": "http://127.0.0.1:42881/fal/tide/video/requests/94386015-a917-438c-a9f1-612b89294c54/status", "responseUrl": "http://127.0.0.1:42881/fal/tide/video/requests/94386015-a917-438c-a9f1-612b89294c54"}', NULL, NULL, NULL, '2026-11-26 21:18:55.71+00', '2026-11-26 21:18:55.711391+00', '2026-11-26 21:18:56.986+00');
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
INSERT INTO public.rate_window VALUES
	(0, 'public:127.0.0.1', '2026-11-26 21:18:00+00', 60, 1),
	(1, 'tpm', '2026-11-26 21:18:00+00', 60, 544),
	(1, 'day', '2026-11-26 00:00:00+00', 86400, 18),
	(1, 'tpm', '2026-11-26 21:19:00+00', 60, 414),
	(1, 'rpm', '2026-11-26 21:19:00+00', 60, 3),
	(1, 'rpm:north/chat-nano', '2026-11-26 21:19:00+00', 60, 2),
	(2, 'rpm:tide/video-sound', '2026-11-26 21:19:00+00', 60, 0),
	(2, 'day', '2026-11-26 00:00:00+00', 86400, 8),
	(2, 'rpm', '2026-11-26 21:19:00+00', 60, 2),
	(2, 'rpm:north/chat-nano', '2026-11-26 21:19:00+00', 60, 2),
	(2, 'tpm', '2026-11-26 21:19:00+00', 60, 414),
	(2, 'rpm:harbor/chat-swift', '2026-11-26 21:18:00+00', 60, 5),
	(2, 'tpm', '2026-11-26 21:18:00+00', 60, 260),
	(1, 'rpm', '2026-11-26 21:18:00+00', 60, 15),
	(1, 'rpm:pixa/standard', '2026-11-26 21:18:00+00', 60, 3),
	(2, 'rpm', '2026-11-26 21:18:00+00', 60, 6),
	(2, 'rpm:tide/video', '2026-11-26 21:18:00+00', 60, 1),
	(1, 'rpm:tide/video-sound', '2026-11-26 21:19:00+00', 60, 1),
	(1, 'rpm:north/chat-small', '2026-11-26 21:18:00+00', 60, 12);
INSERT INTO public.replica VALUES
	('0872e520-7286-4405-9ed2-2303ae2abb79', '2026-11-26 21:19:22.497355+00');
INSERT INTO public.schema_function VALUES
	('admit_calls', '74a2409d8c87b6f74a22620daaf5858fa81cce786cc0310b2105843cf7e1d0a8', 11),
	('announce_account', '07d3eabb36d09e0f44efcb487e97b55b1dad20816e1c678eff7c949a95857c92', 11),
	('announce_api_key', 'e4b0890493eb8003c60159e34e70039881a41b58ed0e577cf53206749352d736', 11),
	('apply_ended_holds', 'ba832849341b7391ddfca1f433d91217c3cb49c701ce0de327d11af588e2e51a', 11),
	('apply_entries', '3b96116dfb28672b7a89686da70fa6e47112ffef6cb91a823b312491463ef80a', 11),
	('apply_new_holds', '26af7a099744d041623a95dacede6103e67772ebd77ccdbdf2ddd3c8d7551d62', 11),
	('balance_starts_empty', 'c373aacc33081f692ad2f4e16331dfb123dc209e0c75dafefab3353fda5cec7b', 11),
	('chain_entry', 'a9b3a2a954abcc313ed10ea2dc88426600d9aab48768c640bea7b6a1afe9ef31', 11),
	('check_media_job_move', 'e9281950b409b08b7fe5e3fcb97dc25080c3fce8307dda3c43196c0759f0fb71', 11),
	('database_identity', '2265ed7bfa10036c592ad6251e396afe4ccbc6412385f7cbda875c2345c6ce42', 11),
	('drop_partitions', '8491af7effaa86cbcf0ef44e2414568a2ef2cd71739f9df736ecbca78ac4af99', 11),
	('ensure_log_statistics', '837538e6c090f5a762a08ac337b0488edb2061b1dbe313631fbe1115fd172fa5', 11),
	('ensure_partitions', 'ed56e5c4907c3b74ecefdc8166cd90583d7175070dc9eaf26f7baa0709f45c1a', 11),
	('entry_hashes', '1c7258d7abe167a5e0bbe5f7bc364336d85599ef3bd8c1000b123ab4ee85bb4a', 11),
	('idempotency_claim', '1db1933fc02deb548392a96a26ce62008bff7b784b8d8cf0ebac5f8856076de8', 11),
	('ledger_correct', 'b8ec39148633ab0b9cb82b0599a5f4214a195f2088f9fa2fd33c722e858ec283', 11),
	('ledger_raise', 'f353224a8e2da0208f8d9058fd6d2b878d8810eaedd5f07ae0f12c5241bc278a', 11),
	('ledger_refund', '00f050086498590f45aba17b46dd4623b18707a52214c88925dfae33e092a4a3', 11),
	('ledger_reserve', 'cea678dae7f17fb49f4bcef8da1849e0b5b560507faf0f35e0af698a7e2ef151', 11),
	('ledger_settle', '10b37be764619e310d1f8cd00d43e2da635ec35e9dde2dfc809e5187f1a2c252', 11),
	('ledger_sweep', '4e90f87e58aa48ad53d11f2cbb52bda42677c5b7efeca58baf152b037e11bb92', 11),
	('lock_balances', 'aff474d7d605c80664afed30bf5a3dae32a2d0504c5924bd324c8d3ca8141fa0', 11),
	('media_end', '7705921b5e6b2f9b40c3b91f47e0eb2118addc3bfb4de69edc22beee91d669ab', 11),
	('media_finish', '44e4f1d6e5c607aa66251540d628a6640bb2b9136061924fe01c8b20faf20fc0', 11),
	('media_hold', 'b62f971e03d1069ed45e74063272054ff1329377e092f527ced595cdecd4caf9', 11),
	('media_limits', '4e7b08dfbc5a6c4c5ce5999f1ceef7e1cc36fc94a714eba00f8fd3daafaa79bd', 11),
	('media_promote', 'a71b3adf04a26ea9bb6d85489f42d73d9257a6d4a4cf1a3f9a6fda03d3f4df75', 11),
	('media_refund', '91922614931036025375d8e93164653c165c1dd6cd96e771f8d3b83fd96b85e0', 11),
	('media_submit', '1ae1ffd89644fca82878393386d5ddd869f1da950631c6c3c2bac05acccbd703', 11),
	('media_tidy', '3347d9fe9f51fc6b5f34401ae3ff3ee5ad2fd88a19f7011c5cb0bc8655e366e2', 11),
	('media_untidy', 'c279bb718f6e26862ba15c858f08e1a1d3279416acbbbb8f641133dd273a34d8', 11),
	('open_balance', 'd9b2647d40450b47250105da5c734f8ffb982a950092864f8b41f1ecd5a02eab', 11),
	('open_key_budget', '3b69fc321e00c4514ccf66a5ec0162791a1e5b2c48e9d0a13304f654c179b394', 11),
	('prove_commit', 'ac5ec3033a9f176a1fc681cf443c16ecb13a7b8e171719dce11d3a20f6f851e5', 11),
	('rate_sweep', '373e18cd7d395a382bf76b6d9797f5c3ceb20c6e41a3aa869f9dce18bfe5ea8a', 11),
	('rate_take', 'b526ae80a0895d313cd09084e3cce0450870557dbf7107a915de336fb0258e3f', 11),
	('refuse_change', 'd9bc6abb0e4ee75ffdcad828c28428b56310eb871328ceca176ebaeffe2044c7', 11);
INSERT INTO public.schema_migration VALUES
	('0001-schema', '2026-11-26 21:17:59.418148+00'),
	('0002-settled-call', '2026-11-26 21:17:59.418148+00'),
	('0003-money-back', '2026-11-26 21:17:59.418148+00'),
	('0004-cache-writes-of-an-hour', '2026-11-26 21:17:59.418148+00'),
	('0005-expense', '2026-11-26 21:17:59.418148+00'),
	('0006-idempotency-keys', '2026-11-26 21:17:59.418148+00');
INSERT INTO public.session VALUES
	('\xbae15c7ba60738208cfd6437e996cc86569672ce7fb62375256b86293444f341', 1, '2026-11-26 21:18:55.357+00', '2026-11-26 21:18:55.357+00', '2026-12-26 21:18:55.357+00');
INSERT INTO public.signup_mailbox VALUES
	('golden@example.com', 1, '2026-11-26 21:18:13.405+00');
INSERT INTO public.usage_log_2026_11 VALUES
	(1, '2026-11-26 21:18:50.67+00', '01a219b9-b583-71fb-9a08-674c4e49ea2a', 'req_51e58a9f59354726ac418c2f610a2242', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 36, 0, false, 1500, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 67}]', false, NULL, 202, 201, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:50.915+00', '01a219b9-b624-75c0-8a85-890f72cd7080', 'req_b96a641dc162421f8b7dfbdfd82f1cc2', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 36, 0, false, 1500, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 7}]', false, NULL, 48, 48, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.025+00', '01a219b9-b692-7387-a711-f067dcf88836', 'req_671ebb5385c24a9a80da5b4089560928', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 37, 0, false, 1540, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 5}]', false, NULL, 18, 18, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.172+00', '01a219b9-b724-765d-b02b-38d0cf674485', 'req_84e0f1b56c0d4a35ae55ad00aa847b15', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 35, 0, false, 1460, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 5, 5, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.218+00', '01a219b9-b753-702a-a034-bc87aaf12aea', 'req_209c53238f53425c83c9b42c8eb703c6', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 38, 0, false, 1580, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 10}]', false, NULL, 15, 15, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.265+00', '01a219b9-b782-7623-a30f-c9f6d79d4328', 'req_386916d72466462c9507016abf532807', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 58, 0, false, 2380, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 15}]', false, NULL, 19, 19, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.323+00', '01a219b9-b7bc-7439-bcb1-dd86870ed4c0', 'req_0af10859071c499e92aa0260c632b84d', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 52, 0, false, 2140, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 13, 13, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.379+00', '01a219b9-b7f4-7449-bc88-de8633082e63', 'req_b599e7c063a6409ea33998f4d9718cd9', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 43, 0, false, 1780, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 13, 13, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.428+00', '01a219b9-b825-74ee-92c6-8f31a1add73f', 'req_365d0810bf5d408c8197076a98ce41c3', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 36, 0, false, 1500, 8270, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 4}]', false, NULL, 19, 19, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.548+00', '01a219b9-b89d-7406-9d09-ecfe54623a3b', 'req_a0044c57744d4f27a89688f979dbb2cb', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 33, 0, false, 1380, 8280, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 16, 16, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.607+00', '01a219b9-b8d8-70c5-a6ab-481e6eb7c39e', 'req_e7f8d668fb6042ea88321fd886c32939', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 41, 0, false, 1700, 8280, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 6}]', false, NULL, 14, 14, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:51.654+00', '01a219b9-b907-7309-b92e-f3bdfc9047cd', 'req_5cc4a9deff9842c5afc1c3ac282eed7d', 1, 'createChatCompletion', 'north/chat-small', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 27, 0, false, 1140, 8280, '{"input": "100000", "model": "north/chat-small", "cached": "25000", "output": "400000", "per_request": "0"}', '[{"model": "north/chat-small", "route": "meridian/chat-small", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.1, "cached": 0.025, "output": 0.4, "per_request": 0}, "latency_ms": 8}]', false, NULL, 12, 12, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(2, '2026-11-26 21:18:51.705+00', '01a219b9-b93c-74f2-ad56-dcd7d4250ef3', 'req_42e61cc366794b559bf84f7f76a9e1c7', 2, 'createChatCompletion', 'harbor/chat-swift', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 36, 0, false, 14880, 82160, '{"input": "800000", "model": "harbor/chat-swift", "cached": "80000", "output": "4000000", "per_request": "0"}', '[{"model": "harbor/chat-swift", "route": "backbone/chat-swift", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.8, "cached": 0.08, "output": 4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 16, 16, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(2, '2026-11-26 21:18:51.747+00', '01a219b9-b964-77e3-b500-c64ff049d4a2', 'req_1aeaf57188ac459ba1759f084c1850dd', 2, 'createChatCompletion', 'harbor/chat-swift', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 40, 0, false, 16480, 82160, '{"input": "800000", "model": "harbor/chat-swift", "cached": "80000", "output": "4000000", "per_request": "0"}', '[{"model": "harbor/chat-swift", "route": "backbone/chat-swift", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.8, "cached": 0.08, "output": 4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 5, 5, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(2, '2026-11-26 21:18:51.778+00', '01a219b9-b982-756c-a8e9-a6b102c712a7', 'req_baf897c4a59645c5beb897ca02e56414', 2, 'createChatCompletion', 'harbor/chat-swift', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 41, 0, false, 16880, 82160, '{"input": "800000", "model": "harbor/chat-swift", "cached": "80000", "output": "4000000", "per_request": "0"}', '[{"model": "harbor/chat-swift", "route": "backbone/chat-swift", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.8, "cached": 0.08, "output": 4, "per_request": 0}, "latency_ms": 1}]', false, NULL, 10, 10, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(2, '2026-11-26 21:18:51.819+00', '01a219b9-b9ac-7106-b065-a466f87ebb58', 'req_787584ccedb24f309931e696bd8b5f95', 2, 'createChatCompletion', 'harbor/chat-swift', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 65, 0, false, 26480, 82160, '{"input": "800000", "model": "harbor/chat-swift", "cached": "80000", "output": "4000000", "per_request": "0"}', '[{"model": "harbor/chat-swift", "route": "backbone/chat-swift", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.8, "cached": 0.08, "output": 4, "per_request": 0}, "latency_ms": 2}]', false, NULL, 59, 14, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(2, '2026-11-26 21:18:51.912+00', '01a219b9-ba09-72fe-9b25-15d945e67064', 'req_d1d9b493a7a54384829685ec3f271b2d', 2, 'createChatCompletion', 'harbor/chat-swift', NULL, NULL, 'success', 200, NULL, 6, 0, 0, 48, 0, false, 19680, 82160, '{"input": "800000", "model": "harbor/chat-swift", "cached": "80000", "output": "4000000", "per_request": "0"}', '[{"model": "harbor/chat-swift", "route": "backbone/chat-swift", "status": 200, "outcome": "ok", "cost_basis": {"input": 0.8, "cached": 0.08, "output": 4, "per_request": 0}, "latency_ms": 1}]', false, NULL, 5, 5, 'language', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-26 21:18:55.413+00', '01a219b9-c7af-764e-9b2c-9c556c867cba', 'req_edc08c6a9bee45e0b6244d4c4d96a9ee', 1, 'createImage', 'pixa/standard', NULL, NULL, 'success', 202, NULL, 0, 0, 0, 0, 0, false, 2700000, 2700000, '{"each": "27000000000", "unit": "image", "model": "pixa/standard"}', '[{"layer": 0, "model": "pixa/standard", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 47, "response_id": "11548c2f-b126-4759-98ba-34bd281c541e"}]', false, NULL, 196, NULL, 'image', NULL, 1, 'image', 'job_01a219b9c7af764e9b2c9c556c867cba', NULL, NULL),
	(1, '2026-11-26 21:18:55.565+00', '01a219b9-c83d-730a-8b93-ddb0e52b2f53', 'req_06390d90b22848a49b967268cd94900a', 1, 'createImage', 'pixa/standard', NULL, NULL, 'success', 202, NULL, 0, 0, 0, 0, 0, false, 2700000, 2700000, '{"each": "27000000000", "unit": "image", "model": "pixa/standard"}', '[{"layer": 0, "model": "pixa/standard", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 4, "response_id": "82497776-83aa-4ea9-9a51-af18a440db78"}]', false, NULL, 534, NULL, 'image', NULL, 1, 'image', 'job_01a219b9c83d730a8b93ddb0e52b2f53', NULL, NULL),
	(1, '2026-11-26 21:18:55.648+00', '01a219b9-c89f-73fb-be1a-991ad72fff7f', 'req_1c9917173cea4c9c8facdd0237c8627b', 1, 'createImage', 'pixa/standard', NULL, NULL, 'success', 202, NULL, 0, 0, 0, 0, 0, false, 2700000, 2700000, '{"each": "27000000000", "unit": "image", "model": "pixa/standard"}', '[{"layer": 0, "model": "pixa/standard", "route": "studio/pixa/standard", "status": 200, "outcome": "ok", "latency_ms": 10, "response_id": "c0ba7a6f-c4ba-4c20-a015-febc8971db09"}]', false, NULL, 484, NULL, 'image', NULL, 1, 'image', 'job_01a219b9c89f73fbbe1a991ad72fff7f', NULL, NULL),
	(2, '2026-11-26 21:18:55.71+00', '01a219b9-c8dc-736f-a97c-33d37f8d0ceb', 'req_618dfdb94c724b9e951f621bd035ce06', 2, 'createVideo', 'tide/video', NULL, NULL, 'success', 202, NULL, 0, 0, 0, 0, 0, false, 50000000, 50000000, '{"each": "100000000000", "unit": "second", "model": "tide/video"}', '[{"layer": 0, "model": "tide/video", "route": "studio/tide/video", "status": 200, "outcome": "ok", "latency_ms": 5, "response_id": "94386015-a917-438c-a9f1-612b89294c54"}]', false, NULL, 1276, NULL, 'video', NULL, 5, 'second', 'vid_01a219b9c8dc736fa97c33d37f8d0ceb', NULL, NULL);
SELECT pg_catalog.setval('public.account_id_seq', 3, true);
SELECT pg_catalog.setval('public.api_key_id_seq', 4, true);
SELECT pg_catalog.setval('public.media_job_seq_seq', 5, true);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_email_norm_key UNIQUE (email_norm);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_user_id_key UNIQUE (user_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.balance
    ADD CONSTRAINT balance_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.commit_proof
    ADD CONSTRAINT commit_proof_pkey PRIMARY KEY (replica);
ALTER TABLE public.ledger_entry
    ADD CONSTRAINT corrects_an_earlier_one CHECK ((corrects < seq)) NOT VALID;
ALTER TABLE ONLY public.hold
    ADD CONSTRAINT hold_pkey PRIMARY KEY (account_id, id);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (account_id, operation, key);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.key_budget
    ADD CONSTRAINT key_budget_pkey PRIMARY KEY (key_id);
ALTER TABLE public.ledger_entry
    ADD CONSTRAINT kind_decides_sign CHECK ((((kind = ANY (ARRAY['deposit'::text, 'signup_credit'::text, 'bonus'::text, 'refund'::text, 'hold_settle'::text, 'hold_release'::text])) AND (amount > 0)) OR ((kind = ANY (ARRAY['usage'::text, 'hold'::text, 'payment_refund'::text])) AND (amount < 0)) OR (kind = ANY (ARRAY['adjustment'::text, 'earned_adjustment'::text, 'dispute'::text])))) NOT VALID;
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (account_id, id, kind);
ALTER TABLE ONLY public.media_expense
    ADD CONSTRAINT media_expense_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.media_job_move
    ADD CONSTRAINT media_job_move_pkey PRIMARY KEY (from_status, to_status);
ALTER TABLE ONLY public.media_job
    ADD CONSTRAINT media_job_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_event
    ADD CONSTRAINT payment_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_reversal
    ADD CONSTRAINT payment_reversal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_window
    ADD CONSTRAINT rate_window_pkey PRIMARY KEY (account_id, bucket, starts_at);
ALTER TABLE public.ledger_entry
    ADD CONSTRAINT reason_is_one_line CHECK (((reason <> ''::text) AND (reason !~ '[\n\r]'::text))) NOT VALID;
ALTER TABLE ONLY public.replica
    ADD CONSTRAINT replica_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_function
    ADD CONSTRAINT schema_function_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.sign_in_flow
    ADD CONSTRAINT sign_in_flow_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.signup_mailbox
    ADD CONSTRAINT signup_mailbox_pkey PRIMARY KEY (mailbox);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_checkout_id_key UNIQUE (checkout_id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_payment_id_key UNIQUE (payment_id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.unapplied_event
    ADD CONSTRAINT unapplied_event_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.verification
    ADD CONSTRAINT verification_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.voice
    ADD CONSTRAINT voice_pkey PRIMARY KEY (voice_id);
CREATE INDEX api_key_masked ON public.api_key USING btree (account_id, prefix, last4);
CREATE INDEX api_key_newest ON public.api_key USING btree (account_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX api_key_one_default ON public.api_key USING btree (account_id) WHERE (is_default AND (deleted_at IS NULL));
CREATE INDEX hold_owner ON public.hold USING btree (owner);
CREATE INDEX hold_slots ON public.hold USING btree (account_id, pool) WHERE (pool IS NOT NULL);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (received_at);
CREATE INDEX idempotency_key_answers ON public.idempotency_key USING btree (account_id, received_at DESC) WHERE (body IS NOT NULL);
CREATE INDEX identity_of_account ON public.identity USING btree (account_id);
CREATE INDEX key_budget_of_account ON public.key_budget USING btree (account_id);
CREATE INDEX known_network_expires ON public.known_network USING btree (expires_at);
CREATE INDEX known_network_of_account ON public.known_network USING btree (account_id);
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
CREATE INDEX payment_reversal_of_topup ON public.payment_reversal USING btree (topup_id);
CREATE INDEX session_expires ON public.session USING btree (expires_at);
CREATE INDEX session_of_account ON public.session USING btree (account_id);
CREATE INDEX sign_in_flow_expires ON public.sign_in_flow USING btree (expires_at);
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
CREATE INDEX verification_expires ON public.verification USING btree (expires_at);
CREATE INDEX verification_of_account ON public.verification USING btree (account_id, purpose, created_at DESC);
CREATE INDEX voice_account ON public.voice USING btree (account_id, created_at);
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
CREATE TRIGGER account_announced AFTER UPDATE OF suspended_at, email_verified_at ON public.account FOR EACH ROW EXECUTE FUNCTION public.announce_account();
CREATE TRIGGER account_has_balance AFTER INSERT ON public.account FOR EACH ROW EXECUTE FUNCTION public.open_balance();
CREATE TRIGGER api_key_announced AFTER DELETE OR UPDATE OF enabled, deleted_at, hash ON public.api_key FOR EACH ROW EXECUTE FUNCTION public.announce_api_key();
CREATE TRIGGER balances_follow_entries BEFORE UPDATE ON public.balance FOR EACH STATEMENT WHEN (((pg_trigger_depth() < 1) AND (current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text))) EXECUTE FUNCTION public.refuse_change('a balance follows its entries and holds');
CREATE TRIGGER balances_start_empty BEFORE INSERT ON public.balance FOR EACH ROW EXECUTE FUNCTION public.balance_starts_empty();
CREATE TRIGGER balances_stay BEFORE DELETE OR TRUNCATE ON public.balance FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('an account keeps its balance row');
CREATE TRIGGER budgets_follow_entries BEFORE UPDATE OF account_id, key_id, spent, reserved ON public.key_budget FOR EACH STATEMENT WHEN (((pg_trigger_depth() < 1) AND (current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text))) EXECUTE FUNCTION public.refuse_change('a budget follows its entries and holds; set its limit alone');
CREATE TRIGGER budgets_start_with_their_key BEFORE INSERT ON public.key_budget FOR EACH STATEMENT WHEN ((pg_trigger_depth() < 1)) EXECUTE FUNCTION public.refuse_change('a budget is made with its key');
CREATE TRIGGER budgets_stay BEFORE DELETE OR TRUNCATE ON public.key_budget FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('a key keeps its budget');
CREATE TRIGGER entries_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('entries are append-only; correct with a new entry');
CREATE TRIGGER entries_are_chained BEFORE INSERT ON public.ledger_entry FOR EACH ROW WHEN ((current_setting('svc.chained'::text, true) IS DISTINCT FROM 'by ledger_settle'::text)) EXECUTE FUNCTION public.chain_entry();
CREATE TRIGGER entries_move_balances AFTER INSERT ON public.ledger_entry REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.apply_entries();
CREATE TRIGGER holds_end_one_by_one BEFORE TRUNCATE ON public.hold FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('holds end by delete');
CREATE TRIGGER holds_give_back AFTER DELETE ON public.hold REFERENCING OLD TABLE AS ended FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.apply_ended_holds();
CREATE TRIGGER holds_keep_what_they_hold BEFORE UPDATE OF account_id, id, amount, key_id, pool, pool_group ON public.hold FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('a hold keeps its amount, key and slot until it ends');
CREATE TRIGGER holds_reserve AFTER INSERT ON public.hold REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('svc.moved'::text, true) IS DISTINCT FROM 'by the ledger'::text)) EXECUTE FUNCTION public.apply_new_holds();
CREATE TRIGGER key_has_budget AFTER INSERT ON public.api_key FOR EACH ROW EXECUTE FUNCTION public.open_key_budget();
CREATE TRIGGER media_jobs_begin BEFORE INSERT ON public.media_job FOR EACH ROW EXECUTE FUNCTION public.check_media_job_move();
CREATE TRIGGER media_jobs_move BEFORE UPDATE OF status ON public.media_job FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION public.check_media_job_move();
CREATE TRIGGER media_jobs_stay BEFORE UPDATE OF id, account_id, key_id, api, kind, shown_id, model, prices, secret, estimated, created_at ON public.media_job FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change('what a media job is and may cost does not change');
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.balance
    ADD CONSTRAINT balance_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.identity
    ADD CONSTRAINT identity_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.key_budget
    ADD CONSTRAINT key_budget_key_id_fkey FOREIGN KEY (key_id) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.known_network
    ADD CONSTRAINT known_network_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.media_expense
    ADD CONSTRAINT media_expense_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.media_job(id);
ALTER TABLE ONLY public.media_job
    ADD CONSTRAINT media_job_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.payment_event
    ADD CONSTRAINT payment_event_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES public.topup(id);
ALTER TABLE ONLY public.payment_reversal
    ADD CONSTRAINT payment_reversal_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES public.topup(id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT session_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.signup_mailbox
    ADD CONSTRAINT signup_mailbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.topup
    ADD CONSTRAINT topup_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.unapplied_event
    ADD CONSTRAINT unapplied_event_topup_id_fkey FOREIGN KEY (topup_id) REFERENCES public.topup(id);
ALTER TABLE ONLY public.verification
    ADD CONSTRAINT verification_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
ALTER TABLE ONLY public.voice
    ADD CONSTRAINT voice_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(id);
