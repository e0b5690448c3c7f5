-- A key has a budget from its first moment.
create or replace function open_key_budget() returns trigger language plpgsql as $$
begin
  insert into key_budget (account_id, key_id) values (new.account_id, new.id);
  return null;
end $$;
