-- Counts a commit of a replica, durably. While one hangs, later ones give up after a second: at most one of each replica waits in the server.
-- False: what the replica counted before is missing; the row stays as it is, as evidence.
create or replace function prove_commit(_replica uuid, _count bigint) returns boolean language plpgsql set lock_timeout = '1s' as $$
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  update commit_proof p set count = _count, at = clock_timestamp() where p.replica = _replica and p.count between _count - 1 and _count;
  if found or _count > 1 then return found; end if;
  insert into commit_proof values (_replica, _count, clock_timestamp()) on conflict do nothing;
  return found;
end $$;
