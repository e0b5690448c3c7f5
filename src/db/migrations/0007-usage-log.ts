// The usage log, second part: what its readers need.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table usage_log
      add column model_type text,
      -- The sentence that the caller got.
      add column error_message text;
    update usage_log set model_type = 'language';
    create index usage_log_request on usage_log (account_id, request_id);
  `.execute(db);
}
