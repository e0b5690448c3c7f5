-- An index that answers by itself which keys and accounts called in a time, and what each was charged: an operator's page of the largest needs no more.
-- It reads usage_rollup once, while the task that adds sums waits. On a big database make it by hand before, with `concurrently`.
create index if not exists usage_rollup_charges on usage_rollup (span, starts_at, key_id, account_id) include (cost)
  where tag_hash = '00000000-0000-0000-0000-000000000000';
