-- Requests with an idempotency key: each is carried out once, and its answer is kept for its repeats.
create table idempotency_key (
  account_id bigint not null,
  operation text not null,
  key text not null check (length(key) between 1 and 128),
  -- Of the request: another one under the same key is refused.
  hash bytea not null check (length(hash) = 32),
  -- The id of its hold, its charge and its row of the log.
  call_id uuid not null,
  -- When it was received; its row of the log has the same time.
  received_at timestamptz not null,
  -- The replica that works on it; null: none works on it any more.
  owner uuid,
  -- The answer; null: none yet, or it is not kept.
  status int,
  headers jsonb,
  body bytea,
  primary key (account_id, operation, key)
);
create index idempotency_key_age on idempotency_key (received_at);
create index idempotency_key_answers on idempotency_key (account_id, received_at desc) where body is not null;
