-- A key has a budget from its first moment, and counts in that of the person who made it, if there is one. The account's row is locked.
create or replace function open_key_budget() returns trigger language plpgsql as $$
begin
  insert into key_budget (account_id, key_id, member_id) values (new.account_id, new.id,
    (select m.person_id from member_budget m where m.account_id = new.account_id and m.person_id = new.created_by));
  return null;
end $$;
