-- Gives back what a slice has left, and the calls that were counted for it in advance: from then on it holds only what calls in flight took of it,
-- as any hold; with _is_over none is, and it ends. Called again it does nothing more.
create or replace function escrow_close(_account bigint, _slice uuid, _left bigint, _is_over boolean,
  _bucket text[], _starts_at timestamptz[], _unused bigint[]) returns void language plpgsql
set lock_timeout = '1s' set enable_seqscan = off as $$
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
