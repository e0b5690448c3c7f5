-- Drops an index of usage_rollup that those of the migration before stand for. It waits for those who read sums now.
lock table usage_rollup in access exclusive mode;
drop index usage_rollup_by_time;
