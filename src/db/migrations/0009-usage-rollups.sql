-- Sums of the usage log by quarter of an hour, hour and day (UTC), for summaries of long times. A task in the background adds to them what
-- is older than any settlement that may still come (functions/usage_roll_up.sql), so that a settlement writes nothing more than before. All
-- that came later than that is named in usage_late, until it is added too. A reader adds rollups, late rows and the log since closed_until.

-- What the caller calls the request, such as {"user":"u-1","env":"prod"}; null: nothing, which takes no room in the row.
alter table usage_log add column tags jsonb;

create table usage_rollup (
  account_id bigint not null,
  -- Minutes: 15, 60 or 1440.
  span smallint not null,
  starts_at timestamptz not null,
  -- md5 of the tag; all 0: every call, with tags or without.
  tag_hash uuid not null,
  model text not null,
  -- 0: a session.
  key_id bigint not null,
  operation text not null,
  failed boolean not null,
  -- provider/upstream model of the last attempt; empty: there was none.
  route text not null,
  tag text,
  requests bigint not null,
  input_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost bigint not null,
  -- Null: no route named its cost.
  expense bigint,
  -- Histograms (functions/usage_histogram.sql): the number of calls with latency b is the b-th group of 12 decimal digits. So they are
  -- added as numbers are.
  latency numeric not null,
  first_byte numeric not null,
  primary key (account_id, span, starts_at, tag_hash, model, key_id, operation, failed, route)
) with (fillfactor = 80);

create table usage_late (
  account_id bigint not null,
  created_at timestamptz not null,
  id uuid not null,
  primary key (account_id, created_at, id)
);

create table usage_rollup_state (
  only_row boolean primary key default true check (only_row),
  -- Rows of the log before it are in usage_rollup, but for those in usage_late.
  closed_until timestamptz not null default '-infinity',
  -- No row before it will come that is not in usage_late.
  safe_until timestamptz not null default '-infinity',
  -- Becomes safe when all transactions with a lower id have ended.
  next_until timestamptz,
  next_xid xid8
);
insert into usage_rollup_state default values;

-- A call as ledger_settle takes it, with its tags. Gateways of the previous version send settled_call.
create type tagged_call as (
  account_id bigint,
  created_at timestamptz,
  id uuid,
  request_id text,
  key_id bigint,
  operation text,
  model text,
  alias text,
  served_model text,
  status text,
  http_status int,
  error_code text,
  input_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  estimated boolean,
  cost bigint,
  reserved bigint,
  prices jsonb,
  attempts jsonb,
  stream boolean,
  fallback_layer int,
  latency_ms int,
  first_byte_ms int,
  model_type text,
  error_message text,
  units numeric,
  unit text,
  expense bigint,
  cache_write_1h_tokens bigint,
  place bigint,
  total bigint,
  tags jsonb
);
