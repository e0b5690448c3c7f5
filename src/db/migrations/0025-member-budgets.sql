-- What all keys that a person made in a workspace may spend together: there, where the workspace has set it. Its columns are those of key_budget;
-- spent and reserved are the sums of the keys that name it, and change with them, under the lock of the account's balance. One of the two limits
-- is set: the one of all time, or that of the period.
create table member_budget (
  account_id bigint not null references account,
  -- The person's own account. The budget stays when the person is no longer a member, as the keys do.
  person_id bigint not null references account,
  limit_amount bigint check (limit_amount >= 0),
  spent bigint not null check (spent >= 0),
  reserved bigint not null check (reserved >= 0),
  period text check (period in ('hour', 'day', 'week', 'month')),
  period_limit bigint check (period_limit >= 0),
  period_spent bigint not null default 0 check (period_spent >= 0),
  period_ends timestamptz,
  primary key (account_id, person_id),
  check ((limit_amount is null) <> (period_limit is null)),
  check ((period is null) = (period_limit is null))
) with (fillfactor = 50);
create trigger member_budgets_follow_keys before update of account_id, person_id, spent, reserved on member_budget for each statement
  when (pg_trigger_depth() < 1) execute function refuse_change('a member''s budget follows those of the keys; set its limit alone');
create trigger member_budgets_recall_slices after insert or update of limit_amount, period, period_limit on member_budget
  for each row execute function recall_slices();

-- The person whose budget bounds the key, too; null for most keys, whose calls then pay nothing for it.
alter table key_budget add column member_id bigint;
create trigger budgets_move_members after update of spent, reserved on key_budget
  for each row when (new.member_id is not null) execute function apply_member_budget();
