-- Mail domains whose people become members of a workspace when they sign in, and who has left a workspace: signing in brings nobody back.
create table workspace_domain (
  id uuid primary key,
  account_id bigint not null references account,
  domain text not null check (domain <> '' and domain = lower(domain)),
  -- Of those who join by it.
  role text not null check (role in ('admin', 'developer', 'billing', 'viewer')),
  -- What the domain's TXT record has to say.
  token text not null check (token <> ''),
  created_at timestamptz not null,
  -- Null: only claimed, and of no effect.
  verified_at timestamptz,
  unique (account_id, domain)
);
create unique index workspace_domain_verified on workspace_domain (domain) where verified_at is not null;

create table former_member (
  account_id bigint not null references account,
  person_id bigint not null references account,
  primary key (account_id, person_id)
);
create index former_member_of_person on former_member (person_id);
