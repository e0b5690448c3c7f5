-- Raises a hold to _want: all of it or nothing. Called again it answers the same. A hold that has ended, or never was, is refused.
create or replace function ledger_raise(_account bigint, _id uuid, _want bigint)
returns table (granted bigint, available bigint, reserved bigint, refused text, key_left bigint) language plpgsql
set lock_timeout = '1s' as $$
#variable_conflict use_column
declare held hold; more bigint; moment timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  select b.available, b.reserved into available, reserved from balance b where b.account_id = _account for no key update;
  select * into held from hold h where h.account_id = _account and h.id = _id;
  if held.id is null then raise exception 'the reservation has ended' using errcode = 'no_data_found'; end if;
  moment := clock_timestamp();
  select least(budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, moment),
      budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, moment))
    into key_left from key_budget k left join member_budget m on m.account_id = k.account_id and m.person_id = k.member_id
    where k.account_id = _account and k.key_id = held.key_id;
  more := _want - held.amount;
  if more <= 0 then granted := held.amount;
  elsif available < more then refused := 'balance';
  elsif key_left < more then refused := 'key';
  else
    -- A hold keeps its amount until it ends: it makes way for its successor.
    delete from hold h where h.account_id = _account and h.id = _id;
    held.amount := _want;
    insert into hold select (held).*;
    granted := _want;
  end if;
  return next;
end $$;
