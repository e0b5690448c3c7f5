-- Audits of the ledger that operators began: one at a time, in any process.
create table ledger_audit (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  -- An operator's address.
  started_by text not null check (started_by <> ''),
  status text not null check (status in ('running', 'agrees', 'differs', 'failed')),
  -- Renewed by the process that runs it; one that is over belongs to a process that is gone.
  alive_until timestamptz not null,
  ended_at timestamptz,
  -- What it found; null: nothing yet, or it failed.
  result jsonb,
  constraint ended_has_its_time check ((ended_at is null) = (status = 'running'))
);
create unique index ledger_audit_running on ledger_audit ((true)) where status = 'running';
