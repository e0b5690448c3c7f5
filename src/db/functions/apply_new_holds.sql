-- A new hold moves its amount from available to reserved and into its key's budget; refused above what is available. Not for
-- ledger_reserve, which moves both itself. See apply_entries for the locks.
create or replace function apply_new_holds() returns trigger language plpgsql as $$
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
