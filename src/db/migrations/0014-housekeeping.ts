// Housekeeping that nobody's calls wait for.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await partitions(db);
  await rounds(db);
}

async function partitions(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- As before (0011), but a month is made beside its table and then attached: only whoever changes the table, too, waits for that. Made as
    -- a part of it, a month would wait for a dump or an audit to end, and every settlement for the month. The lock's time counts from here on:
    -- whoever waits for another replica is in nobody's way.
    create or replace function ensure_partitions(_parent text, _ahead int) returns void language plpgsql as $$
    declare start_at timestamptz := (date_trunc('month', now() at time zone 'utc') - interval '1 month') at time zone 'utc'; end_at timestamptz; part text;
    begin
      perform pg_advisory_xact_lock(7322002);
      perform set_config('lock_timeout', '1s', true);
      for i in 0 .. _ahead + 1 loop
        end_at := (start_at at time zone 'utc' + interval '1 month') at time zone 'utc';
        part := _parent || to_char(start_at at time zone 'utc', '_YYYY_MM');
        if to_regclass(part) is null then
          execute format('create table %I (like %I including all)', part, _parent);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)', _parent, part, start_at, end_at);
        end if;
        start_at := end_at;
      end loop;
      if _parent = 'usage_log' then perform ensure_log_statistics(); end if;
    end $$;
  `.execute(db);
}

async function rounds(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Locks balances in the order in which everybody does, and says whose: those that nobody else has at the moment or, for whoever waits, all
    -- or none after half a second.
    create function lock_balances(_account bigint[], _waits boolean) returns setof bigint language plpgsql set lock_timeout = '500ms' as $$
    begin
      if _waits then
        return query select b.account_id from balance b where b.account_id = any(_account) order by b.account_id for no key update;
      else
        return query select b.account_id from balance b where b.account_id = any(_account) order by b.account_id for no key update skip locked;
      end if;
    end $$;

    -- Holds whose time is over or whose replica stopped beating.
    create function ledger_sweepable(_dead_after interval) returns setof hold language sql stable as $$
      select h.* from hold h where h.expires_at < now()
        or not exists (select 1 from replica r where r.id = h.owner and r.seen_at > now() - _dead_after)
    $$;

    -- Gives back those of the accounts whose balances could be locked, and says whose these are.
    create function ledger_sweep(_dead_after interval, _account bigint[], _waits boolean) returns setof bigint language plpgsql as $$
    begin
      if not pg_try_advisory_xact_lock(7322001) then return query select unnest(_account); return; end if; -- another one sweeps
      _account := array(select lock_balances(_account, _waits));
      delete from hold h where h.account_id = any(_account)
        and (h.account_id, h.id) in (select s.account_id, s.id from ledger_sweepable(_dead_after) s);
      return query select unnest(_account);
    end $$;

    -- As before (0002), for whoever still calls it, but without the accounts whose balance somebody else has. Returns of how many it swept.
    create or replace function ledger_sweep(_dead_after interval) returns int language sql as $$
      select count(*)::int from ledger_sweep(_dead_after, array(select distinct s.account_id from ledger_sweepable(_dead_after) s limit 1000), false)
    $$;
  `.execute(db);
}
