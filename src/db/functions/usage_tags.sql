-- The tags of a call, each once, as key:value.
create or replace function usage_tags(_tags jsonb) returns setof text language sql immutable parallel safe as $$
  select distinct key || ':' || value from jsonb_each_text(_tags)
$$;

-- Stands for a tag in the key of usage_rollup, since a tag may be longer than an index takes. All 0: no tag.
create or replace function usage_tag_hash(_tag text) returns uuid language sql immutable parallel safe as $$
  select coalesce(md5(_tag)::uuid, '00000000-0000-0000-0000-000000000000')
$$;
