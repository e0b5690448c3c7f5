// The ledger, second part: every entry chained to the one before it, budgets of single keys, slots of calls in flight.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await columns(db);
  await chain(db);
  await backfill(db);
  await budgets(db);
  await lanes(db);
}

async function columns(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_entry
      add column key_id bigint,
      -- Place in the account's ledger, from 1 without a gap; set, like the next two, by a trigger alone.
      add column seq bigint,
      add column balance_after bigint,
      add column hash bytea;

    alter table hold
      add column key_id bigint,
      -- A slot among so many calls of a kind at once, e.g. speech of audio. Null: the call takes none.
      add column pool text,
      add column pool_group text;
    create index hold_slots on hold (account_id, pool) where pool is not null;

    -- What a key may spend and has spent: a projection of entries and holds, kept by triggers alone, but for the limit.
    create table key_budget (
      account_id bigint not null,
      key_id bigint primary key references api_key,
      -- Null: as much as the account has.
      limit_amount bigint check (limit_amount >= 0),
      spent bigint not null default 0 check (spent >= 0),
      reserved bigint not null default 0 check (reserved >= 0)
    ) with (fillfactor = 50);
    create index key_budget_of_account on key_budget (account_id);
  `.execute(db);
}

async function chain(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- What an entry's hash covers, beside the hash before it. A ref may hold line feeds; what follows it cannot, so the text is still that
    -- of one entry only. src/ledger/verify.ts says the same in its own words.
    create function entry_text(_account bigint, _seq bigint, _at timestamptz, _id uuid, _kind text, _amount bigint, _ref text, _key bigint,
      _balance_after bigint) returns text language sql stable as $$
      select _account::text || e'\\n' || _seq::text || e'\\n' || (extract(epoch from _at) * 1000000)::bigint::text || e'\\n' || _id::text || e'\\n'
        || _kind || e'\\n' || _amount::text || e'\\n' || _ref || e'\\n' || coalesce(_key::text, '') || e'\\n' || _balance_after::text
    $$;
    create function next_entry_hash(_state bytea, _before bytea, _text text) returns bytea language plpgsql immutable as $$
    begin
      return sha256(coalesce(_state, _before, '') || convert_to(_text, 'UTF8'));
    end $$;
    -- Over the entries of one account in order: the hash of each, where _before is the one that stands before the first of them.
    create aggregate entry_hashes(_before bytea, _text text) (sfunc = next_entry_hash, stype = bytea);

    -- For every insert but that of ledger_settle, whatever its statement says. The lock comes first, as a statement of its own: only what is
    -- read after it is what the last holder of the lock left. Entries that the same command inserted before this one are seen, too.
    create function chain_entry() returns trigger language plpgsql as $$
    declare last record;
    begin
      perform 1 from balance b where b.account_id = new.account_id for no key update;
      select e.seq, e.balance_after, e.hash into last from ledger_entry e where e.account_id = new.account_id order by e.seq desc limit 1;
      new.seq := coalesce(last.seq, 0) + 1;
      new.balance_after := coalesce(last.balance_after, 0) + new.amount;
      new.hash := next_entry_hash(null, last.hash, entry_text(new.account_id, new.seq, new.created_at, new.id, new.kind, new.amount, new.ref,
        new.key_id, new.balance_after));
      return new;
    end $$;
  `.execute(db);
}

/** Entries that were there before, in the order of their time. Their charges get the request id and the key that the log knows. */
async function backfill(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ledger_entry disable trigger entries_are_append_only;
    do $$
    declare e ledger_entry; log record; last_account bigint; last_seq bigint; last_balance bigint; last_hash bytea;
    begin
      for e in select * from ledger_entry order by account_id, created_at, id, kind loop
        if last_account is distinct from e.account_id then
          last_account := e.account_id; last_seq := 0; last_balance := 0; last_hash := '';
        end if;
        if e.kind = 'usage' then
          select l.request_id, l.key_id into log from usage_log l
            where l.account_id = e.account_id and l.created_at = e.created_at and l.id = e.id;
          e.ref := coalesce(log.request_id, e.ref);
          e.key_id := log.key_id;
        end if;
        e.seq := last_seq + 1;
        e.balance_after := last_balance + e.amount;
        e.hash := next_entry_hash(null, last_hash, entry_text(e.account_id, e.seq, e.created_at, e.id, e.kind, e.amount, e.ref, e.key_id, e.balance_after));
        update ledger_entry x set ref = e.ref, key_id = e.key_id, seq = e.seq, balance_after = e.balance_after, hash = e.hash
          where x.account_id = e.account_id and x.id = e.id and x.kind = e.kind;
        last_seq := e.seq; last_balance := e.balance_after; last_hash := e.hash;
      end loop;
    end $$;
    alter table ledger_entry enable trigger entries_are_append_only;

    alter table ledger_entry alter column seq set not null, alter column balance_after set not null, alter column hash set not null;
    drop index ledger_entry_newest;
    create unique index ledger_entry_chain on ledger_entry (account_id, seq);
    create index ledger_entry_no_usage on ledger_entry (account_id, seq) where kind <> 'usage';
    create trigger entries_are_chained before insert on ledger_entry
      for each row when (current_setting('svc.chained', true) is distinct from 'by ledger_settle') execute function chain_entry();
  `.execute(db);
}

async function budgets(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into key_budget (account_id, key_id, spent)
      select k.account_id, k.id, coalesce((select -sum(e.amount) from ledger_entry e where e.account_id = k.account_id and e.key_id = k.id), 0)
      from api_key k;

    create function open_key_budget() returns trigger language plpgsql as $$
    begin
      insert into key_budget (account_id, key_id) values (new.account_id, new.id);
      return null;
    end $$;
    create trigger key_has_budget after insert on api_key for each row execute function open_key_budget();

    create trigger budgets_follow_entries before update of account_id, key_id, spent, reserved on key_budget
      for each statement when (pg_trigger_depth() < 1) execute function refuse_change('a budget follows its entries and holds; set its limit alone');
    create trigger budgets_start_with_their_key before insert on key_budget
      for each statement when (pg_trigger_depth() < 1) execute function refuse_change('a budget is made with its key');
    create trigger budgets_stay before delete or truncate on key_budget
      for each statement execute function refuse_change('a key keeps its budget');

    -- spent and reserved change under the lock of the account's balance alone, which each of these takes first; a budget's limit changes
    -- without it, one row at a time, and waits for nothing. So no two of them can wait for each other. A limit may be set below what is
    -- spent at any time: it is asked for when a call begins, not a rule that every row must keep.
    create or replace function apply_entries() returns trigger language plpgsql as $$
    declare touched int; wanted int;
    begin
      with s as (
        select account_id, sum(amount)::bigint as total,
          coalesce(sum(amount) filter (where kind = 'deposit'), 0)::bigint as purchased,
          coalesce(sum(amount) filter (where kind in ('signup_credit', 'bonus', 'refund')), 0)::bigint as earned,
          coalesce(-sum(amount) filter (where kind = 'usage'), 0)::bigint as spent
        from added group by account_id
      ), u as (
        update balance b set available = b.available + s.total, purchased = b.purchased + s.purchased,
          earned = b.earned + s.earned, spent = b.spent + s.spent
        from s where b.account_id = s.account_id returning 1
      ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
      if touched <> wanted then raise exception 'an entry names an unknown account' using errcode = 'foreign_key_violation'; end if;
      with s as (
        select account_id, key_id, coalesce(-sum(amount) filter (where kind = 'usage'), 0)::bigint as spent,
          coalesce(-sum(amount) filter (where kind in ('hold', 'hold_settle', 'hold_release')), 0)::bigint as reserved
        from added where key_id is not null group by account_id, key_id
      ), u as (
        update key_budget k set spent = k.spent + s.spent, reserved = k.reserved + s.reserved
        from s where k.key_id = s.key_id and k.account_id = s.account_id returning 1
      ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
      if touched <> wanted then raise exception 'an entry names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
      perform pg_notify('account_changed', account_id::text) from added where kind = 'deposit';
      return null;
    end $$;

    create or replace function apply_new_holds() returns trigger language plpgsql as $$
    declare touched int; wanted int;
    begin
      with s as (select account_id, sum(amount)::bigint as total from added group by account_id),
      u as (
        update balance b set available = b.available - s.total, reserved = b.reserved + s.total
        from s where b.account_id = s.account_id and b.available >= s.total returning 1
      ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
      if touched <> wanted then raise exception 'a hold is above what its account has available' using errcode = 'check_violation'; end if;
      with s as (select account_id, key_id, sum(amount)::bigint as total from added where key_id is not null group by account_id, key_id),
      u as (
        update key_budget k set reserved = k.reserved + s.total
        from s where k.key_id = s.key_id and k.account_id = s.account_id returning 1
      ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
      if touched <> wanted then raise exception 'a hold names a key that its account does not have' using errcode = 'foreign_key_violation'; end if;
      return null;
    end $$;

    create or replace function apply_ended_holds() returns trigger language plpgsql as $$
    begin
      update balance b set available = b.available + s.total, reserved = b.reserved - s.total
      from (select account_id, sum(amount)::bigint as total from ended group by account_id) s where b.account_id = s.account_id;
      update key_budget k set reserved = k.reserved - s.total
      from (select key_id, sum(amount)::bigint as total from ended where key_id is not null group by key_id) s where k.key_id = s.key_id;
      return null;
    end $$;
    drop trigger holds_keep_their_amount on hold;
    create trigger holds_keep_what_they_hold before update of account_id, id, amount, key_id, pool, pool_group on hold
      for each statement execute function refuse_change('a hold keeps its amount, key and slot until it ends');
  `.execute(db);
}

async function lanes(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Grants each request what it wants or, where less is left, what is left to the account and to the key, if that is at least its least;
    -- refuses it for its slot, its group of slots, the balance or the key, in this order. In a batch each one counts for those behind it.
    -- Lock and read are two statements: a lock inside the same one would read an older snapshot (DATA.md 2, pitfall 1).
    -- Commits without waiting for the disk: a reservation need not outlive the server. A balance that somebody holds is given up after a
    -- second, for the sake of the others in the batch.
    -- The one of before, without keys and slots, stays for replicas of the last release that still run; a later migration drops it.
    create function ledger_reserve(_owner uuid, _account bigint[], _id uuid[], _want bigint[], _least bigint[], _key bigint[],
      _pool text[], _pool_max int[], _group text[], _group_max int[], _ttl interval)
    returns table (n int, granted bigint, available bigint, reserved bigint, refused text, key_left bigint) language plpgsql
    set lock_timeout = '1s' as $$
    #variable_conflict use_column
    declare r record; current bigint; left_over bigint; held bigint; payable bigint;
      taken jsonb; -- in this batch, by the account at hand: slots by pool and group, money by key
      places bigint[] := '{}'; amounts bigint[] := '{}';
    begin
      perform set_config('synchronous_commit', 'off', true);
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
      insert into hold (account_id, id, amount, owner, expires_at, key_id, pool, pool_group)
        select q.account_id, q.id, g.amount, _owner, now() + _ttl, q.key_id, q.pool, q.pool_group
        from unnest(_account, _id, _key, _pool, _group) with ordinality q(account_id, id, key_id, pool, pool_group, n)
        join unnest(places, amounts) g(n, amount) on g.n = q.n;
    end $$;

    -- As before; a charge names its request and its key. It chains what it inserts itself, a batch at once instead of row by row, which adds
    -- 5 to 10 us a charge where the trigger adds 19: under the lock nothing can come between. Charges that are there already are left out beforehand, since a
    -- link that is passed over would leave a gap. Its plans are made when the tables are small and used when they are big: no scan of a whole
    -- table, and no join that the planner could make of the look-ups.
    -- Edited after its release, as 0013: the setting was the function's own, which Postgres lets a superuser alone write. Who has it, keeps it.
    create or replace function ledger_settle(_account bigint[], _id uuid[], _logs jsonb)
    returns table (account_id bigint, balance bigint) language plpgsql
    set enable_seqscan = off set lock_timeout = '1s' as $$
    #variable_conflict use_column
    begin
      -- A charge is durable also where the server doesn't usually wait for the disk. Of this transaction: the function ends before the commit.
      if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
      perform 1 from balance b where b.account_id = any(_account) order by b.account_id for no key update;
      delete from hold h using unnest(_account, _id) s(account_id, id) where h.account_id = s.account_id and h.id = s.id;
      perform set_config('svc.chained', 'by ledger_settle', true);
      with logged as (
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
      )
      insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
        select account_id, created_at, id, 'usage', -cost, request_id, key_id, seq, balance_after,
          entry_hashes(before, entry_text(account_id, seq, created_at, id, 'usage', -cost, request_id, key_id, balance_after))
            over (partition by account_id order by id)
        from placed;
      perform set_config('svc.chained', '', true);
      return query select b.account_id, b.available + b.reserved from balance b where b.account_id = any(_account);
    end $$;
  `.execute(db);
}
