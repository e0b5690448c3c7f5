-- Run by the Postgres image once, when it makes its database; see compose.yaml. The gateway's role owns its database and may do nothing else
-- on the server. The superuser keeps no password: only a shell in the container can use it.
\getenv password POSTGRES_PASSWORD
create role svc login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database svc owner svc;
revoke connect on database postgres, template1, svc from public;
alter role :"USER" password null;
