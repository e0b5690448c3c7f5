-- Ends an open job as an operator asks, then fills its slot. Within one transaction: media_lock first, whose answer says what _attempts must be.
-- Null: done; else the status that it has ended with, or unknown. Work that a provider accepted is asked to stop, and watched, at once.
create or replace function media_cancel(_id uuid, _attempts jsonb, _message text, _tiers jsonb) returns text language plpgsql
set enable_seqscan = off as $$
declare job media_job;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  select * into job from media_lock(_id);
  if job.id is null then return 'unknown'; end if;
  if job.status not in ('queued', 'pending', 'processing') then return job.status; end if;
  update media_job j set attempts = _attempts, late_at = case when j.upstream is not null then clock_timestamp() end where j.id = _id;
  job.attempts := _attempts;
  perform media_end(job, 'failed', null, null, null, 'job_cancelled', _message, null);
  perform pg_notify('media_job', job.shown_id);
  perform pg_notify('media_cancel', _id::text);
  perform media_promote(job.account_id, _tiers);
  perform pg_notify('media_turn', '');
  return null;
end $$;

-- The job, locked together with its account's balance until the transaction ends. No row: no job has this id.
create or replace function media_lock(_id uuid) returns setof media_job language plpgsql
set enable_seqscan = off set lock_timeout = '3s' as $$
declare account bigint;
begin
  select j.account_id into account from media_job j where j.id = _id;
  perform 1 from balance b where b.account_id = account for no key update;
  return query select * from media_job j where j.id = _id for update;
end $$;
