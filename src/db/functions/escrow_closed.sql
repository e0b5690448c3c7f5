-- Notes that slices of these accounts have given back what they had left, and uncounts the calls that were counted for them in advance.
-- Under the locks of the balances. Windows are locked in the order of rate_take; one that is gone takes nothing.
create or replace function escrow_closed(_account bigint[], _window_account bigint[], _bucket text[], _starts_at timestamptz[], _unused bigint[])
returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  insert into escrow (account_id, closings) select a, count(*) from unnest(_account) a group by a order by a
    on conflict (account_id) do update set closings = escrow.closings + excluded.closings;
  perform 1 from unnest(_window_account, _bucket, _starts_at) u(a, b, s)
    join rate_window w on w.account_id = u.a and w.bucket = u.b and w.starts_at = u.s
    order by w.account_id, w.bucket, w.starts_at for no key update of w;
  update rate_window w set n = greatest(w.n - u.unused, 0)
    from (select a, b, s, sum(c)::bigint as unused from unnest(_window_account, _bucket, _starts_at, _unused) u(a, b, s, c) group by a, b, s) u
    where w.account_id = u.a and w.bucket = u.b and w.starts_at = u.s;
end $$;
