-- Takes back what is left of a grant that has expired, by an entry that corrects it, and ends the grant. What calls and jobs in flight hold is
-- left to them: then the grant stays open, and the rest expires later. Called again for a grant that has ended it does nothing.
-- Returns what was taken now.
create or replace function expire_grant(_account bigint, _id uuid, _at timestamptz) returns bigint language plpgsql set lock_timeout = '1s' as $$
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
