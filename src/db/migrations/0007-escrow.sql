-- Slices: holds of pool 'escrow', out of which a process admits an account's calls in memory (src/ledger/escrow.ts). A slice grows and shrinks by
-- the ledger's functions; all other holds keep their amount.
drop trigger holds_keep_what_they_hold on hold;
create trigger holds_keep_what_they_hold before update of account_id, id, amount, key_id, pool, pool_group on hold
  for each statement when (current_setting('svc.moved', true) is distinct from 'by the ledger')
  execute function refuse_change('a hold keeps its amount, key and slot until it ends');

-- How many slices of an account have given back what they had left: a process that was refused something meanwhile tries again.
create table escrow (
  account_id bigint primary key references account,
  closings bigint not null
) with (fillfactor = 50);

-- A budget that is changed by hand or by its owner is recalled from the slices that hold some of it.
create trigger budgets_recall_slices after update of limit_amount on key_budget
  for each row when (new.limit_amount is distinct from old.limit_amount) execute function recall_slices();
