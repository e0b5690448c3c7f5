-- Automatic top-ups: what a workspace chose and agreed to, its saved card, and the charge that is under way.
create table auto_topup (
  account_id bigint primary key references account,
  enabled boolean not null default false,
  -- A balance below it is topped up.
  threshold bigint not null check (threshold >= 0),
  amount bigint not null check (amount > 0),
  -- For all automatic top-ups of a calendar month, UTC.
  monthly_cap bigint not null check (monthly_cap >= amount),
  consent_version text,
  consent_at timestamptz,
  consent_by bigint references account,
  -- The payment provider's ids; the card itself is nowhere here.
  customer_id text,
  card_id text,
  card jsonb,
  -- Cards that the provider has to forget.
  forget_cards text[] not null default '{}',
  -- In a row.
  declines int not null default 0,
  -- No charge before; null: at once.
  retry_at timestamptz,
  last_failure text check (last_failure in ('declined', 'authentication_required')),
  -- The charge that has no outcome yet, the card that it charges, and when it is looked at again: one at a time, whatever dies.
  charging uuid references topup,
  charge_card text,
  charge_customer text,
  due_at timestamptz,
  -- Whether a process began to ask the provider for the charge: from then on it may have been made.
  asked boolean not null default false,
  check (not enabled or (card_id is not null and customer_id is not null and consent_at is not null)),
  check ((card_id is null) = (card is null)),
  check ((charging is null) = (due_at is null))
);
create index auto_topup_enabled on auto_topup (account_id) where enabled;
create index auto_topup_due on auto_topup (due_at) where due_at is not null;
create index auto_topup_forgets on auto_topup (account_id) where forget_cards <> '{}';

-- Made by the gateway when the balance was low.
alter table topup add column automatic boolean not null default false;
