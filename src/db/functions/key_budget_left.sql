-- What a key may still spend at a moment, by its own budget and that of the member who created it; null: neither has a limit.
create or replace function key_budget_left(_account bigint, _key bigint, _at timestamptz) returns bigint language plpgsql stable as $$
begin
  return (select least(budget_left(k.limit_amount, k.spent, k.reserved, k.period_limit, k.period_spent, k.period_ends, _at),
      budget_left(m.limit_amount, m.spent, m.reserved, m.period_limit, m.period_spent, m.period_ends, _at))
    from key_budget k left join member_budget m on m.account_id = k.account_id and m.person_id = k.member_id
    where k.account_id = _account and k.key_id = _key);
end $$;
