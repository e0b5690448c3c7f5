-- Notifies every process that a key was switched on or off, changed or deleted, so that it drops what it has cached of the key.
create or replace function announce_api_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key_changed', encode(coalesce(new.hash, old.hash), 'hex'));
  return null;
end $$;
