// Media jobs (src/jobs/README.md): their table and what it refuses. The functions that move them stand in 0009.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await tables(db);
  await guards(db);
}

async function tables(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table usage_log
      -- How much was billed, in unit; null: tokens, which have columns of their own.
      add column units numeric check (units >= 0),
      add column unit text,
      add column job_id text;

    create table media_job (
      id uuid primary key,
      account_id bigint not null references account,
      key_id bigint,
      -- The endpoint that it came through; it decides how the job's id is shown.
      door text not null check (door in ('image', 'video', 'genmedia')),
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
      -- When to look whether a job that was given up succeeded all the same; null: no more.
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
    -- A lease that is renewed leaves a dead row and its entries behind, which every claim passes by; a share of a million finished rows
    -- would be too many of them.
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
    create unique index media_job_idempotency on media_job (account_id, door, idempotency_key) where idempotency_key is not null;
    -- Claiming and counting never see a job that has ended.
    create index media_job_turn on media_job (run_at) where run_at is not null;
    create index media_job_open on media_job (account_id, seq) where status in ('queued', 'pending', 'processing');
    create index media_job_late on media_job (late_at) where late_at is not null;
    -- A page of the list never walks an account's whole history for a filter that few of its jobs match. Genmedia's jobs are in no list.
    create index media_job_newest on media_job (account_id, seq desc) where door <> 'genmedia';
    create index media_job_kind on media_job (account_id, kind, seq desc) where door <> 'genmedia';
    create index media_job_status on media_job (account_id, status, seq desc) where door <> 'genmedia';
    create index media_job_model on media_job (account_id, model, seq desc) where door <> 'genmedia';

    -- What an upstream made for a job that had been given up: nobody's charge but the operator's expense.
    create table media_expense (
      job_id uuid primary key references media_job,
      account_id bigint not null,
      at timestamptz not null default now(),
      route text not null,
      -- What the customer would have paid.
      amount bigint not null check (amount >= 0)
    );
  `.execute(db);
}

async function guards(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Every move that there is. Nothing leaves an end, but that staff may give back what was charged.
    create table media_job_move (from_status text, to_status text, primary key (from_status, to_status));
    insert into media_job_move values
      ('queued', 'pending'), ('queued', 'failed'), ('queued', 'expired'),
      ('pending', 'processing'), ('pending', 'succeeded'), ('pending', 'failed'), ('pending', 'expired'),
      ('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'expired'),
      ('succeeded', 'refunded');

    create function check_media_job_move() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        if new.status not in ('queued', 'pending') then
          raise exception 'a media job does not begin as %', new.status using errcode = 'restrict_violation';
        end if;
      elsif not exists (select 1 from media_job_move m where m.from_status = old.status and m.to_status = new.status) then
        raise exception 'a media job does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
      end if;
      return new;
    end $$;
    create trigger media_jobs_begin before insert on media_job for each row execute function check_media_job_move();
    create trigger media_jobs_move before update of status on media_job
      for each row when (old.status is distinct from new.status) execute function check_media_job_move();
    create trigger media_jobs_stay before update of id, account_id, key_id, door, kind, shown_id, model, prices, secret, estimated, created_at on media_job
      for each statement execute function refuse_change('what a media job is and may cost does not change');
  `.execute(db);
}
