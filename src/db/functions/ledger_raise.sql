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
  key_left := key_budget_left(_account, held.key_id, moment);
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
