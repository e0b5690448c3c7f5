-- What the lines of a batch used, and how long its output is kept: columns of a small table, with defaults.
alter table batch
  add column input_tokens bigint not null default 0 check (input_tokens >= 0),
  add column cached_tokens bigint not null default 0 check (cached_tokens >= 0),
  add column output_tokens bigint not null default 0 check (output_tokens >= 0),
  add column reasoning_tokens bigint not null default 0 check (reasoning_tokens >= 0),
  -- Null: 30 days.
  add column output_kept_seconds int check (output_kept_seconds between 3600 and 2592000);
