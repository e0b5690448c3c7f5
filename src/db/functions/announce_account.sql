-- Notifies every process that an account was suspended, resumed or verified, so that it drops what it has cached of the account.
create or replace function announce_account() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_changed', new.id::text);
  return null;
end $$;
