// Rates: how often each limit was used in each window (DATA.md 4). Not logged: a crash of the server only begins every minute anew.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table rate_window (
      -- 0: callers without an account, whose bucket names their address.
      account_id bigint not null,
      bucket text not null,
      starts_at timestamptz not null,
      seconds int not null,
      n bigint not null,
      primary key (account_id, bucket, starts_at)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
  `.execute(db);
}
