-- Ends the account's jobs that waited or ran too long and have no runner, then fills the slots that are free.
create or replace function media_tidy(_account bigint, _tiers jsonb, _queue_life interval, _run_life interval) returns void language plpgsql
set enable_seqscan = off set lock_timeout = '3s' as $$
declare job media_job;
begin
  perform 1 from balance b where b.account_id = _account for no key update;
  for job in select * from media_job j where j.account_id = _account and (j.status = 'queued' and j.created_at < now() - _queue_life
      or j.status in ('pending', 'processing') and j.started_at < now() - _run_life and j.run_at < now()) order by j.seq for update loop
    perform media_end(job, 'expired', null, null, null, 'timeout', case job.status
      when 'queued' then 'The job waited too long for a free slot.' else 'The job was found unfinished long after it began.' end, null);
    perform pg_notify('media_job', job.shown_id);
  end loop;
  perform media_promote(_account, _tiers);
end $$;
