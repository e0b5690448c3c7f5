-- Sums of usage say how much of their revenue has no known cost: a column without a default, whose check the next migration validates.
alter table usage_rollup
  -- What calls brought in whose last route named no cost. Null: it was summed up before it was counted (`svc usage rebuild` counts it).
  add column unmatched bigint,
  add constraint usage_rollup_unmatched_check check (unmatched >= 0) not valid;
