-- Conversations that responses go on with, of workspaces that store responses: encrypted, item by item.
create table conversation (
  account_id bigint not null references account,
  id uuid not null,
  created_at timestamptz not null,
  -- Of its last item or metadata: it ends so many days later.
  changed_at timestamptz not null,
  -- Pairs as JSON, sealed.
  metadata bytea not null,
  -- Of the next item.
  next_place bigint not null default 0,
  -- How many items there are, and their bytes.
  items integer not null default 0,
  bytes bigint not null default 0,
  -- The request that goes on with it now, until then unless it says so again.
  turn uuid,
  turn_until timestamptz,
  -- Of that request: its items as JSON, sealed.
  turn_input bytea,
  primary key (account_id, id)
);
create index conversation_of_account on conversation (account_id, changed_at);

create table conversation_item (
  account_id bigint not null,
  conversation_id uuid not null,
  place bigint not null,
  id text not null,
  -- The item as JSON, sealed.
  item bytea not null,
  primary key (account_id, conversation_id, place),
  unique (account_id, conversation_id, id),
  foreign key (account_id, conversation_id) references conversation on delete cascade
);
-- Nothing compresses what is encrypted, and its length is read without its bytes.
alter table conversation alter column turn_input set storage external;
alter table conversation_item alter column item set storage external;
