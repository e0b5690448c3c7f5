-- What a request cost the operator at its providers: the sum of its attempts' costs, so that a report adds up a column. Null: no route named
-- its cost, or the row is older. No check, which would read the whole log under a lock.
alter table usage_log add column expense bigint;
