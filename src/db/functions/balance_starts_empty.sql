-- A new balance is zero: money comes by entries alone.
create or replace function balance_starts_empty() returns trigger language plpgsql as $$
begin
  if (new.available, new.reserved, new.purchased, new.earned, new.spent) is distinct from (0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint) then
    raise exception 'insert on balance is refused: a balance starts at zero' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
