-- Indexes of what is rare among much: an account's entries of neither calls nor media jobs, its genmedia jobs, and what operators did in a time and
-- at the command line.
-- ledger_entry is read once, while calls wait; nothing that a call or a job posts is in the index. On a big database make it by hand before, with
-- `concurrently`.
create index if not exists ledger_entry_rare on ledger_entry (account_id, seq) where kind not in ('usage', 'hold', 'hold_settle', 'hold_release');
create index if not exists operator_action_at on operator_action (at);
create index if not exists operator_action_shell on operator_action (id) where account_id is null;
create index if not exists media_job_genmedia on media_job (account_id, id) where api = 'genmedia';
