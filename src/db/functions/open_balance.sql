-- An account has a balance from its first moment.
create or replace function open_balance() returns trigger language plpgsql as $$
begin
  insert into balance (account_id) values (new.id);
  return null;
end $$;
