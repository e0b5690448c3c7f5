-- What a key spent or has reserved counts in the budget of the person who made it, too. Under the lock of the account's balance, which whatever
-- moves a key's budget holds.
create or replace function apply_member_budget() returns trigger language plpgsql as $$
declare moment timestamptz := clock_timestamp();
begin
  update member_budget m set spent = m.spent + new.spent - old.spent, reserved = m.reserved + new.reserved - old.reserved,
    period_spent = budget_period_spent(m.period, m.period_spent, m.period_ends, new.spent - old.spent, moment),
    period_ends = budget_period_ends(m.period, m.period_ends, moment)
  where m.account_id = new.account_id and m.person_id = new.member_id;
  return null;
end $$;
