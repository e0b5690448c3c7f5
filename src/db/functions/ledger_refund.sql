-- Gives back a charge, or _amount of it, once; _id is the id of the call or the job. refused: null, else why not: free (nothing was charged),
-- refunded (before), above (more than the charge, which is then in refunded). Called again with the same _at and _reason after a lost
-- reply, it answers the same. Durable even where the server doesn't usually wait for the disk.
create or replace function ledger_refund(_account bigint, _id uuid, _at timestamptz, _amount bigint, _reason text)
returns table (refused text, seq bigint, refunded bigint, balance bigint) language plpgsql set enable_seqscan = off set lock_timeout = '3s' as $$
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
