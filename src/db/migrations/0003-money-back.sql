-- Money back: signed corrections, refunds of calls, refunded and disputed payments. Constraints are not validated: every row that is there
-- satisfies the narrower one of before, and a scan would stop all calls meanwhile.

-- All tables that this and later migrations change, at once. Running calls lock them in either order (a settlement the log before the ledger,
-- the end of a job the ledger before the log), so none of ours is free of deadlocks: what a wait of half a second does not get, it gives up,
-- and begins anew.
do $$
declare before text := current_setting('lock_timeout');
begin
  loop
    begin
      perform set_config('lock_timeout', '500ms', true);
      lock table topup, usage_log, ledger_entry in access exclusive mode;
      perform set_config('lock_timeout', before, true);
      exit;
    exception when lock_not_available or deadlock_detected then -- its locks are given back
    end;
  end loop;
end $$;

alter table ledger_entry
  -- The seq of the entry of the same account that this one corrects.
  add column corrects bigint,
  -- Why, in the operator's words. Customers see it.
  add column reason text;
alter table ledger_entry
  drop constraint kind_decides_sign,
  add constraint kind_decides_sign check (
    (kind in ('deposit', 'signup_credit', 'bonus', 'refund', 'hold_settle', 'hold_release') and amount > 0)
    or (kind in ('usage', 'hold', 'payment_refund') and amount < 0)
    -- Corrections of purchased money, of earned money, and what a payer's bank takes and may give back.
    or kind in ('adjustment', 'earned_adjustment', 'dispute')
  ) not valid,
  add constraint corrects_an_earlier_one check (corrects < seq) not valid,
  -- One line: what an entry's hash covers then stands for one entry only.
  add constraint reason_is_one_line check (reason <> '' and reason !~ '[\n\r]') not valid;

-- A job's refund returns to its key's budget, those of before too.
select set_config('svc.moved', 'by the ledger', true);
update key_budget k set spent = k.spent - r.amount
from (select key_id, sum(amount)::bigint as amount from ledger_entry where kind = 'refund' and key_id is not null group by key_id) r
where k.key_id = r.key_id;
select set_config('svc.moved', '', true);

alter table topup
  -- The provider's id of the payment, which its refunds and disputes name; null: not paid, or paid before this column.
  add column payment_id text unique,
  -- What the payer paid, tax included; null: the amount.
  add column paid bigint;

-- What the provider says that it gave back of a payment: one row for each charge that was refunded and for each dispute.
create table payment_reversal (
  id text primary key,
  topup_id uuid not null references topup,
  -- As much of the credit as it concerns.
  amount bigint not null check (amount >= 0),
  -- Of a dispute: whether the money was taken, whether it came back, and whether it is over. A refund is taken.
  withdrawn boolean not null,
  reinstated boolean not null,
  closed boolean not null
);
create index payment_reversal_of_topup on payment_reversal (topup_id);

-- Events of the payment provider that could not be applied, until they are or the operator dismisses them.
create table unapplied_event (
  id text primary key,
  type text not null,
  -- What it is about: the provider's id of a checkout, a charge or a dispute.
  about text not null,
  -- The amount and currency as the provider said them.
  said text not null,
  topup_id uuid references topup,
  reason text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times int not null default 1
);
create index unapplied_event_newest on unapplied_event (first_at desc);
