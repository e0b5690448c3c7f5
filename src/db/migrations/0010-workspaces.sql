-- Workspaces: each account is one. An account with an address to sign in with (email_norm) is a person's own; without it a person made it
-- for others to join, and email is where mail about its money goes.
alter table account alter column email_norm drop not null;
-- Null: the person's name, or the address.
alter table account add column workspace_name text check (length(workspace_name) between 1 and 100);
alter table account add constraint account_is_named check (email_norm is not null or workspace_name is not null);

-- Who joined which workspace. A person owns the own workspace without a row.
create table member (
  account_id bigint not null references account,
  -- The person's own account.
  person_id bigint not null references account check (person_id <> account_id),
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  created_at timestamptz not null,
  primary key (account_id, person_id)
);
create index member_of_person on member (person_id);

-- An address that was invited to a workspace. Ended rows stay for a while, so that a used token can be told from a wrong one.
create table invitation (
  id uuid primary key,
  account_id bigint not null references account,
  email text not null check (email <> ''),
  email_norm text not null check (email_norm = lower(email_norm)),
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  -- Of the token in the last mail.
  hash bytea not null unique check (length(hash) = 32),
  invited_by bigint not null references account,
  created_at timestamptz not null,
  -- When the last mail was sent, and how many were.
  sent_at timestamptz not null,
  sent int not null default 1,
  expires_at timestamptz not null,
  ended_at timestamptz,
  outcome text check (outcome in ('accepted', 'declined', 'revoked')),
  check ((ended_at is null) = (outcome is null))
);
create unique index invitation_waiting on invitation (account_id, email_norm) where ended_at is null;
create index invitation_newest on invitation (account_id, created_at desc, id desc);
create index invitation_of_address on invitation (email_norm, sent_at);
create index invitation_expires on invitation (expires_at);

-- The person who made a key; null: it came with the account, or from the operator.
alter table api_key add column created_by bigint references account;
