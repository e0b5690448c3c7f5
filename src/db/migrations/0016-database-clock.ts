// What a gateway asks of its database beside the calls: its time, which one it is, and whether a commit there still ends.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Which database this is. A managed Postgres may keep a part of it to itself, and each says so with an error of its own: null. The timeline is
    -- read from the log's own name: that of the last checkpoint stays behind for minutes after a promotion.
    create function database_identity() returns table (system_id text, timeline bigint, only_reads boolean) language plpgsql as $$
    begin
      only_reads := pg_is_in_recovery();
      begin
        select c.system_identifier::text into system_id from pg_control_system() c;
      exception when others then system_id := null;
      end;
      begin
        if not only_reads then timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint; end if;
      exception when others then timeline := null;
      end;
      return next;
    end $$;

    -- The last commit of each replica that the database has confirmed. A row of its own: a commit that waits for a standby holds its row's lock,
    -- and nobody may look dead for it.
    create table commit_proof (
      replica uuid primary key,
      count bigint not null,
      at timestamptz not null
    ) with (fillfactor = 50);

    -- Durable, as a charge is. While one hangs, those that follow it give up soon: no more than one of a replica waits in the server. False: what
    -- the replica counted before is not there; it stays as it is, to be looked at.
    create function prove_commit(_replica uuid, _count bigint) returns boolean language plpgsql set lock_timeout = '1s' as $$
    begin
      if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
      update commit_proof p set count = _count, at = clock_timestamp() where p.replica = _replica and p.count between _count - 1 and _count;
      if found or _count > 1 then return found; end if;
      insert into commit_proof values (_replica, _count, clock_timestamp()) on conflict do nothing;
      return found;
    end $$;
  `.execute(db);
}
