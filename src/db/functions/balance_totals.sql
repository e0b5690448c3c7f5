-- The sums of all balances: where there are many accounts those that balances_add_up kept lately, else those of now.
create or replace function balance_totals() returns balance_total language plpgsql as $$
declare kept balance_total;
begin
  select * into kept from balance_total where as_of between now() - interval '10 minutes' and now();
  return case when found then kept else balances_added() end;
end $$;

-- As of the beginning of its statement or a little later. One process at a time reads them, and leaves the other cores to calls.
create or replace function balances_added() returns balance_total language plpgsql set max_parallel_workers_per_gather = 0 as $$
declare total balance_total;
begin
  select true, statement_timestamp(), count(*), coalesce(sum(b), 0)::bigint, count(*) filter (where b < 0), coalesce(-sum(least(b, 0)), 0)::bigint
    into total from (select available + reserved as b from balance) balances;
  return total;
end $$;

-- Where there are more accounts than _few, keeps the sums of all balances, of which one process reads all. Nothing waits for it, and no call writes more.
create or replace function balances_add_up(_few int) returns void language plpgsql as $$
begin
  if not exists (select from balance offset _few limit 1) or exists (select from balance_total where as_of between now() - interval '50 seconds' and now())
    or not pg_try_advisory_xact_lock(7322010) then return; end if;
  insert into balance_total select * from balances_added()
    on conflict (only_row) do update set as_of = excluded.as_of, accounts = excluded.accounts, balance = excluded.balance,
      negative_accounts = excluded.negative_accounts, negative = excluded.negative;
end $$;
