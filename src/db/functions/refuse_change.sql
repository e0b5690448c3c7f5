-- Refuses the statement, with the trigger's argument as the reason.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: %', lower(tg_op), tg_table_name, tg_argv[0] using errcode = 'restrict_violation';
end $$;
