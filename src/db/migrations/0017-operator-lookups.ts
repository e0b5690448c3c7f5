// What an operator looks up in the usage log: one call by its id, whoever made it, and how the calls of the last minutes went.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The same columns, the request first: it serves an account's own look-ups as before, and writing it costs what it did.
    drop index usage_log_request;
    create index usage_log_request on usage_log (request_id, account_id, created_at);

    -- Rows lie about in the order of their time: a page of this index stands for many of them, and a new row hardly ever touches it.
    create index usage_log_recent on usage_log using brin (created_at) with (pages_per_range = 32, autosummarize = on);
  `.execute(db);
}
