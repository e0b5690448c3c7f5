// Top-ups: what was asked for and what became of it, and the payment provider's events, each counted once.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table topup (
      id uuid primary key,
      account_id bigint not null references account,
      amount bigint not null check (amount > 0),
      status text not null check (status in ('pending', 'succeeded', 'failed', 'expired')),
      -- The provider's id of the checkout; null until it has answered.
      checkout_id text unique,
      checkout_url text,
      created_at timestamptz not null,
      completed_at timestamptz,
      check ((status = 'pending') = (completed_at is null))
    );
    create index topup_of_account on topup (account_id, created_at desc);

    create table payment_event (
      id text primary key,
      type text not null,
      topup_id uuid references topup,
      received_at timestamptz not null
    );
  `.execute(db);
}
