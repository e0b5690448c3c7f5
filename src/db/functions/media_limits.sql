-- The limits of the tier that _purchased has reached. _tiers: rows of deposit, image, video and, where both share one pool, media, each
-- of slots and waiting; the lowest tier first.
create or replace function media_limits(_tiers jsonb, _purchased bigint) returns jsonb language sql immutable as $$
  select coalesce(
    (select t.tier from jsonb_array_elements(_tiers) with ordinality t(tier, n) where (t.tier ->> 'deposit')::bigint <= _purchased order by t.n desc limit 1),
    _tiers -> 0)
$$;
