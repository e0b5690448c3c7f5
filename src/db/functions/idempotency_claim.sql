-- Claims an idempotency key for a call, or says what became of the call that has it. outcome: claimed, answered (with the answer), running, replayed (it
-- was charged or answered, and its answer is not kept), reused (by another request). A key whose call nobody works on is free once its hold is
-- gone, unless the call was charged or succeeded. Of many at once, one claims.
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
    exit when found; -- else the sweep deleted it
  end loop;
  if old.received_at <= _at - _life then outcome := 'claimed';
  elsif old.status is not null then outcome := case when old.body is null then 'replayed' else 'answered' end;
  elsif exists (select 1 from hold h where h.account_id = _account and h.id = old.call_id)
    or exists (select 1 from replica r where r.id = old.owner and r.seen_at > now() - _dead_after) then outcome := 'running';
  elsif exists (select 1 from usage_log l where l.account_id = _account and l.created_at = old.received_at and l.id = old.call_id
      and (l.status = 'success' or l.cost > 0))
    or exists (select 1 from ledger_entry e where e.account_id = _account and e.id = old.call_id and e.kind = 'usage') then outcome := 'replayed';
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
