-- Answers that are kept for repeats of their request, and for how long a key keeps its.
create table kept_answer (
  account_id bigint not null,
  -- Of account, model and request.
  hash bytea not null check (length(hash) = 32),
  answer bytea not null,
  bytes int not null generated always as (octet_length(answer)) stored,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, hash)
);
create index kept_answer_expiry on kept_answer (expires_at);
create index kept_answer_age on kept_answer (account_id, created_at desc) include (bytes);
alter table api_key add column response_cache_seconds int not null default 0 check (response_cache_seconds between 0 and 86400);
create or replace trigger api_key_announced
  after update of enabled, deleted_at, hash, old_hash, expires_at, allowed_models, allowed_operations, allowed_networks, scopes, rpm, tpm,
    stream_usage, response_cache_seconds
  or delete on api_key for each row execute function announce_api_key();
