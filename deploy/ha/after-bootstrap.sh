#!/bin/sh
# Run by Patroni once, when it makes the cluster: the gateway's role owns its database and may do nothing else on the server.
exec @PG_BIN@/psql -qX -v ON_ERROR_STOP=1 -d "$1" <<'SQL'
create role svc login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '@SVC_PASSWORD@';
create database svc owner svc;
revoke connect on database svc from public;
SQL
