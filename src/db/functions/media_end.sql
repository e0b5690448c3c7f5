-- Ends an open job: its status, the end of its hold, its charge and its row of the log, which has its tags from then on, all of it or nothing. Under the lock of the balance.
create or replace function media_end(_job media_job, _to text, _charged bigint, _units numeric, _output jsonb, _code text, _message text, _word text)
returns void language plpgsql as $$
declare
  ended timestamptz := date_trunc('milliseconds', clock_timestamp());
  held boolean := _job.started_at is not null;
begin
  update media_job j set status = _to, completed_at = ended, request = null, tags = null, lease_owner = null, run_at = null, output = _output,
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
    job_id, expense, tags)
  values (_job.account_id, _job.created_at, _job.id, _job.request_id, _job.key_id, _job.operation, _job.model, _job.kind, _job.alias,
    case _to when 'succeeded' then 'success' else 'failed' end, _job.http_status, _code, _message, coalesce(_charged, 0),
    case when held then _job.estimated else 0 end, _job.prices, _job.attempts, false,
    -- 0 is the model's first route, which is no fallback.
    case _to when 'succeeded' then (select nullif((a ->> 'layer')::int, 0) from jsonb_array_elements(_job.attempts) a where a ->> 'outcome' = 'ok' limit 1) end,
    least(extract(epoch from ended - _job.created_at) * 1000, 2147483647)::int, coalesce(_units, 0), _job.prices ->> 'unit', _job.shown_id,
    (select sum((a ->> 'cost')::bigint) from jsonb_array_elements(_job.attempts) a), _job.tags);
  if _job.created_at < clock_timestamp() - usage_late_after() then
    insert into usage_late (account_id, created_at, id) values (_job.account_id, _job.created_at, _job.id);
  end if;
end $$;
