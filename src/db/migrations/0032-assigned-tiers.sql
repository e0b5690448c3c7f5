-- The tier that an operator gave the account, in place of the one that its money reaches; null: none.
alter table account add column assigned_tier smallint check (assigned_tier >= 0);
create or replace trigger account_announced after update of suspended_at, email_verified_at, assigned_tier on account
  for each row execute function announce_account();
