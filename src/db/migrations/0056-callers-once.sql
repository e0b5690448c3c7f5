-- Drops the index of usage_rollup that the one of the migration before stands for. It waits for those who read sums now.
lock table usage_rollup in access exclusive mode;
drop index usage_rollup_callers;
