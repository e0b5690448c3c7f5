-- A media job begins as queued or pending and moves only as media_job_move lists.
create or replace function check_media_job_move() returns trigger language plpgsql as $$
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
