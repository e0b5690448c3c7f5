-- Gives free slots to waiting jobs, first come first served; one that can no longer be paid fails, unless a slice may hold what it needs: then
-- that is recalled, and the job waits for the next round. Of a suspended account nothing that waits begins: its operator wants no more spent
-- on it. Nor does what a revoked key ordered: who deletes a leaked key wants no more spent by it. Under the lock of the balance.
create or replace function media_promote(_account bigint, _tiers jsonb) returns void language plpgsql as $$
declare limits jsonb; job media_job; images int; videos int; is_free boolean; is_suspended boolean; refused text;
begin
  if not exists (select 1 from media_job j where j.account_id = _account and j.status = 'queued') then return; end if;
  is_suspended := exists (select 1 from account a where a.id = _account and a.suspended_at is not null);
  for job in select * from media_job j where j.account_id = _account and j.status = 'queued'
      and (is_suspended or exists (select from api_key k where k.id = j.key_id and key_revoked(k))) order by j.seq for update of j loop
    perform media_end(job, 'failed', null, null, null, 'job_cancelled', case when is_suspended
      then 'The operator of the gateway suspended the account.' else 'The API key of the job was disabled or deleted.' end, null);
    perform pg_notify('media_job', job.shown_id);
  end loop;
  limits := account_media_limits(_tiers, _account);
  select count(*) filter (where j.kind = 'image'), count(*) filter (where j.kind = 'video') into images, videos
    from media_job j where j.account_id = _account and j.status in ('pending', 'processing');
  for job in select * from media_job j where j.account_id = _account and j.status = 'queued' order by j.seq for update loop
    is_free := case when limits ? 'media' then images + videos < (limits #>> '{media,slots}')::int
      when job.kind = 'image' then images < (limits #>> '{image,slots}')::int else videos < (limits #>> '{video,slots}')::int end;
    if is_free then
      refused := media_hold(job);
      if refused is null then
        update media_job j set status = 'pending', started_at = clock_timestamp(), run_at = clock_timestamp() where j.id = job.id;
        if job.kind = 'image' then images := images + 1; else videos := videos + 1; end if;
      elsif exists (select from hold h where h.account_id = _account and h.pool = 'escrow') then
        perform pg_notify('escrow_recall', _account::text);
        exit;
      else
        perform media_end(job, 'failed', null, null, null, 'insufficient_credits', case refused
          when 'key' then 'What the API key may still spend does not reach for this job.' else 'The balance does not reach for this job.' end, null);
        perform pg_notify('media_job', job.shown_id);
      end if;
    elsif limits ? 'media' then exit;
    end if;
  end loop;
end $$;
