-- Who has seen a key's secrets beside the person who made it: the person who last rolled it (null: it was not rolled, or by the operator), and
-- the one who saw the secret of before.
alter table api_key
  add rolled_by bigint references account,
  add old_seen_by bigint references account;
