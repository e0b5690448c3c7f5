-- Claims an idempotency key for a call, or says what became of the call that has it. outcome: claimed, answered (with the answer), running,
-- replayed (the call was charged or answered, and its answer is not kept), reused (by a different request). A key whose call no process works on
-- any more is free once the call's hold has ended, unless the call was charged or succeeded. Of concurrent claims, one succeeds. A call without a
-- hold 10 minutes after it was received is over, whatever its replica does: its outcome could not be written.
create or replace function idempotency_claim(_account bigint, _operation text, _key text, _hash bytea, _call uuid, _at timestamptz, _owner uuid,
  _dead_after interval, _life interval)
returns table (outcome text, status int, headers jsonb, body bytea) language plpgsql set enable_seqscan = off set lock_timeout = '3s' as $$
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

-- Whether a call was charged or succeeded.
create or replace function idempotency_done(_account bigint, _call uuid, _at timestamptz) returns boolean language sql stable
set enable_seqscan = off as $$
  select exists (select 1 from ledger_entry e where e.account_id = _account and e.id = _call and e.kind = 'usage')
    or exists (select 1 from usage_log l where l.account_id = _account and l.created_at = _at and l.id = _call and (l.status = 'success' or l.cost > 0))
$$;

-- No process works on the call any more. Its key is deleted unless the call left an answer, a hold or a charge, which then decide what a repeat is
-- answered.
create or replace function idempotency_let_go(_account bigint, _operation text, _key text, _call uuid) returns void language plpgsql
set enable_seqscan = off as $$
begin
  delete from idempotency_key k where k.account_id = _account and k.operation = _operation and k.key = _key and k.call_id = _call
    and k.status is null and not exists (select 1 from hold h where h.account_id = _account and h.id = _call)
    and not idempotency_done(_account, _call, k.received_at);
  if found then return; end if;
  update idempotency_key k set owner = null where k.account_id = _account and k.operation = _operation and k.key = _key and k.call_id = _call;
end $$;

-- Deletes expired keys, and the oldest answers of accounts that keep more bytes than _most; at most _limit of either, so that no lock is
-- held for long. Returns how many. One process sweeps at a time.
create or replace function idempotency_sweep(_at timestamptz, _life interval, _most bigint, _limit int) returns int language plpgsql
set enable_seqscan = off as $$
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
