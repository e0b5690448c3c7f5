// One signup credit a mailbox: which address forms lead to the same mailbox is src/text/email-address.ts's, for what was given before this here.
// And from where an account was signed in to: strangers who use up its address's tries don't keep its owner out there. And the browser that
// begins a sign-in at an external provider.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Mailboxes whose signup credit was given, and to whom. Its row is made in the statement that posts the credit.
    create table signup_mailbox (
      mailbox text primary key,
      account_id bigint not null references account,
      created_at timestamptz not null
    );
    insert into signup_mailbox (mailbox, account_id, created_at)
      select distinct on (mailbox) mailbox, account_id, created_at from (
        select
          case when domain in ('gmail.com', 'googlemail.com') then replace(untagged, '.', '') || '@gmail.com' else untagged || '@' || domain end as mailbox,
          account_id, created_at
        from (
          select
            coalesce(nullif(split_part(regexp_replace(a.email_norm, '@[^@]*$', ''), '+', 1), ''), regexp_replace(a.email_norm, '@[^@]*$', '')) as untagged,
            rtrim(substring(a.email_norm from '[^@]*$'), '.') as domain,
            e.account_id, e.created_at
          from ledger_entry e join account a on a.id = e.account_id where e.kind = 'signup_credit'
        ) as parts
      ) as given
      order by mailbox, created_at, account_id;

    -- The digest of what the browser that began a sign-in keeps in a cookie. Null: begun before this, and finished in no browser.
    alter table sign_in_flow add column browser bytea check (length(browser) = 32);

    -- A network from which an account was signed in to of late. The digest is of its address and that network.
    create table known_network (
      hash bytea primary key check (length(hash) = 32),
      account_id bigint not null references account,
      expires_at timestamptz not null
    );
    create index known_network_of_account on known_network (account_id);
    create index known_network_expires on known_network (expires_at);
  `.execute(db);
}
