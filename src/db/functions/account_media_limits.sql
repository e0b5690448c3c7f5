-- The limits of an account's tier, as media_limits has them: of the tier that an operator gave it, else of the one that its money reaches.
create or replace function account_media_limits(_tiers jsonb, _account bigint) returns jsonb language sql stable as $$
  select coalesce(
    (select t.tier from jsonb_array_elements(_tiers) t(tier) where (t.tier ->> 'number')::int = a.assigned_tier limit 1),
    media_limits(_tiers, b.purchased))
  from account a join balance b on b.account_id = a.id where a.id = _account
$$;
