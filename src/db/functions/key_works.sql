-- Whether a key may still order something: neither disabled nor deleted, and not past its time. A plain expression, which Postgres puts into the
-- statement that calls it.
create or replace function key_works(k api_key) returns boolean language sql volatile as $$
  select k.enabled and k.deleted_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())
$$;
