-- Who may use the operators' part of the API beside the addresses of SVC_OPERATORS.
create table operator (
  account_id bigint primary key references account,
  role text not null check (role in ('support', 'finance', 'admin')),
  added_by text not null check (added_by <> ''),
  added_at timestamptz not null
);

-- When the session's person last gave the password again; null: not since signing in.
alter table session add column confirmed_at timestamptz;

-- What operators and the command line changed: written in the transaction of the change, and never changed itself.
create table operator_action (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  -- An operator's address, or svc and the user of the operating system.
  who text not null check (who <> ''),
  -- Of the operator; null: the command line.
  account_id bigint references account,
  role text,
  address text,
  session text,
  action text not null check (action <> ''),
  target text,
  reason text,
  before jsonb,
  after jsonb,
  request_id text,
  -- Of what may be sent twice, such as a posting: it is recorded once.
  effect uuid unique
);
create index operator_action_target on operator_action (target, id desc);
create index operator_action_who on operator_action (who, id desc);
create trigger actions_are_append_only before update or delete or truncate on operator_action
  for each statement execute function refuse_change('actions are append-only');
