-- Ends a job whose lease is _owner's, then fills the slot. False: the lease isn't _owner's, or no longer is.
create or replace function media_finish(_id uuid, _owner uuid, _to text, _charged bigint, _units numeric, _output jsonb, _code text, _message text, _word text,
  _attempts jsonb, _late_in interval, _tiers jsonb) returns boolean language plpgsql
set enable_seqscan = off set lock_timeout = '3s' as $$
declare account bigint; job media_job;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  select j.account_id into account from media_job j where j.id = _id;
  perform 1 from balance b where b.account_id = account for no key update;
  select * into job from media_job j where j.id = _id and j.lease_owner = _owner and j.status in ('pending', 'processing') for update;
  if not found then return false; end if;
  update media_job j set attempts = _attempts, late_at = case when j.upstream is not null then clock_timestamp() + _late_in end where j.id = _id;
  job.attempts := _attempts;
  perform media_end(job, _to, _charged, _units, _output, _code, _message, _word);
  perform media_promote(account, _tiers);
  return true;
end $$;
