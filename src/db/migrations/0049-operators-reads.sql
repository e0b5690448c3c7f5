-- Indexes for what operators read: refunds of a time, suspended accounts, accounts by a part of their address, and actions of a kind. Each table is read
-- once, and what writes it waits meanwhile, calls for ledger_entry alone. On a big database make them by hand before, with `concurrently`.
create index if not exists ledger_entry_refunds on ledger_entry (created_at) where kind in ('refund', 'earned_adjustment');
create index if not exists account_suspended on account (id) where suspended_at is not null;
-- The one to three characters at each place of an address. They are split by blanks, and no extension of Postgres is needed.
create index if not exists account_email_parts on account using gin (array_to_tsvector(array_remove(string_to_array(
  regexp_replace(lower(email collate "C"), '(...)', '\1 ', 'g') || ' ' || regexp_replace(substr(lower(email collate "C"), 2), '(...)', '\1 ', 'g') || ' '
    || regexp_replace(substr(lower(email collate "C"), 3), '(...)', '\1 ', 'g'), ' '), '')));
create index if not exists operator_action_action on operator_action (action, id desc);

-- Since when the sums know what each route costs; null until the first is added. Before it they may be incomplete.
alter table usage_rollup_state add column routes_since timestamptz;
