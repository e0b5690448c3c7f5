-- An entry moves its account's balance and its key's budget, in the statement that inserts it. Not for ledger_settle, which moves both
-- itself. A change of purchased money is published, since the account's tier may have changed, and one that takes money away, since slices
-- may hold more than is left.
--
-- spent and reserved of a budget change only under the lock of the account's balance, which this, apply_new_holds and apply_ended_holds
-- take first. A budget's limit changes without that lock, one row at a time, and waits for nothing: so they cannot deadlock. A limit may
-- be set below what is spent: it is checked when a call begins, and is no constraint.
create or replace function apply_entries() returns trigger language plpgsql as $$
declare touched int; wanted int; moment timestamptz := clock_timestamp();
begin
  with s as (
    select account_id, sum(amount)::bigint as total,
      coalesce(sum(amount) filter (where kind in ('deposit', 'adjustment', 'payment_refund', 'dispute')), 0)::bigint as purchased,
      coalesce(sum(amount) filter (where kind in ('signup_credit', 'bonus', 'refund', 'earned_adjustment')), 0)::bigint as earned,
      coalesce(-sum(amount) filter (where kind = 'usage'), 0)::bigint as spent
    from added group by account_id
  ), u as (
    update balance b set available = b.available + s.total, purchased = b.purchased + s.purchased,
      earned = b.earned + s.earned, spent = b.spent + s.spent
    from s where b.account_id = s.account_id returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'an entry names an unknown account' using errcode = 'foreign_key_violation'; end if;
  with s as (
    -- A refund returns to the budget; an earned_adjustment names a key only where it corrects a refund.
    select account_id, key_id, coalesce(-sum(amount) filter (where kind in ('usage', 'refund', 'earned_adjustment')), 0)::bigint as spent,
      coalesce(-sum(amount) filter (where kind in ('hold', 'hold_settle', 'hold_release')), 0)::bigint as reserved
    from added where key_id is not null group by account_id, key_id
  ), u as (
    update key_budget k set spent = k.spent + s.spent, reserved = k.reserved + s.reserved,
      period_spent = budget_period_spent(k.period, k.period_spent, k.period_ends, s.spent, moment),
      period_ends = budget_period_ends(k.period, k.period_ends, moment)
    from s where k.key_id = s.key_id and k.account_id = s.account_id returning 1
  ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
  if touched <> wanted then raise exception 'an entry names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
  perform pg_notify('account_changed', account_id::text) from added
    where kind in ('deposit', 'adjustment', 'payment_refund', 'dispute', 'earned_adjustment');
  return null;
end $$;
