-- Posts a correction of purchased or earned money, once for each id. refused: null, else why nothing was posted: entry (no such entry), kind
-- (it can't be corrected), more (the entry that it names would change its sign), total (purchased or earned money would fall below 0).
-- Called again after a lost reply, it answers the same. Durable even where the server doesn't usually wait for the disk.
create or replace function ledger_correct(_account bigint, _id uuid, _at timestamptz, _kind text, _amount bigint, _ref text, _reason text,
  _corrects bigint)
returns table (refused text, seq bigint, balance bigint) language plpgsql set enable_seqscan = off set lock_timeout = '3s' as $$
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
        where e.account_id = _account and e.corrects = _corrects;
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
