// Accounts and their API keys. Secrets are kept as digests only; every change of who may call is announced,
// so that each replica drops what it had cached (DATA.md 6).
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table account (
      id bigint generated always as identity primary key,
      email text not null check (email <> ''),
      email_norm text not null unique check (email_norm = lower(email_norm)),
      email_verified_at timestamptz,
      suspended_at timestamptz,
      created_at timestamptz not null default now()
    );

    create table api_key (
      id bigint generated always as identity primary key,
      account_id bigint not null references account,
      hash bytea not null unique check (length(hash) = 32),
      prefix text not null check (length(prefix) <= 12),
      last4 text not null check (length(last4) = 4),
      name text not null check (length(name) between 1 and 100),
      is_default boolean not null default false,
      enabled boolean not null default true,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      deleted_at timestamptz
    );
    create unique index api_key_one_default on api_key (account_id) where is_default and deleted_at is null;
    create index api_key_newest on api_key (account_id, created_at desc, id desc) where deleted_at is null;

    create function announce_api_key() returns trigger language plpgsql as $$
    begin
      perform pg_notify('api_key_changed', encode(coalesce(new.hash, old.hash), 'hex'));
      return null;
    end $$;
    create trigger api_key_announced after update of enabled, deleted_at, hash or delete on api_key
      for each row execute function announce_api_key();

    create function announce_account() returns trigger language plpgsql as $$
    begin
      perform pg_notify('account_changed', new.id::text);
      return null;
    end $$;
    create trigger account_announced after update of suspended_at, email_verified_at on account
      for each row execute function announce_account();
  `.execute(db);
}
