-- Notices: what a workspace is told by mail. A row is written in the transaction of what causes it; a worker makes its deliveries and sends
-- them (src/notices/README.md).
create table notice (
  account_id bigint not null references account,
  id uuid not null,
  event text not null check (event <> ''),
  -- What one notice is written for, however often it is noticed.
  cause text not null check (length(cause) between 1 and 500),
  data jsonb not null,
  -- The only person to be told; null: those whom the workspace's preferences name.
  person_id bigint references account,
  created_at timestamptz not null,
  -- When its deliveries were made.
  planned_at timestamptz,
  primary key (account_id, id),
  unique (account_id, cause)
);
create index notice_unplanned on notice (created_at) where planned_at is null;
create index notice_newest on notice (account_id, created_at desc, id desc);
create index notice_age on notice (created_at);

-- One notice to one recipient.
create table notice_delivery (
  account_id bigint not null,
  id uuid not null,
  notice_id uuid not null,
  -- An address, or an endpoint for webhooks.
  address text check (address <> ''),
  endpoint_id uuid,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts int not null default 0,
  created_at timestamptz not null,
  -- When the next attempt is due; while a worker has it, when its lease ends. Null: it has ended.
  due_at timestamptz,
  lease_owner uuid,
  tried_at timestamptz,
  -- Of the last attempt.
  response_code int,
  -- What the other side said, its beginning alone.
  response text check (length(response) <= 1024),
  primary key (account_id, id),
  foreign key (account_id, notice_id) references notice on delete cascade,
  check ((address is null) <> (endpoint_id is null)),
  check ((state = 'waiting') = (due_at is not null))
);
create index notice_delivery_due on notice_delivery (due_at) where due_at is not null;
create index notice_delivery_of_notice on notice_delivery (account_id, notice_id);
create index notice_delivery_of_endpoint on notice_delivery (account_id, endpoint_id, created_at desc, id desc) where endpoint_id is not null;

-- What a workspace chose; without a row, and without an event in mails, what the gateway does by itself.
create table notice_preference (
  account_id bigint primary key references account,
  -- Null: no notice of a low balance.
  low_balance bigint check (low_balance >= 0),
  -- By event, the roles that are told by mail.
  mails jsonb not null default '{}'
);

-- Accounts whose balance was at or above the threshold when it was looked at last: a notice is due once it is below.
create table balance_armed (
  account_id bigint primary key references account,
  armed_at timestamptz not null
);

-- The highest share of a key's budget that was told: of the limit that stood then, and of the period that ran.
create table budget_told (
  account_id bigint not null references account,
  key_id bigint not null references api_key,
  span text not null check (span in ('life', 'period')),
  limit_amount bigint not null,
  period_ends timestamptz,
  percent int not null,
  primary key (account_id, key_id, span)
);
-- What is spent by now counts as told.
insert into budget_told
  select account_id, key_id, 'life', limit_amount, null,
    case when spent >= limit_amount then 100 when spent * 5 >= limit_amount * 4 then 80 else 50 end
  from key_budget where limit_amount > 0 and spent * 2 >= limit_amount;

-- Neither is written by a call: what a budget has spent stands in no index.
create index key_budget_limited on key_budget (key_id) where limit_amount is not null or period_limit is not null;
create index api_key_expires on api_key (expires_at) where expires_at is not null and deleted_at is null;

-- When each sweep ran last: one process of all runs it then.
create table notice_sweep (
  name text primary key,
  swept_at timestamptz not null
);
insert into notice_sweep values ('look', '-infinity'), ('tidy', '-infinity');
