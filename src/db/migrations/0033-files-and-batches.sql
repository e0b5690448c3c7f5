-- Files of a workspace. Their bytes are in the store of the media, under a name that no public address leads to.
create table stored_file (
  id uuid primary key,
  account_id bigint not null references account,
  purpose text not null check (purpose in ('batch', 'batch_output')),
  filename text not null check (length(filename) between 1 and 255),
  bytes bigint not null check (bytes >= 0),
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  -- False: its bytes are on their way to the store, or their process died on it.
  is_stored boolean not null default false,
  -- From then on nobody sees it; the row stays until its bytes are removed.
  deleted_at timestamptz
);
create index stored_file_of_account on stored_file (account_id, created_at, id) where deleted_at is null;
create index stored_file_expiring on stored_file (least(expires_at, deleted_at));

-- Many requests that are answered within a day.
create table batch (
  id uuid primary key,
  account_id bigint not null references account,
  -- Each line is a call of this key.
  key_id bigint not null,
  endpoint text not null,
  input_file_id uuid not null,
  metadata jsonb,
  status text not null check (status in
    ('validating', 'failed', 'in_progress', 'finalizing', 'completed', 'expired', 'cancelling', 'cancelled')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  in_progress_at timestamptz,
  finalizing_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  expired_at timestamptz,
  cancelling_at timestamptz,
  cancelled_at timestamptz,
  -- When it came to its last status; null: it has not ended.
  ended_at timestamptz,
  -- What is wrong with its input file.
  errors jsonb,
  total int not null default 0 check (total >= 0),
  completed int not null default 0 check (completed >= 0),
  failed int not null default 0 check (failed >= 0),
  output_file_id uuid,
  error_file_id uuid,
  -- The process that works on it, and until when if it says no more.
  lease_owner uuid,
  lease_until timestamptz,
  check ((ended_at is null) = (status in ('validating', 'in_progress', 'finalizing', 'cancelling'))),
  check (completed + failed <= total)
);
create index batch_of_account on batch (account_id, created_at, id);
create index batch_open on batch (created_at) where ended_at is null;
create index batch_ended on batch (ended_at) where ended_at is not null;
create index batch_of_file on batch (input_file_id) where ended_at is null;

-- The requests of a batch that has not ended. A line ends once: with an answer or an error, as its file will have it.
create table batch_line (
  batch_id uuid not null references batch on delete cascade,
  -- Its place among the lines, from 0.
  seq int not null check (seq >= 0),
  -- Where it is in the input file.
  starts_at bigint not null check (starts_at >= 0),
  bytes int not null check (bytes > 0),
  custom_id text not null,
  ended_at timestamptz,
  is_answered boolean,
  -- Its line of the output file or of the error file.
  result text,
  primary key (batch_id, seq),
  check ((ended_at is null) = (is_answered is null) and (ended_at is null) = (result is null))
);
create index batch_line_waiting on batch_line (batch_id, seq) where ended_at is null;
