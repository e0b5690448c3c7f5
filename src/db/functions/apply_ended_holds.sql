-- When a hold ends, its amount returns to its balance and its key's budget. Not for ledger_settle and escrow_close, which move both themselves.
-- A slice that ends so is counted as closed; calls that were counted for it in advance stay counted.
-- See apply_entries for the locks.
create or replace function apply_ended_holds() returns trigger language plpgsql as $$
begin
  update balance b set available = b.available + s.total, reserved = b.reserved - s.total
  from (select account_id, sum(amount)::bigint as total from ended group by account_id) s where b.account_id = s.account_id;
  update key_budget k set reserved = k.reserved - s.total
  from (select key_id, sum(amount)::bigint as total from ended where key_id is not null group by key_id) s where k.key_id = s.key_id;
  insert into escrow (account_id, closings) select account_id, count(*) from ended where pool = 'escrow' group by account_id order by account_id
    on conflict (account_id) do update set closings = escrow.closings + excluded.closings;
  return null;
end $$;
