-- What stands for the mailbox of a deleted account: enough to refuse it a second signup credit, and no address.
create or replace function forgotten_mailbox(_mailbox text) returns text language sql immutable as $$
  select case when _mailbox like 'sha256 %' then _mailbox else 'sha256 ' || encode(sha256(convert_to(_mailbox, 'UTF8')), 'hex') end
$$;
