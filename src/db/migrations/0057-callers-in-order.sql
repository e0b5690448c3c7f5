-- Sums of whole weeks, and of four, of each account and each key, in the order of what they were charged: an operator's page of the largest of a long time
-- reads the first of each instead of all that called. The table begins empty; the task that adds sums fills it a week at a time, from the sums of days.

create table usage_caller (
  -- Minutes: 10080 or 40320. Weeks begin on Thursdays of UTC, as the epoch did.
  span int not null,
  starts_at timestamptz not null,
  -- account or key; a key's 0: sessions.
  kind text not null,
  id bigint not null,
  requests bigint not null,
  errors bigint not null,
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
  primary key (kind, id, span, starts_at)
);
create index usage_caller_by_cost on usage_caller (span, starts_at, kind, cost desc, id);

alter table usage_rollup_state
  -- The weeks of usage_caller that may be read; null: it has none yet.
  add column callers_since timestamptz,
  add column callers_until timestamptz;
