-- Sessions are listed to their person: an id that can be shown, and where the session was opened from. Null: opened before this, or by the
-- command line.
alter table session add column id uuid not null default gen_random_uuid() unique;
alter table session add column address text check (length(address) <= 64);
alter table session add column user_agent text check (length(user_agent) <= 300);
-- A person's sessions, the newest first; it finds what session_of_account found.
create index session_newest on session (account_id, created_at desc, id desc);
drop index session_of_account;
