// Media jobs, second part: the functions that make every move of a job together with its money. Whoever moves a job holds the lock of its
// account's balance first, so slots, queue and money are decided one by one; a job's own row is locked after it.
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await moves(db);
  await entrances(db);
}

async function moves(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The limits of the tier that so much purchased money has reached. _tiers: rows of deposit, image, video and, where both share one pool,
    -- media, each of slots and waiting; the lowest tier first.
    create function media_limits(_tiers jsonb, _purchased bigint) returns jsonb language sql immutable as $$
      select coalesce(
        (select t.tier from jsonb_array_elements(_tiers) with ordinality t(tier, n) where (t.tier ->> 'deposit')::bigint <= _purchased order by t.n desc limit 1),
        _tiers -> 0)
    $$;

    -- Takes the hold of a job that gets a slot. Returns null, or whose money does not reach: balance or key.
    create function media_hold(_job media_job) returns text language plpgsql as $$
    declare available bigint; key_left bigint;
    begin
      select b.available into available from balance b where b.account_id = _job.account_id;
      if available < 0 or available < _job.estimated then return 'balance'; end if;
      select k.limit_amount - k.spent - k.reserved into key_left from key_budget k where k.account_id = _job.account_id and k.key_id = _job.key_id;
      -- A limit may stand below what is spent; what costs nothing fits all the same.
      if key_left < _job.estimated and _job.estimated > 0 then return 'key'; end if;
      if _job.estimated > 0 then
        insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
          values (_job.account_id, clock_timestamp(), _job.id, 'hold', -_job.estimated, _job.shown_id, _job.key_id);
      end if;
      return null;
    end $$;

    -- Ends an open job: its status, the end of its hold, its charge and its row of the log, all or nothing.
    create function media_end(_job media_job, _to text, _charged bigint, _units numeric, _output jsonb, _code text, _message text, _word text)
    returns void language plpgsql as $$
    declare
      ended timestamptz := date_trunc('milliseconds', clock_timestamp());
      held boolean := _job.started_at is not null;
    begin
      update media_job j set status = _to, completed_at = ended, request = null, lease_owner = null, run_at = null, output = _output,
        charged = _charged, error_code = _code, error_message = _message, error_word = _word,
        refunded = case when _to = 'succeeded' then nullif(j.estimated - _charged, 0) when held then j.estimated when _to = 'expired' then 0 end
      where j.id = _job.id;
      if held and _job.estimated > 0 then
        insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id) values (_job.account_id, ended, _job.id,
          case _to when 'succeeded' then 'hold_settle' else 'hold_release' end, _job.estimated, _job.shown_id, _job.key_id);
      end if;
      if _charged > 0 then
        insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
          values (_job.account_id, ended, _job.id, 'usage', -_charged, _job.request_id, _job.key_id);
      end if;
      insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, alias, status, http_status, error_code,
        error_message, cost, reserved, prices, attempts, stream, fallback_layer, latency_ms, units, unit,
        job_id)
      values (_job.account_id, _job.created_at, _job.id, _job.request_id, _job.key_id, _job.operation, _job.model, _job.kind, _job.alias,
        case _to when 'succeeded' then 'success' else 'failed' end, _job.http_status, _code, _message, coalesce(_charged, 0),
        case when held then _job.estimated else 0 end, _job.prices, _job.attempts, false,
        -- 0 is the model's first route, which is no fallback.
        case _to when 'succeeded' then (select nullif((a ->> 'layer')::int, 0) from jsonb_array_elements(_job.attempts) a where a ->> 'outcome' = 'ok' limit 1) end,
        least(extract(epoch from ended - _job.created_at) * 1000, 2147483647)::int, coalesce(_units, 0), _job.prices ->> 'unit', _job.shown_id);
    end $$;

    -- Gives free slots to the jobs that wait, first come first served; who can't pay then has failed. Under the lock of the balance.
    create function media_promote(_account bigint, _tiers jsonb) returns void language plpgsql as $$
    declare limits jsonb; job media_job; images int; videos int; is_free boolean; refused text;
    begin
      if not exists (select 1 from media_job j where j.account_id = _account and j.status = 'queued') then return; end if;
      select media_limits(_tiers, b.purchased) into limits from balance b where b.account_id = _account;
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
          else
            perform media_end(job, 'failed', null, null, null, 'insufficient_credits', case refused
              when 'key' then 'What the API key may still spend does not reach for this job.' else 'The balance does not reach for this job.' end, null);
            perform pg_notify('media_job', job.shown_id);
          end if;
        elsif limits ? 'media' then exit;
        end if;
      end loop;
    end $$;
  `.execute(db);
}

async function entrances(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- A new job, or the one that its idempotency key names. outcome: known, pending, queued, or why there is none: full, balance, key.
    -- Asked again with the same id, after an answer that was lost, it says what it said before. As in ledger_settle: what the operator's
    -- Postgres doesn't wait for is waited for here, and no plan of an empty table scans the full one.
    create function media_submit(_job jsonb, _tiers jsonb, _key_life interval)
    returns table (outcome text, id uuid, available bigint, reserved bigint, key_left bigint, waiting_max int) language plpgsql
    set enable_seqscan = off set lock_timeout = '3s' as $$
    #variable_conflict use_column
    declare
      job media_job := jsonb_populate_record(null::media_job, _job);
      old media_job; limits jsonb; pool text; active int; waiting int; purchased bigint;
    begin
      if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
      -- A statement of its own: what is read after it is what the last holder of the lock left.
      perform 1 from balance b where b.account_id = job.account_id for no key update;
      select * into old from media_job j where j.id = job.id;
      if found then
        outcome := case old.http_status when 202 then 'pending' else 'queued' end; id := old.id; return next; return;
      end if;
      if job.idempotency_key is not null then
        select * into old from media_job j where j.account_id = job.account_id and j.door = job.door and j.idempotency_key = job.idempotency_key;
        if found and (old.completed_at is null or old.completed_at > now() - _key_life) then
          outcome := 'known'; id := old.id; return next; return;
        elsif found then update media_job j set idempotency_key = null where j.id = old.id;
        end if;
      end if;
      perform media_promote(job.account_id, _tiers);
      select b.purchased, b.available, b.reserved into purchased, available, reserved from balance b where b.account_id = job.account_id;
      select k.limit_amount - k.spent - k.reserved into key_left from key_budget k where k.account_id = job.account_id and k.key_id = job.key_id;
      limits := media_limits(_tiers, purchased);
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
        insert into media_job (id, account_id, key_id, door, kind, shown_id, status, idempotency_key, request_id, operation, http_status, model, alias,
            request, prices, secret, estimated, created_at, started_at, run_at)
          values (job.id, job.account_id, job.key_id, job.door, job.kind, job.shown_id, job.status, job.idempotency_key, job.request_id, job.operation,
            job.http_status, job.model, job.alias, job.request, job.prices, job.secret, job.estimated, job.created_at, job.started_at, job.run_at);
      end if;
      return next;
    end $$;

    -- Ends a job whose lease is _owner's. False: it isn't, or no more.
    create function media_finish(_id uuid, _owner uuid, _to text, _charged bigint, _units numeric, _output jsonb, _code text, _message text, _word text,
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

    -- Gives back what a job was charged. Null: done; else what it is instead of succeeded.
    create function media_refund(_id uuid) returns text language plpgsql
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
        insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
          values (account, clock_timestamp(), _id, 'refund', job.charged, job.shown_id, job.key_id);
      end if;
      perform pg_notify('media_job', job.shown_id);
      return null;
    end $$;

    -- The accounts for which media_tidy has something to do; none while another replica asks. Reads open jobs only.
    create function media_untidy(_tiers jsonb, _queue_life interval, _run_life interval) returns setof bigint language plpgsql
    set enable_seqscan = off as $$
    begin
      if not pg_try_advisory_xact_lock(7322005) then return; end if;
      return query select c.account_id from (
        select j.account_id, bool_or(j.status = 'queued' and j.created_at < now() - _queue_life
            or j.status <> 'queued' and j.started_at < now() - _run_life and j.run_at < now()) as is_late,
          count(*) filter (where j.status = 'queued' and j.kind = 'image') as images_wait, count(*) filter (where j.status = 'queued' and j.kind = 'video') as videos_wait,
          count(*) filter (where j.status <> 'queued' and j.kind = 'image') as images, count(*) filter (where j.status <> 'queued' and j.kind = 'video') as videos
        from media_job j where j.status in ('queued', 'pending', 'processing') group by j.account_id
      ) c join balance b on b.account_id = c.account_id, lateral media_limits(_tiers, b.purchased) l(limits)
      where c.is_late or case when l.limits ? 'media' then c.images_wait + c.videos_wait > 0 and c.images + c.videos < (l.limits #>> '{media,slots}')::int
        else c.images_wait > 0 and c.images < (l.limits #>> '{image,slots}')::int or c.videos_wait > 0 and c.videos < (l.limits #>> '{video,slots}')::int end;
    end $$;

    -- Ends the account's jobs that waited or ran too long and that nobody runs, then fills the slots that are free.
    create function media_tidy(_account bigint, _tiers jsonb, _queue_life interval, _run_life interval) returns void language plpgsql
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
  `.execute(db);
}
