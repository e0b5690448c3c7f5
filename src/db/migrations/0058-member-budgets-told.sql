-- What was told of members' budgets, in a new table, as of keys' budgets. The budgets of members are read once; calls don't wait.

-- The highest share of a member's budget that was told: of the limit that stood then, and of the period that ran.
create table member_budget_told (
  account_id bigint not null references account,
  person_id bigint not null references account,
  span text not null check (span in ('life', 'period')),
  limit_amount bigint not null,
  period_ends timestamptz,
  percent int not null,
  primary key (account_id, person_id, span)
);
-- What is spent by now counts as told.
insert into member_budget_told
  select account_id, person_id, span, most, ends, case when done >= most then 100 when done * 5::numeric >= most * 4::numeric then 80 else 50 end
  from member_budget
  join lateral (values ('life', limit_amount, spent, null::timestamptz), ('period', period_limit, period_spent, period_ends))
    s(span, most, done, ends) on most > 0
  where done * 2::numeric >= most;
