-- Which rows of the log have a tag, so that they are found without reading all others. Written by the task that keeps the sums
-- (functions/usage_roll_up.sql); newer rows are searched in the log.
create table usage_tagged (
  account_id bigint not null,
  tag_hash uuid not null,
  created_at timestamptz not null,
  id uuid not null,
  primary key (account_id, tag_hash, created_at, id)
);
