-- A row of the usage log that is written so long after its call came in is named in usage_late, in the same transaction. All others are
-- written earlier, so usage_roll_up knows when it has seen them.
create or replace function usage_late_after() returns interval language sql immutable parallel safe as $$ select interval '10 minutes' $$;
