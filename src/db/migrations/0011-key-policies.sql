-- What a key may do (null: whatever its account may), and the secret that it had before it was rolled.
alter table api_key
  add expires_at timestamptz,
  -- Ids of the catalog, or `vendor/*`.
  add allowed_models text[],
  add allowed_operations text[],
  -- Each an address with the length of its prefix.
  add allowed_networks text[],
  add scopes text[],
  add rpm int check (rpm > 0),
  add tpm int check (tpm > 0),
  add old_hash bytea unique check (length(old_hash) = 32),
  add old_until timestamptz,
  add check ((old_hash is null) = (old_until is null));
drop trigger api_key_announced on api_key;
create trigger api_key_announced
  after update of enabled, deleted_at, hash, old_hash, expires_at, allowed_models, allowed_operations, allowed_networks, scopes, rpm, tpm
  or delete on api_key for each row execute function announce_api_key();

-- A budget that begins anew with each hour, day, week or month of UTC, beside the one of the key's life (limit_amount). period_spent counts until
-- period_ends; after that, and before the first charge, nothing is spent. What is reserved counts in whichever period runs.
alter table key_budget
  add period text check (period in ('hour', 'day', 'week', 'month')),
  add period_limit bigint check (period_limit >= 0),
  add period_spent bigint not null default 0 check (period_spent >= 0),
  add period_ends timestamptz;
drop trigger budgets_recall_slices on key_budget;
create trigger budgets_recall_slices after update of limit_amount, period, period_limit on key_budget
  for each row when (new.limit_amount is distinct from old.limit_amount or new.period_limit is distinct from old.period_limit
    or new.period is distinct from old.period) execute function recall_slices();
