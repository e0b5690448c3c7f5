-- Endpoints for webhooks: addresses of a workspace that notices are posted to.
create table webhook_endpoint (
  account_id bigint not null references account,
  id uuid not null,
  url text not null check (length(url) between 1 and 2048),
  description text check (length(description) between 1 and 200),
  -- Null: all events.
  events text[],
  -- As src/webhooks/secrets.ts stores it; the one before it signs as well until old_until.
  secret text not null,
  old_secret text,
  old_until timestamptz,
  enabled boolean not null default true,
  -- Since when no delivery has succeeded; null: the last one did.
  failing_since timestamptz,
  -- When the gateway gave the endpoint up.
  given_up_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, id),
  check ((old_secret is null) = (old_until is null))
);
alter table notice_delivery add foreign key (account_id, endpoint_id) references webhook_endpoint on delete cascade;
