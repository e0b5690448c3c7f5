-- What `svc ledger verify` found, the newest rows alone: /metrics shows when the chain was last verified, and its head.
create table ledger_verdict (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  accounts bigint not null,
  entries bigint not null,
  head bytea check (length(head) = 32),
  broken text,
  check ((head is null) <> (broken is null))
);
