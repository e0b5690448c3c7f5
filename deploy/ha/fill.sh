#!/bin/sh
# fill.sh MACHINE.ENV FOLDER: fills the @NAMES@ of the files beside it and puts them into FOLDER. Refuses a value that is missing.
set -eu
[ $# -eq 2 ] || { echo "usage: fill.sh MACHINE.ENV FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
umask 027 # they hold passwords: of the user who runs it, and of its group
mkdir -p "$2"
for file in etcd.yaml patroni.yaml after-bootstrap.sh haproxy.cfg pgbouncer.ini userlist.txt pgbackrest.conf backup.pgpass gateway.env \
  etcd.service patroni.service haproxy.service pgbouncer.service svc-gateway.service; do
  awk '
    NR == FNR {
      if ($0 !~ /^[A-Z_]+=/) next
      at = index($0, "=")
      value[substr($0, 1, at - 1)] = substr($0, at + 1)
      next
    }
    {
      line = $0
      done = ""
      while (match(line, /@[A-Z_]+@/)) {
        name = substr(line, RSTART + 1, RLENGTH - 2)
        if (value[name] == "") { print FILENAME ": " name " has no value" > "/dev/stderr"; exit 1 }
        done = done substr(line, 1, RSTART - 1) value[name]
        line = substr(line, RSTART + RLENGTH)
      }
      print done line
    }' "$1" "$here/$file" > "$2/$file"
done
chmod +x "$2/after-bootstrap.sh"
chmod 600 "$2/backup.pgpass" # else libpq does not read it
