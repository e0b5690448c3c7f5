-- Budgets that begin anew with each hour, day, week or month of UTC. All three are inlined: write them in a statement, with a variable as _at.

-- What a budget has left at a moment, the least of its life and its period; null: it has no limit.
create or replace function budget_left(_limit bigint, _spent bigint, _reserved bigint, _period_limit bigint, _period_spent bigint,
  _period_ends timestamptz, _at timestamptz) returns bigint language sql immutable as $$
  select least(_limit - _spent - _reserved, _period_limit - _reserved - case when _at < _period_ends then _period_spent else 0 end)
$$;

-- What its period has spent after a charge (a refund: less than 0, given back to the period that runs, as far as that spent).
create or replace function budget_period_spent(_period text, _period_spent bigint, _period_ends timestamptz, _charge bigint, _at timestamptz)
returns bigint language sql immutable as $$
  select case when _period is null then 0 when _at < _period_ends then greatest(_period_spent + _charge, 0) else greatest(_charge, 0) end
$$;

-- When the period that is running after a charge ends.
create or replace function budget_period_ends(_period text, _period_ends timestamptz, _at timestamptz)
returns timestamptz language sql immutable as $$
  select case when _period is null then null when _at < _period_ends then _period_ends
    else (date_trunc(_period, _at at time zone 'UTC') + ('1 ' || _period)::interval) at time zone 'UTC' end
$$;
