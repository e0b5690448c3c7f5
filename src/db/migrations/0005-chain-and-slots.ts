// The ledger, second part: every entry chained to the one before it, budgets of single keys, slots of calls in flight.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
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

    -- What a key may spend and has spent: a projection of entries and holds, kept by triggers alone, but for the limit.
    create table key_budget (
      account_id bigint not null,
      key_id bigint primary key references api_key,
      -- Null: as much as the account has.
      limit_amount bigint check (limit_amount >= 0),
      spent bigint not null default 0 check (spent >= 0),
      reserved bigint not null default 0 check (reserved >= 0)
    ) with (fillfactor = 50);
    insert into key_budget (account_id, key_id) select account_id, id from api_key;
  `.execute(db);
}
