-- Locks balances in the order that every function keeps, and returns which: without _waits those that are free now, with it all of them,
-- or an error after half a second.
create or replace function lock_balances(_account bigint[], _waits boolean) returns setof bigint language plpgsql set lock_timeout = '500ms' as $$
begin
  if _waits then
    return query select b.account_id from balance b where b.account_id = any(_account) order by b.account_id for no key update;
  else
    return query select b.account_id from balance b where b.account_id = any(_account) order by b.account_id for no key update skip locked;
  end if;
end $$;
