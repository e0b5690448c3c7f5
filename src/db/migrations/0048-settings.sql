-- What operators change of the settings while the gateway runs: a new, small table.
create table setting (
  -- As operators' operations name it.
  field text primary key,
  value jsonb not null,
  changed_at timestamptz not null,
  changed_by text not null
);
