-- Decides a batch of requests. Each takes from some buckets, all of them or none. Used is what the current window holds plus the share of
-- the previous one that the last _seconds still reach into (src/limits/window.ts computes the same).
-- _bucket… are the batch's buckets, _start a window's epoch second or 0 for the current one; _request… are the takes, grouped by request:
-- its number, the bucket's place, the amount (below 0 gives back) and the limit (below 0: none).
-- A deleted window takes nothing. The clock is this server's: one for all replicas. The settings keep a plan made on an empty table
-- from scanning a full one.
create or replace function rate_take(_account bigint[], _bucket text[], _seconds int[], _start bigint[],
  _request int[], _place int[], _amount bigint[], _limit bigint[])
returns table (at_ms bigint, refused int, n bigint, previous bigint, each_n bigint[], each_previous bigint[])
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  starts bigint[]; counts bigint[]; carried bigint[]; befores bigint[]; changes bigint[]; found int[]; places int := cardinality(_account);
  missing int; more bigint; minute bigint; takes int := cardinality(_request); first int; k int := 1;
begin
  perform set_config('synchronous_commit', 'off', true); -- no count need outlive the server
  loop
    at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
    -- The minute ended while we waited, so its windows are no longer the ones to take from. A process that makes the next minute's rows waits
    -- for the locks that we hold: the caller repeats, without any lock.
    if at_ms / 60000 <> minute then raise exception 'the minute ended while its counts were awaited' using errcode = 'serialization_failure'; end if;
    minute := at_ms / 60000;
    starts := array(select case when s > 0 then s else at_ms / 1000 / sec * sec end
      from unnest(_start, _seconds) with ordinality u(s, sec, i) order by i);
    select count(*) filter (where r.given = 0 and r.n is null), array_agg(r.previous order by r.i),
        array_agg((r.previous * (r.ms - at_ms % r.ms) + r.ms - 1) / r.ms order by r.i)
      into missing, befores, carried
      from (select u.i, u.given, u.sec * 1000::bigint as ms, w.n, coalesce(p.n, 0) as previous
        from unnest(_account, _bucket, _seconds, _start, starts) with ordinality u(a, b, sec, given, s, i)
        left join rate_window w on w.account_id = u.a and w.bucket = u.b and w.starts_at = to_timestamp(u.s)
        left join rate_window p on p.account_id = u.a and p.bucket = u.b and p.starts_at = to_timestamp(u.s - u.sec)) r;
    if missing > 0 then
      insert into rate_window (account_id, bucket, starts_at, seconds, n)
        select a, b, to_timestamp(s), sec, 0 from unnest(_account, _bucket, starts, _seconds, _start) u(a, b, s, sec, given)
        where given = 0 order by a, b collate "C", s on conflict do nothing;
      -- The process that makes a window waits for those that still take from the one before it; all others wait for that process.
      perform 1 from unnest(_account, _bucket, starts, _seconds) u(a, b, s, sec) join rate_window w
        on w.account_id = u.a and w.bucket = u.b and w.starts_at between to_timestamp(u.s - u.sec) and to_timestamp(u.s)
        order by w.account_id, w.bucket, w.starts_at for no key update of w;
      continue;
    end if;
    -- A locking statement returns the newest state of the rows that it locks.
    select array_agg(o.i order by o.i), array_agg(o.n order by o.i) into found, counts
      from (select u.i, w.n from unnest(_account, _bucket, starts) with ordinality u(a, b, s, i) join rate_window w
        on w.account_id = u.a and w.bucket = u.b and w.starts_at = to_timestamp(u.s)
        order by w.account_id, w.bucket, w.starts_at for no key update of w) o;
    exit when minute = floor(extract(epoch from clock_timestamp()) / 60);
  end loop;
  if cardinality(found) is distinct from places then -- a named window was deleted
    counts := array(select o.n from generate_series(1, places) g(i) left join unnest(found, counts) o(i, n) on o.i = g.i order by g.i);
  end if;
  -- A named window may be the current one, which then has two places: what is given back counts at once.
  if 0 < any (_start) then
    _place := array(select o.at from unnest(_place) with ordinality t(place, k) join (
        select i, min(i) over (partition by a, b, s)::int as at from unnest(_account, _bucket, starts) with ordinality u(a, b, s, i)
      ) o on o.i = t.place order by t.k);
  end if;

  changes := array_fill(0::bigint, array[places]);

  while k <= takes loop
    first := k; refused := 0; each_n := null; each_previous := null;
    loop
      if refused = 0 and _limit[k] >= 0
          and counts[_place[k]] + changes[_place[k]] + carried[_place[k]] + _amount[k] > _limit[k] then
        refused := k - first + 1;
      end if;
      k := k + 1;
      exit when k > takes or _request[k] <> _request[first];
    end loop;
    if refused = 0 then
      for j in first .. k - 1 loop
        more := greatest(_amount[j], -(counts[_place[j]] + changes[_place[j]])); -- no window falls below 0
        changes[_place[j]] := changes[_place[j]] + more;
      end loop;
    else -- the wait covers every bucket of the request
      for j in first .. k - 1 loop
        each_n := each_n || counts[_place[j]] + changes[_place[j]]; each_previous := each_previous || befores[_place[j]];
      end loop;
    end if;
    n := counts[_place[first]] + changes[_place[first]]; previous := befores[_place[first]];
    return next;
  end loop;

  update rate_window w set n = w.n + d.change
    from (select a, b, s, sum(c)::bigint as change from unnest(_account, _bucket, starts, changes) u(a, b, s, c)
      where c <> 0 group by a, b, s) d
    where w.account_id = d.a and w.bucket = d.b and w.starts_at = to_timestamp(d.s);
end $$;
