-- Responses that a workspace stores, if it asks for that: encrypted, with the items of their requests.
alter table account add column response_retention_days smallint check (response_retention_days between 1 and 365);
create or replace trigger account_announced
  after update of suspended_at, email_verified_at, assigned_tier, response_retention_days on account
  for each row execute function announce_account();

create table stored_response (
  account_id bigint not null references account,
  id uuid not null,
  -- The one that it goes on from.
  previous_id uuid,
  created_at timestamptz not null,
  -- The items of its request as JSON, sealed.
  input bytea not null,
  -- The answer as JSON, sealed; null: it has not ended, or its process died.
  response bytea,
  primary key (account_id, id)
);
-- Nothing compresses what is encrypted, and its length is read without its bytes.
alter table stored_response alter column input set storage external, alter column response set storage external;
create index stored_response_of_account on stored_response (account_id, created_at);
