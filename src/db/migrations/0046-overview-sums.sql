-- Sums over all accounts, for operators' pages: new tables and an index of usage_rollup. The index and a check read usage_rollup once each, and the
-- task that adds sums waits for them; calls don't. Times before the update are summed from the log as before, until `svc usage rebuild` adds them, too.

-- usage_rollup's sums over all accounts, keys and tags.
create table usage_total (
  -- Minutes: 15, 60 or 1440.
  span smallint not null,
  starts_at timestamptz not null,
  model text not null,
  operation text not null,
  failed boolean not null,
  -- provider/upstream model of the last attempt; empty: there was none.
  route text not null,
  requests bigint not null,
  input_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost bigint not null,
  -- Null: no route named its cost.
  expense bigint,
  -- What calls brought in whose last route named no cost.
  unmatched bigint not null,
  -- Histograms, as in usage_rollup.
  latency numeric not null,
  first_byte numeric not null,
  primary key (span, starts_at, model, operation, failed, route)
) with (fillfactor = 80);

-- What the overview says of all calls beside, by the same spans.
create table usage_fact (
  -- Minutes: 15, 60 or 1440.
  span smallint not null,
  starts_at timestamptz not null,
  -- error or provider (functions/usage_facts.sql).
  kind text not null,
  -- Of the error or the provider.
  name text not null,
  -- Calls that ended with the error; attempts at the provider.
  calls bigint not null,
  -- Attempts for which the provider is at fault.
  failures bigint not null,
  -- What the provider charges; null: unknown.
  cost bigint,
  primary key (span, starts_at, kind, name)
) with (fillfactor = 80);

-- Which accounts called: a bit for each of 32,768, by hours and days. So the accounts of a month are counted exactly without a row for each.
create table usage_active (
  -- Minutes: 60 or 1440.
  span smallint not null,
  starts_at timestamptz not null,
  -- Account id / 32768.
  block bigint not null,
  -- The remainder is the place of the account's bit.
  accounts bit(32768) not null,
  primary key (span, starts_at, block)
) with (fillfactor = 50);

-- For sums by account or key over all accounts.
create index if not exists usage_rollup_by_time on usage_rollup (span, starts_at);

-- Since when there are sums over all accounts; null until the first is added. Before it they may be incomplete.
alter table usage_rollup_state add column whole_since timestamptz;

alter table usage_rollup validate constraint usage_rollup_unmatched_check;
