// The ledger's two hot functions move balances and budgets themselves, once a batch, in the statement that makes what moves them. Its triggers
// did so after each statement: six updates a call where three do, and the start of a dozen statements where five do. They still move them for
// every other statement.
//
// Edited after its release: "set svc.moved" stood at the functions' heads, which a superuser alone may write; the owner of a database could not
// start. A database that has it so keeps it, and the functions do the same there.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await triggers(db);
  await reserve(db);
  await settle(db);
}

/**
 * A setting of its own, which the functions of before don't have: one of them that began before this migration and goes on after it still finds
 * the triggers at work.
 */
async function triggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- As the functions do: the balances first.
    lock table balance in exclusive mode;

    create or replace trigger entries_move_balances after insert on ledger_entry referencing new table as added for each statement
      when (current_setting('svc.moved', true) is distinct from 'by the ledger') execute function apply_entries();
    create or replace trigger holds_reserve after insert on hold referencing new table as added for each statement
      when (current_setting('svc.moved', true) is distinct from 'by the ledger') execute function apply_new_holds();
    create or replace trigger holds_give_back after delete on hold referencing old table as ended for each statement
      when (current_setting('svc.moved', true) is distinct from 'by the ledger') execute function apply_ended_holds();

    create or replace trigger balances_follow_entries before update on balance for each statement
      when (pg_trigger_depth() < 1 and current_setting('svc.moved', true) is distinct from 'by the ledger')
      execute function refuse_change('a balance follows its entries and holds');
    create or replace trigger budgets_follow_entries before update of account_id, key_id, spent, reserved on key_budget for each statement
      when (pg_trigger_depth() < 1 and current_setting('svc.moved', true) is distinct from 'by the ledger')
      execute function refuse_change('a budget follows its entries and holds; set its limit alone');
  `.execute(db);
}

async function reserve(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- As before (0005, 0012), but for what moves the balances.
    create or replace function ledger_reserve(_owner uuid, _account bigint[], _id uuid[], _want bigint[], _least bigint[], _key bigint[],
      _pool text[], _pool_max int[], _group text[], _group_max int[], _ttl interval)
    returns table (n int, granted bigint, available bigint, reserved bigint, refused text, key_left bigint) language plpgsql
    set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
    set enable_mergejoin = off as $$
    #variable_conflict use_column
    declare r record; current bigint; left_over bigint; held bigint; payable bigint; setting text;
      taken jsonb; -- in this batch, by the account at hand: slots by pool and group, money by key
      places bigint[] := '{}'; amounts bigint[] := '{}'; unmoved int; unknown_keys int;
    begin
      setting := set_config('synchronous_commit', 'off', true);
      perform 1 from balance b where b.account_id = any(_account) order by b.account_id for no key update;
      for r in
        select q.n::int as n, q.account_id, q.want, q.least, q.key_id, 'pool ' || q.pool as pool, q.pool_max, 'group ' || q.pool_group as pool_group,
          q.group_max, b.available, b.reserved, h.amount as existing, k.limit_amount - k.spent - k.reserved as key_left,
          case when q.pool is not null then (select count(*) from hold s where s.account_id = q.account_id and s.pool = q.pool
            and s.expires_at > now()) end as pool_used,
          case when q.pool_group is not null then (select count(*) from hold s where s.account_id = q.account_id and s.pool is not null
            and s.pool_group = q.pool_group and s.expires_at > now()) end as group_used
        from unnest(_account, _id, _want, _least, _key, _pool, _pool_max, _group, _group_max)
          with ordinality q(account_id, id, want, least, key_id, pool, pool_max, pool_group, group_max, n)
        join balance b on b.account_id = q.account_id
        left join hold h on h.account_id = q.account_id and h.id = q.id
        left join key_budget k on k.account_id = q.account_id and k.key_id = q.key_id
        order by q.account_id, q.n
      loop
        if current is distinct from r.account_id then
          current := r.account_id; left_over := r.available; held := r.reserved; taken := '{}';
        end if;
        n := r.n; available := left_over; reserved := held; key_left := null; granted := null; refused := null;
        if r.key_left is not null then key_left := r.key_left - coalesce((taken ->> ('key ' || r.key_id))::bigint, 0); end if;
        payable := case when key_left < 0 then 0 else key_left end;
        if r.existing is not null then granted := r.existing;           -- a retried batch
        elsif r.pool_used + coalesce((taken ->> r.pool)::int, 0) >= r.pool_max then refused := 'slot';
        elsif r.group_used + coalesce((taken ->> r.pool_group)::int, 0) >= r.group_max then refused := 'group';
        elsif left_over < 0 or r.least > left_over then refused := 'balance';
        elsif r.least > payable then refused := 'key';
        else
          granted := least(r.want, left_over, payable);
          left_over := left_over - granted; held := held + granted;
          places := places || r.n; amounts := amounts || granted;
          if r.key_left is not null then
            taken := jsonb_set(taken, array['key ' || r.key_id], to_jsonb(r.key_left - key_left + granted));
          end if;
          if r.pool is not null then taken := jsonb_set(taken, array[r.pool], to_jsonb(coalesce((taken ->> r.pool)::int, 0) + 1)); end if;
          if r.pool_group is not null then
            taken := jsonb_set(taken, array[r.pool_group], to_jsonb(coalesce((taken ->> r.pool_group)::int, 0) + 1));
          end if;
        end if;
        return next;
      end loop;

      setting := set_config('svc.moved', 'by the ledger', true); -- of this statement alone; an error takes it back by itself
      with added as (
        insert into hold (account_id, id, amount, owner, expires_at, key_id, pool, pool_group)
          select _account[g.n], _id[g.n], g.amount, _owner, now() + _ttl, _key[g.n], _pool[g.n], _group[g.n]
          from unnest(places, amounts) g(n, amount)
        returning account_id, key_id, amount
      ), moved as (
        select account_id, key_id, sum(amount)::bigint as held from added group by account_id, key_id
      ), totals as (
        select account_id, sum(held)::bigint as held from moved group by account_id
      ), balances as (
        update balance b set available = b.available - t.held, reserved = b.reserved + t.held
        from totals t where b.account_id = t.account_id and b.available >= t.held returning 1
      ), budgets as (
        update key_budget k set reserved = k.reserved + m.held
        from moved m where k.key_id = m.key_id and k.account_id = m.account_id returning 1
      )
      select (select count(*) from totals) - (select count(*) from balances),
        (select count(*) from moved where key_id is not null) - (select count(*) from budgets) into unmoved, unknown_keys;
      setting := set_config('svc.moved', '', true);
      if unmoved > 0 then raise exception 'a hold is above what its account has available' using errcode = 'check_violation'; end if;
      if unknown_keys > 0 then raise exception 'a hold names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
    end $$;
  `.execute(db);
}

async function settle(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- As before (0005, 0012), but for what moves the balances. All of it is one statement, which reads what the lock before it waited for.
    create or replace function ledger_settle(_account bigint[], _id uuid[], _logs jsonb)
    returns table (account_id bigint, balance bigint) language plpgsql
    set lock_timeout = '1s' set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
    set enable_mergejoin = off as $$
    #variable_conflict use_column
    declare accounts bigint[]; left_over bigint[]; unmoved int; unknown_keys int; setting text;
    begin
      -- A charge is durable also where the server doesn't usually wait for the disk. Of this transaction: the function ends before the commit.
      if current_setting('synchronous_commit') = 'off' then setting := set_config('synchronous_commit', 'on', true); end if;
      perform 1 from balance b where b.account_id = any(_account) order by b.account_id for no key update;
      setting := set_config('svc.moved', 'by the ledger', true);
      setting := set_config('svc.chained', 'by ledger_settle', true);
      with ended as (
        delete from hold h using unnest(_account, _id) s(account_id, id) where h.account_id = s.account_id and h.id = s.id
        returning h.account_id, h.key_id, h.amount
      ), logged as (
        insert into usage_log select l.* from jsonb_populate_recordset(null::usage_log, _logs) l on conflict do nothing
        returning account_id, created_at, id, request_id, key_id, cost
      ), last as materialized (
        select a.account_id, e.seq, e.balance_after, e.hash from (select distinct l.account_id from logged l) a
        left join lateral (select * from ledger_entry e where e.account_id = a.account_id order by e.seq desc limit 1) e on true
      ), placed as (
        select l.*, last.hash as before, coalesce(last.seq, 0) + row_number() over one as seq,
          coalesce(last.balance_after, 0) - (sum(l.cost) over one)::bigint as balance_after
        from logged l join last on last.account_id = l.account_id
        where l.cost > 0
          and (select e.seq from ledger_entry e where e.account_id = l.account_id and e.id = l.id and e.kind = 'usage') is null
        window one as (partition by l.account_id order by l.id)
      ), charged as (
        insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
          select account_id, created_at, id, 'usage', -cost, request_id, key_id, seq, balance_after,
            entry_hashes(before, entry_text(account_id, seq, created_at, id, 'usage', -cost, request_id, key_id, balance_after))
              over (partition by account_id order by id)
          from placed
        returning account_id, key_id, amount
      ), moved as (
        select account_id, key_id, sum(held)::bigint as held, sum(cost)::bigint as cost from (
          select account_id, key_id, amount as held, 0 as cost from ended
          union all select account_id, key_id, 0, -amount from charged
          union all select account_id, null, 0, 0 from unnest(_account) u(account_id) -- whose balance is asked for, whatever moves it
        ) m group by account_id, key_id
      ), totals as (
        select account_id, sum(held)::bigint as held, sum(cost)::bigint as cost from moved group by account_id
      ), balances as (
        update balance b set available = b.available + t.held - t.cost, reserved = b.reserved - t.held, spent = b.spent + t.cost
        from totals t where b.account_id = t.account_id returning b.account_id, b.available + b.reserved as balance
      ), budgets as (
        update key_budget k set spent = k.spent + m.cost, reserved = k.reserved - m.held
        from moved m where k.key_id = m.key_id and k.account_id = m.account_id returning 1
      )
      select array_agg(b.account_id), array_agg(b.balance), (select count(*) from totals) - count(*),
        (select count(*) from moved where key_id is not null) - (select count(*) from budgets)
        into accounts, left_over, unmoved, unknown_keys from balances b;
      setting := set_config('svc.moved', '', true);
      setting := set_config('svc.chained', '', true);
      if unmoved > 0 then raise exception 'an entry names an unknown account' using errcode = 'foreign_key_violation'; end if;
      if unknown_keys > 0 then raise exception 'an entry names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
      return query select * from unnest(accounts, left_over);
    end $$;
  `.execute(db);
}
