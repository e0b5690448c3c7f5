-- Indexes for pages of large accounts and of all accounts: corrections of a grant, who called in a time, and tags of a time. ledger_entry is read once, while
-- calls wait, and usage_rollup twice, while the task that adds sums waits. On a big database make them by hand before, with `concurrently`.
create index if not exists ledger_entry_corrects on ledger_entry (account_id, corrects) where corrects is not null;
-- Together they stand for usage_rollup_by_time. The first answers by itself which keys and accounts called.
create index if not exists usage_rollup_callers on usage_rollup (span, starts_at, key_id, account_id) where tag_hash = '00000000-0000-0000-0000-000000000000';
create index if not exists usage_rollup_tags on usage_rollup (span, starts_at) where tag_hash <> '00000000-0000-0000-0000-000000000000';
