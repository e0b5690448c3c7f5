-- Gives an entry its place, its balance and its hash, for every insert but that of ledger_settle, which does so itself. The lock comes
-- first, as a statement of its own: what is read after it is what the last holder of the lock left. Entries that the same command
-- inserted before this one are seen, too.
create or replace function chain_entry() returns trigger language plpgsql as $$
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
