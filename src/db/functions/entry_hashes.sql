-- The chain of the ledger's entries: each entry's hash covers its text and the hash before it.

-- What an entry's hash covers beside the hash before it. A ref may hold line feeds; what follows it cannot, so the text stands for one
-- entry only. src/ledger/verify.ts computes the same independently.
create or replace function entry_text(_account bigint, _seq bigint, _at timestamptz, _id uuid, _kind text, _amount bigint, _ref text, _key bigint,
  _balance_after bigint) returns text language sql stable as $$
  select _account::text || e'\n' || _seq::text || e'\n' || (extract(epoch from _at) * 1000000)::bigint::text || e'\n' || _id::text || e'\n'
    || _kind || e'\n' || _amount::text || e'\n' || _ref || e'\n' || coalesce(_key::text, '') || e'\n' || _balance_after::text
$$;

-- What comes before it for an entry that corrects another or has a reason: a line that begins as no other text does.
create or replace function correction_text(_corrects bigint, _reason text) returns text language sql immutable as $$
  select case when _corrects is null and _reason is null then ''
    else 'corrects ' || coalesce(_corrects::text, 'none') || ' ' || coalesce(_reason, '') || e'\n' end
$$;

-- The state function of entry_hashes; also the hash of a single entry, with a null _state.
create or replace function next_entry_hash(_state bytea, _before bytea, _text text) returns bytea language plpgsql immutable as $$
begin
  return sha256(coalesce(_state, _before, '') || convert_to(_text, 'UTF8'));
end $$;

-- Over the entries of one account in order: the hash of each. _before is the hash before the first of them.
create or replace aggregate entry_hashes(_before bytea, _text text) (sfunc = next_entry_hash, stype = bytea);
