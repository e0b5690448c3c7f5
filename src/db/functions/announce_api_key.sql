-- Notifies every process that a key was changed, rolled or deleted, so that it drops what it has cached of the key, by each of its secrets.
create or replace function announce_api_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key_changed', encode(h, 'hex'))
    from (values (old.hash), (old.old_hash), (new.hash), (new.old_hash)) s(h) where h is not null group by h;
  return null;
end $$;
