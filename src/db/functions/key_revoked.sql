-- Whether a key was taken from who has it: disabled or deleted. One that merely expired did what it was made for until then. A plain
-- expression, which Postgres puts into the statement that calls it.
create or replace function key_revoked(k api_key) returns boolean language sql stable as $$
  select not k.enabled or k.deleted_at is not null
$$;
