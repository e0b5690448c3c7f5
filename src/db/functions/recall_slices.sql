-- Tells every process to give back what its slices of the account have left.
create or replace function recall_slices() returns trigger language plpgsql as $$
begin
  perform pg_notify('escrow_recall', new.account_id::text);
  return null;
end $$;
