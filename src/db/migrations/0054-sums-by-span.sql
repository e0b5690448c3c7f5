-- Sums over all accounts lie apart by their span, so that a year of days is read from few pages: each was on one of its own among hours and quarters.
-- They are copied once, for which the task that adds sums and operators' pages wait; calls don't.

alter table usage_total rename to usage_total_together;
alter index usage_total_pkey rename to usage_total_together_pkey;

create table usage_total (
  -- Minutes: 15, 60 or 1440.
  span smallint not null,
  starts_at timestamptz not null,
  model text not null,
  operation text not null,
  failed boolean not null,
  -- provider/upstream model of the last attempt; empty: there was none.
  route text not null,
  requests bigint not null,
  input_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost bigint not null,
  -- Null: no route named its cost.
  expense bigint,
  -- What calls brought in whose last route named no cost.
  unmatched bigint not null,
  -- Histograms, as in usage_rollup.
  latency numeric not null,
  first_byte numeric not null,
  primary key (span, starts_at, model, operation, failed, route)
) partition by list (span);

create table usage_total_quarters partition of usage_total for values in (15) with (fillfactor = 80);
create table usage_total_hours partition of usage_total for values in (60) with (fillfactor = 80);
create table usage_total_days partition of usage_total for values in (1440) with (fillfactor = 80);

insert into usage_total select * from usage_total_together order by span, starts_at;
drop table usage_total_together;
