-- The accounts for which media_tidy has something to do; no rows while another process runs this. Reads open jobs only.
create or replace function media_untidy(_tiers jsonb, _queue_life interval, _run_life interval) returns setof bigint language plpgsql
set enable_seqscan = off as $$
begin
  if not pg_try_advisory_xact_lock(7322005) then return; end if;
  return query select c.account_id from (
    select j.account_id, bool_or(j.status = 'queued' and (j.created_at < now() - _queue_life
          or exists (select from api_key k where k.id = j.key_id and key_revoked(k)))
        or j.status <> 'queued' and j.started_at < now() - _run_life and j.run_at < now()) as is_late,
      count(*) filter (where j.status = 'queued' and j.kind = 'image') as images_wait, count(*) filter (where j.status = 'queued' and j.kind = 'video') as videos_wait,
      count(*) filter (where j.status <> 'queued' and j.kind = 'image') as images, count(*) filter (where j.status <> 'queued' and j.kind = 'video') as videos
    from media_job j where j.status in ('queued', 'pending', 'processing') group by j.account_id
  ) c, lateral (
    -- Asked once for an account, and only where something waits.
    select case when not c.is_late and c.images_wait + c.videos_wait > 0 then account_media_limits(_tiers, c.account_id) end offset 0
  ) l(limits)
  where c.is_late or case when l.limits ? 'media' then c.images_wait + c.videos_wait > 0 and c.images + c.videos < (l.limits #>> '{media,slots}')::int
    else c.images_wait > 0 and c.images < (l.limits #>> '{image,slots}')::int or c.videos_wait > 0 and c.videos < (l.limits #>> '{video,slots}')::int end;
end $$;
