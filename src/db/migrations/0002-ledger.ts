// The ledger (src/ledger/README.md). Entries and holds are the facts; `balance` is their projection, kept by
// triggers alone, so that a row written by hand can't make the two disagree.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await tables(db);
  await guards(db);
  await lanes(db);
}

async function tables(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- available + reserved = the sum of the account's entries. available may fall below 0 only through a
    -- settlement above its reservation. fillfactor: the row is rewritten by every batch, in place (HOT).
    create table balance (
      account_id bigint primary key references account,
      available bigint not null default 0,
      reserved bigint not null default 0 check (reserved >= 0),
      purchased bigint not null default 0 check (purchased >= 0),
      earned bigint not null default 0 check (earned >= 0),
      spent bigint not null default 0 check (spent >= 0)
    ) with (fillfactor = 50);

    -- A replica that stops beating for 9 s is dead and its reservations are given back.
    create table replica (
      id uuid primary key,
      seen_at timestamptz not null default now()
    );

    -- A reservation of a call in flight. No entry: it only moves money from available to reserved.
    create table hold (
      account_id bigint not null,
      id uuid not null,
      amount bigint not null check (amount >= 0),
      owner uuid not null,
      expires_at timestamptz not null,
      primary key (account_id, id)
    ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
    create index hold_owner on hold (owner);

    create table ledger_entry (
      account_id bigint not null,
      created_at timestamptz not null,
      id uuid not null,
      kind text not null,
      amount bigint not null check (amount <> 0),
      ref text not null,
      primary key (account_id, id, kind),
      constraint kind_decides_sign check (
        (kind in ('deposit', 'signup_credit', 'bonus', 'refund', 'hold_settle', 'hold_release') and amount > 0)
        or (kind in ('usage', 'hold') and amount < 0)
      )
    );
    -- With the primary key: one charge a request, one end of a hold, one signup credit an account.
    create unique index ledger_entry_hold_ends_once on ledger_entry (account_id, id) where kind in ('hold_settle', 'hold_release');
    create unique index ledger_entry_signup_once on ledger_entry (account_id) where kind = 'signup_credit';
    create index ledger_entry_newest on ledger_entry (account_id, created_at desc);

    -- One row a request that was admitted, written with its settlement. Partitioned by month: see ensure_partitions.
    create table usage_log (
      account_id bigint not null,
      created_at timestamptz not null,
      id uuid not null,
      request_id text not null,
      key_id bigint,
      operation text not null,
      model text not null,
      alias text,
      served_model text,
      status text not null check (status in ('success', 'aborted', 'failed')),
      http_status int not null,
      error_code text,
      input_tokens bigint not null default 0 check (input_tokens >= 0),
      cache_read_tokens bigint not null default 0 check (cache_read_tokens >= 0),
      cache_write_tokens bigint not null default 0 check (cache_write_tokens >= 0),
      output_tokens bigint not null default 0 check (output_tokens >= 0),
      reasoning_tokens bigint not null default 0 check (reasoning_tokens between 0 and output_tokens),
      estimated boolean not null default false,
      cost bigint not null check (cost >= 0),
      reserved bigint not null check (reserved >= 0),
      prices jsonb not null,
      attempts jsonb not null,
      stream boolean not null,
      fallback_layer int,
      latency_ms int not null,
      first_byte_ms int,
      primary key (account_id, created_at, id),
      constraint failures_are_free check (status <> 'failed' or cost = 0)
    ) partition by range (created_at);
  `.execute(db);
}

async function guards(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% on % is refused: %', lower(tg_op), tg_table_name, tg_argv[0] using errcode = 'restrict_violation';
    end $$;

    create trigger entries_are_append_only before update or delete or truncate on ledger_entry
      for each statement execute function refuse_change('entries are append-only; correct with a new entry');
    create trigger holds_keep_their_amount before update of account_id, id, amount on hold
      for each statement execute function refuse_change('a hold keeps its amount until it ends');
    create trigger holds_end_one_by_one before truncate on hold
      for each statement execute function refuse_change('holds end by delete');
    create trigger balances_stay before delete or truncate on balance
      for each statement execute function refuse_change('an account keeps its balance row');

    -- Depth 1 is a statement of a client, deeper ones come from the triggers below.
    create trigger balances_follow_entries before update on balance
      for each statement when (pg_trigger_depth() < 1) execute function refuse_change('a balance follows its entries and holds');
    create function balance_starts_empty() returns trigger language plpgsql as $$
    begin
      if (new.available, new.reserved, new.purchased, new.earned, new.spent) is distinct from (0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint) then
        raise exception 'insert on balance is refused: a balance starts at zero' using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
    create trigger balances_start_empty before insert on balance for each row execute function balance_starts_empty();

    create function open_balance() returns trigger language plpgsql as $$
    begin
      insert into balance (account_id) values (new.id);
      return null;
    end $$;
    create trigger account_has_balance after insert on account for each row execute function open_balance();

    create function apply_entries() returns trigger language plpgsql as $$
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
      perform pg_notify('account_changed', account_id::text) from added where kind = 'deposit';
      return null;
    end $$;
    create trigger entries_move_balances after insert on ledger_entry
      referencing new table as added for each statement execute function apply_entries();

    create function apply_new_holds() returns trigger language plpgsql as $$
    declare touched int; wanted int;
    begin
      with s as (select account_id, sum(amount)::bigint as total from added group by account_id),
      u as (
        update balance b set available = b.available - s.total, reserved = b.reserved + s.total
        from s where b.account_id = s.account_id and b.available >= s.total returning 1
      ) select (select count(*) from u), (select count(*) from s) into touched, wanted;
      if touched <> wanted then raise exception 'a hold is above what its account has available' using errcode = 'check_violation'; end if;
      return null;
    end $$;
    create trigger holds_reserve after insert on hold
      referencing new table as added for each statement execute function apply_new_holds();

    create function apply_ended_holds() returns trigger language plpgsql as $$
    begin
      update balance b set available = b.available + s.total, reserved = b.reserved - s.total
      from (select account_id, sum(amount)::bigint as total from ended group by account_id) s where b.account_id = s.account_id;
      return null;
    end $$;
    create trigger holds_give_back after delete on hold
      referencing old table as ended for each statement execute function apply_ended_holds();
  `.execute(db);
}

async function lanes(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Grants each request what it wants or, where less is left, what is left, if that is at least its least.
    -- Lock and read are two statements: a lock inside the same one would read an older snapshot (DATA.md 2, pitfall 1).
    -- Commits without waiting for the disk: a reservation need not outlive the server.
    create function ledger_reserve(_owner uuid, _account bigint[], _id uuid[], _want bigint[], _least bigint[], _ttl interval)
    returns table (n int, granted bigint, available bigint, reserved bigint) language plpgsql as $$
    #variable_conflict use_column
    declare r record; current bigint; left_over bigint; held bigint;
      accounts bigint[] := '{}'; ids uuid[] := '{}'; amounts bigint[] := '{}';
    begin
      perform set_config('synchronous_commit', 'off', true);
      perform 1 from balance b where b.account_id = any(_account) order by b.account_id for no key update;
      for r in
        select q.n::int as n, q.account_id, q.id, q.want, q.least, b.available, b.reserved, h.amount as existing
        from unnest(_account, _id, _want, _least) with ordinality q(account_id, id, want, least, n)
        join balance b on b.account_id = q.account_id
        left join hold h on h.account_id = q.account_id and h.id = q.id
        order by q.account_id, q.n
      loop
        if current is distinct from r.account_id then
          current := r.account_id; left_over := r.available; held := r.reserved;
        end if;
        n := r.n; available := left_over; reserved := held;
        if r.existing is not null then granted := r.existing;           -- a retried batch
        elsif r.least <= left_over and left_over >= 0 then
          granted := least(r.want, left_over);
          left_over := left_over - granted; held := held + granted;
          accounts := accounts || r.account_id; ids := ids || r.id; amounts := amounts || granted;
        else granted := null;
        end if;
        return next;
      end loop;
      insert into hold (account_id, id, amount, owner, expires_at)
        select a, i, m, _owner, now() + _ttl from unnest(accounts, ids, amounts) u(a, i, m);
    end $$;

    -- Ends holds and charges what the log rows say. Exactly once: only a log row that is new makes an entry, and its
    -- key is fixed by the request, so a repeated batch changes nothing. A hold that was swept is charged all the same.
    -- Durable before it returns.
    create function ledger_settle(_account bigint[], _id uuid[], _logs jsonb)
    returns table (account_id bigint, balance bigint) language plpgsql as $$
    #variable_conflict use_column
    begin
      perform 1 from balance b where b.account_id = any(_account) order by b.account_id for no key update;
      delete from hold h using unnest(_account, _id) s(account_id, id) where h.account_id = s.account_id and h.id = s.id;
      with logged as (
        insert into usage_log select l.* from jsonb_populate_recordset(null::usage_log, _logs) l on conflict do nothing
        returning account_id, created_at, id, cost
      )
      insert into ledger_entry (account_id, created_at, id, kind, amount, ref)
        select account_id, created_at, id, 'usage', -cost, 'request' from logged where cost > 0 on conflict do nothing;
      return query select b.account_id, b.available + b.reserved from balance b where b.account_id = any(_account);
    end $$;

    -- Gives back the holds whose time is over or whose replica stopped beating.
    create function ledger_sweep(_dead_after interval) returns int language plpgsql as $$
    #variable_conflict use_column
    declare touched bigint[]; swept int;
    begin
      if not pg_try_advisory_xact_lock(7322001) then return 0; end if;
      touched := array(select distinct h.account_id from hold h where h.expires_at < now()
        or not exists (select 1 from replica r where r.id = h.owner and r.seen_at > now() - _dead_after) limit 1000);
      if touched = '{}' then return 0; end if;
      perform 1 from balance b where b.account_id = any(touched) order by b.account_id for no key update;
      with ended as (
        delete from hold h where h.account_id = any(touched) and (h.expires_at < now()
          or not exists (select 1 from replica r where r.id = h.owner and r.seen_at > now() - _dead_after)) returning 1
      ) select count(*) into swept from ended;
      return swept;
    end $$;

    -- Makes the monthly partitions of a table up to _ahead months from now. Any replica may call it at any time.
    create function ensure_partitions(_parent text, _ahead int) returns void language plpgsql as $$
    declare start_at timestamptz := (date_trunc('month', now() at time zone 'utc') - interval '1 month') at time zone 'utc'; end_at timestamptz; part text;
    begin
      perform pg_advisory_xact_lock(7322002);
      for i in 0 .. _ahead + 1 loop
        end_at := (start_at at time zone 'utc' + interval '1 month') at time zone 'utc';
        part := _parent || to_char(start_at at time zone 'utc', '_YYYY_MM');
        if to_regclass(part) is null then
          execute format('create table %I partition of %I for values from (%L) to (%L)', part, _parent, start_at, end_at);
        end if;
        start_at := end_at;
      end loop;
    end $$;
    select ensure_partitions('usage_log', 3);
  `.execute(db);
}
