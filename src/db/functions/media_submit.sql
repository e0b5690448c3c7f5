-- Makes a job, or finds the one that its idempotency key names. outcome: known, pending, queued, or why no job was made: full, balance, key.
-- Called again with the same id after a lost reply, it answers the same. Durable even where the server doesn't usually wait for the disk.
-- No plan that was made for an empty table scans the full one.
--
-- Every function that moves a job locks its account's balance first and the job's row after it: slots, queue and money are decided for one job at a time.
create or replace function media_submit(_job jsonb, _tiers jsonb, _key_life interval)
returns table (outcome text, id uuid, available bigint, reserved bigint, key_left bigint, waiting_max int) language plpgsql
set enable_seqscan = off set lock_timeout = '3s' as $$
#variable_conflict use_column
declare
  job media_job := jsonb_populate_record(null::media_job, _job);
  old media_job; limits jsonb; pool text; active int; waiting int; moment timestamptz;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  -- A statement of its own: what is read after it is what the last holder of the lock left.
  perform 1 from balance b where b.account_id = job.account_id for no key update;
  select * into old from media_job j where j.id = job.id;
  if found then
    outcome := case old.http_status when 202 then 'pending' else 'queued' end; id := old.id; return next; return;
  end if;
  if job.idempotency_key is not null then
    select * into old from media_job j where j.account_id = job.account_id and j.api = job.api and j.idempotency_key = job.idempotency_key;
    if found and (old.completed_at is null or old.completed_at > now() - _key_life) then
      outcome := 'known'; id := old.id; return next; return;
    elsif found then update media_job j set idempotency_key = null where j.id = old.id;
    end if;
  end if;
  perform media_promote(job.account_id, _tiers);
  select b.available, b.reserved into available, reserved from balance b where b.account_id = job.account_id;
  moment := clock_timestamp();
  key_left := key_budget_left(job.account_id, job.key_id, moment);
  limits := account_media_limits(_tiers, job.account_id);
  pool := case when limits ? 'media' then 'media' else job.kind end;
  waiting_max := (limits #>> array[pool, 'waiting'])::int;
  select count(*) filter (where j.status <> 'queued'), count(*) filter (where j.status = 'queued') into active, waiting
    from media_job j where j.account_id = job.account_id and j.status in ('queued', 'pending', 'processing') and (pool = 'media' or j.kind = job.kind);
  id := job.id;
  job.created_at := date_trunc('milliseconds', clock_timestamp());
  job.attempts := '[]';
  if waiting = 0 and active < (limits #>> array[pool, 'slots'])::int then
    outcome := media_hold(job);
    if outcome is null then
      outcome := 'pending'; job.status := 'pending'; job.http_status := 202;
      job.started_at := clock_timestamp(); job.run_at := job.started_at;
    end if;
  elsif waiting < waiting_max then outcome := 'queued'; job.status := 'queued'; job.http_status := 200;
  else outcome := 'full';
  end if;
  if job.status is not null then
    insert into media_job (id, account_id, key_id, api, kind, shown_id, status, idempotency_key, request_id, operation, http_status, model, alias,
        request, prices, secret, estimated, created_at, started_at, run_at, tags)
      values (job.id, job.account_id, job.key_id, job.api, job.kind, job.shown_id, job.status, job.idempotency_key, job.request_id, job.operation,
        job.http_status, job.model, job.alias, job.request, job.prices, job.secret, job.estimated, job.created_at, job.started_at, job.run_at,
        job.tags);
  end if;
  return next;
end $$;
