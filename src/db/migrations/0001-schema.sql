-- The tables with their constraints, indexes and triggers. Their functions stand in src/db/functions.

-- Accounts and their API keys. Secrets are kept as digests only. A change of who may call is published to every process, which drops what
-- it has cached.

create table account (
  id bigint generated always as identity primary key,
  email text not null check (email <> ''),
  email_norm text not null unique check (email_norm = lower(email_norm)),
  email_verified_at timestamptz,
  suspended_at timestamptz,
  created_at timestamptz not null default now(),
  -- Shown outside as usr_…: it doesn't tell how many accounts there are.
  user_id uuid not null default gen_random_uuid() unique,
  name text check (length(name) between 1 and 100),
  -- argon2id.
  password_hash text
);
create trigger account_announced after update of suspended_at, email_verified_at on account
  for each row execute function announce_account();
create trigger account_has_balance after insert on account for each row execute function open_balance();

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
-- Masked forms, of deleted keys as well.
create index api_key_masked on api_key (account_id, prefix, last4);
create trigger api_key_announced after update of enabled, deleted_at, hash or delete on api_key
  for each row execute function announce_api_key();
create trigger key_has_budget after insert on api_key for each row execute function open_key_budget();

-- Signing in: verification mails, dashboard sessions and identities at external providers. Every token is kept as its SHA-256 digest.

-- A mail that was sent and not answered yet. A row stays until it expires, so that a used token can be told from a wrong one.
create table verification (
  hash bytea primary key check (length(hash) = 32),
  -- Null: there was no mail to send and the token was thrown away. The row is written so that the reply takes as long.
  account_id bigint references account,
  purpose text not null check (purpose in ('verify_email', 'reset_password')),
  -- Of the code in the mail, and how many wrong codes were sent since.
  code_hash bytea check (length(code_hash) = 32),
  code_attempts int not null default 0,
  -- What the sign-up asked for: it takes effect when its own mail is answered, so that one person can't sign up in another's name.
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

-- An account's identity at an external provider.
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
  used_at timestamptz,
  -- The digest of the cookie that the browser got which began the sign-in.
  browser bytea check (length(browser) = 32)
);
create index sign_in_flow_expires on sign_in_flow (expires_at);

-- A network from which an account was signed in to recently: strangers who use up the address's attempts don't lock its owner out there.
-- The digest is of the address and that network.
create table known_network (
  hash bytea primary key check (length(hash) = 32),
  account_id bigint not null references account,
  expires_at timestamptz not null
);
create index known_network_of_account on known_network (account_id);
create index known_network_expires on known_network (expires_at);

-- Mailboxes whose signup credit was given, and to which account. The row is made in the statement that posts the credit.
create table signup_mailbox (
  mailbox text primary key,
  account_id bigint not null references account,
  created_at timestamptz not null
);

-- The ledger (src/ledger/README.md). Entries and holds are the facts; balance and key_budget are computed from them by triggers, or by
-- ledger_reserve and ledger_settle, so that a row written by hand can't make them disagree. svc.moved and svc.chained tell the triggers
-- that one of the two does their work.

-- available + reserved = the sum of the account's entries. available falls below 0 only by a settlement above its hold.
-- fillfactor: every batch rewrites the row, in place (HOT).
create table balance (
  account_id bigint primary key references account,
  available bigint not null default 0,
  reserved bigint not null default 0 check (reserved >= 0),
  purchased bigint not null default 0 check (purchased >= 0),
  earned bigint not null default 0 check (earned >= 0),
  spent bigint not null default 0 check (spent >= 0)
) with (fillfactor = 50);
-- Depth 1 is a statement of a client, deeper ones come from the triggers of entries and holds.
create trigger balances_follow_entries before update on balance for each statement
  when (pg_trigger_depth() < 1 and current_setting('svc.moved', true) is distinct from 'by the ledger')
  execute function refuse_change('a balance follows its entries and holds');
create trigger balances_start_empty before insert on balance for each row execute function balance_starts_empty();
create trigger balances_stay before delete or truncate on balance
  for each statement execute function refuse_change('an account keeps its balance row');

-- A replica without a heartbeat for 9 s is dead, and its holds are given back.
create table replica (
  id uuid primary key,
  seen_at timestamptz not null default now()
);

-- The reservation of a call in flight. No entry: it only moves money from available to reserved.
create table hold (
  account_id bigint not null,
  id uuid not null,
  amount bigint not null check (amount >= 0),
  owner uuid not null,
  expires_at timestamptz not null,
  key_id bigint,
  -- A slot among so many concurrent calls of a kind, such as speech. Null: the call takes none.
  pool text,
  pool_group text,
  primary key (account_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create index hold_owner on hold (owner);
create index hold_slots on hold (account_id, pool) where pool is not null;
create trigger holds_reserve after insert on hold referencing new table as added for each statement
  when (current_setting('svc.moved', true) is distinct from 'by the ledger') execute function apply_new_holds();
create trigger holds_give_back after delete on hold referencing old table as ended for each statement
  when (current_setting('svc.moved', true) is distinct from 'by the ledger') execute function apply_ended_holds();
create trigger holds_keep_what_they_hold before update of account_id, id, amount, key_id, pool, pool_group on hold
  for each statement execute function refuse_change('a hold keeps its amount, key and slot until it ends');
create trigger holds_end_one_by_one before truncate on hold
  for each statement execute function refuse_change('holds end by delete');

create table ledger_entry (
  account_id bigint not null,
  created_at timestamptz not null,
  id uuid not null,
  kind text not null,
  amount bigint not null check (amount <> 0),
  ref text not null,
  key_id bigint,
  -- Place in the account's ledger, from 1 without a gap; set, as the next two, by chain_entry or ledger_settle.
  seq bigint not null,
  balance_after bigint not null,
  hash bytea not null,
  primary key (account_id, id, kind),
  constraint kind_decides_sign check (
    (kind in ('deposit', 'signup_credit', 'bonus', 'refund', 'hold_settle', 'hold_release') and amount > 0)
    or (kind in ('usage', 'hold') and amount < 0)
  )
);
-- With the primary key: one charge a request, one end of a hold, one signup credit an account.
create unique index ledger_entry_hold_ends_once on ledger_entry (account_id, id) where kind in ('hold_settle', 'hold_release');
create unique index ledger_entry_signup_once on ledger_entry (account_id) where kind = 'signup_credit';
create unique index ledger_entry_chain on ledger_entry (account_id, seq);
create index ledger_entry_no_usage on ledger_entry (account_id, seq) where kind <> 'usage';
create trigger entries_are_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_change('entries are append-only; correct with a new entry');
create trigger entries_are_chained before insert on ledger_entry
  for each row when (current_setting('svc.chained', true) is distinct from 'by ledger_settle') execute function chain_entry();
create trigger entries_move_balances after insert on ledger_entry referencing new table as added for each statement
  when (current_setting('svc.moved', true) is distinct from 'by the ledger') execute function apply_entries();

-- What a key may spend and has spent, computed from entries and holds, but for the limit.
create table key_budget (
  account_id bigint not null,
  key_id bigint primary key references api_key,
  -- Null: as much as the account has.
  limit_amount bigint check (limit_amount >= 0),
  spent bigint not null default 0 check (spent >= 0),
  reserved bigint not null default 0 check (reserved >= 0)
) with (fillfactor = 50);
create index key_budget_of_account on key_budget (account_id);
create trigger budgets_follow_entries before update of account_id, key_id, spent, reserved on key_budget for each statement
  when (pg_trigger_depth() < 1 and current_setting('svc.moved', true) is distinct from 'by the ledger')
  execute function refuse_change('a budget follows its entries and holds; set its limit alone');
create trigger budgets_start_with_their_key before insert on key_budget
  for each statement when (pg_trigger_depth() < 1) execute function refuse_change('a budget is made with its key');
create trigger budgets_stay before delete or truncate on key_budget
  for each statement execute function refuse_change('a key keeps its budget');

-- One row for each request that was admitted, written with its settlement. Partitioned by month: see ensure_partitions.
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
  model_type text,
  -- The sentence that the caller got.
  error_message text,
  -- How much was billed, in unit; null: tokens, which have columns of their own.
  units numeric check (units >= 0),
  unit text,
  job_id text,
  primary key (account_id, created_at, id),
  constraint failures_are_free check (status <> 'failed' or cost = 0)
) partition by range (created_at);
-- A page of the log never walks an account's whole history for a filter that few of its rows match. Chat calls, nearly all of the rows,
-- stand in the first three only. Without the id, which orders a few rows of one millisecond: narrow is cheap to write. The request comes
-- first in its index, since an operator looks a call up without knowing the account.
create index usage_log_request on usage_log (request_id, account_id, created_at);
create index usage_log_model on usage_log (account_id, model, created_at);
create index usage_log_key on usage_log (account_id, key_id, created_at);
create index usage_log_type on usage_log (account_id, model_type, created_at) where model_type <> 'language';
create index usage_log_failed on usage_log (account_id, created_at) where status = 'failed';
-- For the calls of the last minutes of all accounts. Rows lie nearly in the order of their time: a page of this index stands for many of
-- them, and a new row hardly ever touches it.
create index usage_log_recent on usage_log using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- The last commit of each replica that the database has confirmed. A row of its own: a commit that waits for a standby holds its row's lock,
-- and must not make a replica look dead.
create table commit_proof (
  replica uuid primary key,
  count bigint not null,
  at timestamptz not null
) with (fillfactor = 50);

-- Rates: how often each limit was used in each window. Unlogged: a crash of the server only makes every minute start anew.
create unlogged table rate_window (
  -- 0: callers without an account, whose bucket names their address.
  account_id bigint not null,
  bucket text collate "C" not null,
  starts_at timestamptz not null,
  -- Whole minutes: windows of all lengths change at minute edges only.
  seconds int not null check (seconds > 0 and seconds % 60 = 0),
  n bigint not null check (n >= 0),
  primary key (account_id, bucket, starts_at)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Top-ups: what was asked for and what became of it, and the payment provider's events, each counted once.

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

-- Media jobs (src/jobs/README.md).

-- A renewed lease leaves a dead row and its index entries behind, which every claim passes by; a share of a million finished rows would be
-- too many of them: so autovacuum counts rows instead.
create table media_job (
  id uuid primary key,
  account_id bigint not null references account,
  key_id bigint,
  -- The API that it came through, by its endpoint; it decides how the job's id is shown.
  api text not null check (api in ('image', 'video', 'genmedia')),
  kind text not null check (kind in ('image', 'video')),
  shown_id text not null,
  status text not null,
  -- Its place among the account's jobs, in the order of their submits.
  seq bigint generated always as identity,
  idempotency_key text,
  request_id text not null,
  operation text not null,
  http_status int not null,
  model text not null,
  alias text,
  -- What to make; forgotten at the end.
  request jsonb,
  prices jsonb not null,
  -- The names of its files follow from it.
  secret text not null,
  estimated bigint not null check (estimated >= 0),
  charged bigint check (charged between 0 and estimated),
  refunded bigint check (refunded between 0 and estimated),
  output jsonb,
  error_code text,
  error_message text,
  -- The provider's own word for it.
  error_word text,
  attempts jsonb not null default '[]',
  -- provider/model that was asked last, and when; written before it is asked.
  route text,
  intent_at timestamptz,
  -- How the upstream names the job; null: it hasn't said.
  upstream jsonb,
  lease_owner uuid,
  -- When a runner may take the job: until then the lease of lease_owner lasts.
  run_at timestamptz,
  -- When to check whether a job that was given up succeeded all the same; null: no more.
  late_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  started_at timestamptz,
  completed_at timestamptz,

  constraint known_status check (status in ('queued', 'pending', 'processing', 'succeeded', 'failed', 'refunded', 'expired')),
  constraint ended_has_its_time check ((completed_at is not null) = (status in ('succeeded', 'failed', 'refunded', 'expired'))),
  constraint open_has_its_request check ((request is not null) = (status in ('queued', 'pending', 'processing'))),
  constraint running_has_its_turn check ((run_at is not null) = (status in ('pending', 'processing'))),
  constraint only_running_is_leased check (lease_owner is null or status in ('pending', 'processing')),
  constraint slot_has_its_start check (case when status = 'queued' then started_at is null
    when status in ('pending', 'processing', 'succeeded', 'refunded') then started_at is not null else true end),
  constraint processing_was_asked check (status <> 'processing' or intent_at is not null),
  constraint made_has_its_output check ((output is not null) = (status in ('succeeded', 'refunded'))),
  constraint not_made_says_why check ((error_code is not null) = (status in ('failed', 'expired'))),
  -- What was held is charged or given back, to the unit; what was never held is neither.
  constraint money_adds_up check (case
    when status in ('queued', 'pending', 'processing') then charged is null and refunded is null
    when status in ('succeeded', 'refunded') then charged is not null and charged + coalesce(refunded, 0) = estimated
    when started_at is null then charged is null and coalesce(refunded, 0) = 0
    else charged is null and refunded = estimated end)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create unique index media_job_idempotency on media_job (account_id, api, idempotency_key) where idempotency_key is not null;
-- Claiming and counting never see a job that has ended.
create index media_job_turn on media_job (run_at) where run_at is not null;
create index media_job_open on media_job (account_id, seq) where status in ('queued', 'pending', 'processing');
create index media_job_late on media_job (late_at) where late_at is not null;
-- A page of the list never walks an account's whole history for a filter that few of its jobs match. Genmedia's jobs are in no list.
create index media_job_newest on media_job (account_id, seq desc) where api <> 'genmedia';
create index media_job_kind on media_job (account_id, kind, seq desc) where api <> 'genmedia';
create index media_job_status on media_job (account_id, status, seq desc) where api <> 'genmedia';
create index media_job_model on media_job (account_id, model, seq desc) where api <> 'genmedia';

-- Every move that there is. An ended job stays as it is, but that staff may give back what was charged.
create table media_job_move (from_status text, to_status text, primary key (from_status, to_status));
insert into media_job_move values
  ('queued', 'pending'), ('queued', 'failed'), ('queued', 'expired'),
  ('pending', 'processing'), ('pending', 'succeeded'), ('pending', 'failed'), ('pending', 'expired'),
  ('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'expired'),
  ('succeeded', 'refunded');
create trigger media_jobs_begin before insert on media_job for each row execute function check_media_job_move();
create trigger media_jobs_move before update of status on media_job
  for each row when (old.status is distinct from new.status) execute function check_media_job_move();
create trigger media_jobs_stay before update of id, account_id, key_id, api, kind, shown_id, model, prices, secret, estimated, created_at on media_job
  for each statement execute function refuse_change('what a media job is and may cost does not change');

-- What an upstream made for a job that had been given up: the operator pays for it, no customer does.
create table media_expense (
  job_id uuid primary key references media_job,
  account_id bigint not null,
  at timestamptz not null default now(),
  route text not null,
  -- What the customer would have paid.
  amount bigint not null check (amount >= 0)
);

-- Cloned and designed voices. Voices that are not here are the providers' own.
create table voice (
  voice_id text primary key check (voice_id <> '' and length(voice_id) <= 256),
  account_id bigint not null references account (id),
  -- Of the catalog's providers: a cloned voice is known only to the one that made it.
  provider text not null,
  -- Which made it.
  model text not null,
  name text not null,
  -- The call that made it, and its cost: a voice is shown only once its charge is in the books.
  call_id uuid not null,
  cost bigint not null,
  created_at timestamptz not null
);
create index voice_account on voice (account_id, created_at);
