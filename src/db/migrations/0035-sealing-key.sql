-- The key of texts that clients keep for the gateway and send back (src/accounts/sealed-texts.ts). There is one.
create table sealing_key (
  only_one boolean primary key default true check (only_one),
  key bytea not null check (length(key) = 32),
  created_at timestamptz not null default now()
);
