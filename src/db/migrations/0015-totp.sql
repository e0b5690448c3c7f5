-- The second factor of an account: codes of an authenticator app (RFC 6238).
create table totp (
  account_id bigint primary key references account,
  -- 20 random bytes that the app has, too.
  secret bytea not null check (length(secret) = 20),
  created_at timestamptz not null,
  -- When its first code was given; null: the app has never shown that it has the secret, and sign-in asks for no code.
  confirmed_at timestamptz,
  -- The half minute of the last code that was taken: none is taken twice, and none before it.
  last_step bigint not null default 0,
  -- Wrong codes in a row, and when the last code was tried.
  failures int not null default 0,
  tried_at timestamptz
);

-- Codes that stand in for the app's, once each.
create table recovery_code (
  account_id bigint not null references account,
  hash bytea not null check (length(hash) = 32),
  used_at timestamptz,
  primary key (account_id, hash)
);

-- When the session's person last gave a code; null: not yet.
alter table session add column factor_at timestamptz;
