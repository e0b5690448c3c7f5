-- Whether streams of a key's requests report usage though they don't ask for it.
alter table api_key add column stream_usage boolean not null default false;
create or replace trigger api_key_announced
  after update of enabled, deleted_at, hash, old_hash, expires_at, allowed_models, allowed_operations, allowed_networks, scopes, rpm, tpm,
    stream_usage
  or delete on api_key for each row execute function announce_api_key();
