-- Vouchers, made in batches by the operator, and granted credit that expires.
create table voucher_batch (
  id bigint generated always as identity primary key,
  -- Of each of its vouchers.
  amount bigint not null check (amount > 0),
  count int not null check (count > 0),
  created_at timestamptz not null,
  created_by text not null,
  -- Until when they can be redeemed; null: for ever.
  expires_at timestamptz,
  -- How long the credit lasts once it is redeemed; null: for ever.
  credit_days int check (credit_days > 0),
  once_per_account boolean not null,
  -- Since when the operator lets none be redeemed any more.
  ended_at timestamptz
);

create table voucher (
  -- Also the id of its ledger entry, so that it is posted once.
  id uuid primary key,
  batch_id bigint not null references voucher_batch,
  hash bytea not null unique check (length(hash) = 32),
  -- Who redeemed it; null: it was not.
  account_id bigint references account,
  redeemed_at timestamptz,
  check ((account_id is null) = (redeemed_at is null))
);
create index voucher_of_account on voucher (account_id, batch_id) where account_id is not null;
create index voucher_of_batch on voucher (batch_id);

-- Granted credit that expires. What calls spent of it is counted by count_grants, not by the calls.
create table credit_grant (
  account_id bigint not null references account,
  -- Of its ledger entry.
  id uuid not null,
  seq bigint not null,
  amount bigint not null check (amount > 0),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  -- What the account's charges up to the entry counted_seq took of it; the same entry for all grants of an account that have not ended.
  spent bigint not null default 0 check (spent between 0 and amount),
  counted_seq bigint not null,
  expired bigint not null default 0 check (expired >= 0),
  ended_at timestamptz,
  primary key (account_id, id)
);
create unique index credit_grant_newest on credit_grant (account_id, seq);
create index credit_grant_due on credit_grant (expires_at) where ended_at is null;
