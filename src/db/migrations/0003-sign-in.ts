// Signing in: passwords, verification mails, dashboard sessions and identities at external providers (DATA.md 6).
// Every token is kept as its SHA-256 digest; passwords as argon2id.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table account
      -- Shown outside as usr_…: it tells nothing about how many accounts there are.
      add column user_id uuid not null default gen_random_uuid() unique,
      add column name text check (length(name) between 1 and 100),
      add column password_hash text;

    -- A mail that was sent and not answered yet. A row stays until it expires, so that a used token can be told from a wrong one.
    create table verification (
      hash bytea primary key check (length(hash) = 32),
      -- Null: nobody's. Written where there is no mail to send, so that no reply is faster for it; its token was thrown away.
      account_id bigint references account,
      purpose text not null check (purpose in ('verify_email', 'reset_password')),
      -- Of the code in the mail, and how often wrong codes were sent while it counted.
      code_hash bytea check (length(code_hash) = 32),
      code_attempts int not null default 0,
      -- What the sign-up asked for: it holds only once its own mail is answered, so that nobody signs up in another's name.
      password_hash text,
      name text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    );
    create index verification_of_account on verification (account_id, purpose, created_at desc);
    create index verification_expires on verification (expires_at);

    create table session (
      hash bytea primary key check (length(hash) = 32),
      account_id bigint not null references account,
      created_at timestamptz not null,
      last_used_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index session_of_account on session (account_id);
    create index session_expires on session (expires_at);

    -- Who an account is at an external provider.
    create table identity (
      issuer text not null,
      subject text not null,
      account_id bigint not null references account,
      created_at timestamptz not null,
      primary key (issuer, subject)
    );
    create index identity_of_account on identity (account_id);

    -- A sign-in at an external provider that was begun. Works once; a used one stays until it expires.
    create table sign_in_flow (
      hash bytea primary key check (length(hash) = 32),
      provider text not null,
      nonce text not null,
      code_verifier text not null,
      redirect_uri text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    );
    create index sign_in_flow_expires on sign_in_flow (expires_at);
  `.execute(db);
}
