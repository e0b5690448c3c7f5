-- What a call says of its error, of the providers that it asked and of what each route costs, as usage_fact has it.
-- Attempts that say nothing of the provider are left out there: it was not asked, the client disconnected, or the gateway was at fault.
create or replace function usage_facts(_error_code text, _attempts jsonb)
returns table (kind text, name text, calls bigint, failures bigint, cost bigint) language sql immutable parallel safe as $$
  select 'error', _error_code, 1::bigint, 0::bigint, null::bigint where _error_code is not null
  union all
  select 'provider', split_part(a ->> 'route', '/', 1), 1::bigint,
    (a ->> 'outcome' not in ('ok', 'rejected', 'refused'))::int::bigint, (a ->> 'cost')::bigint
  from jsonb_array_elements(_attempts) a where a ->> 'outcome' not in ('breaker_open', 'aborted', 'gateway_error', 'local_overload')
  union all
  select 'route', a ->> 'route', 1::bigint, 0::bigint, (a ->> 'cost')::bigint from jsonb_array_elements(_attempts) a
$$;
