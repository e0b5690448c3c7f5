-- Gives back what a job was charged. Null: done; else the status that it has instead of succeeded, or unknown.
create or replace function media_refund(_id uuid) returns text language plpgsql
set enable_seqscan = off set lock_timeout = '3s' as $$
declare account bigint; job media_job;
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  select j.account_id into account from media_job j where j.id = _id;
  perform 1 from balance b where b.account_id = account for no key update;
  select * into job from media_job j where j.id = _id for update;
  if not found then return 'unknown'; end if;
  if job.status <> 'succeeded' then return job.status; end if;
  update media_job j set status = 'refunded', charged = 0, refunded = j.estimated where j.id = _id;
  if job.charged > 0 then
    insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, corrects)
      select account, clock_timestamp(), _id, 'refund', job.charged, job.shown_id, job.key_id, e.seq
      from ledger_entry e where e.account_id = account and e.id = _id and e.kind = 'usage';
  end if;
  perform pg_notify('media_job', job.shown_id);
  return null;
end $$;
