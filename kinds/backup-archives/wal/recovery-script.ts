/**
 * What the Job of a restore to a moment runs on the volume of the new database, before its server is made: the copy of
 * the backup, the WAL up to that moment, and the logins of the new database. What it made is moved to its place when it
 * is whole, as by a first start (kinds/databases/start-script.ts).
 */

import { opening, unloaded } from '../scripts.ts'
import { baseFile } from './base-script.ts'
import { uptoFile, walFolder } from './ship-script.ts'

const unreplayed = 'the WAL of the backup could not be replayed up to that moment'

/** Run by the server for each segment that it asks for. It notes what it gave: what is left over means a gap. */
const fetching = `set -eu
for each in "$1.gz" "$1.partial.gz"; do
  if rclone cat "sealed:${walFolder}/$each" >"$WORK/fetched" && [ -s "$WORK/fetched" ]; then
    gzip -dc <"$WORK/fetched" >"$2"
    echo "$1" >>"$WORK/given"
    exit 0
  fi
done
exit 1
`

/** Of former logins only those of this database stay: the others get no password, and so get in nowhere. */
const logins = `SELECT format('ALTER ROLE %I RENAME TO %I', rolname, :'login') FROM pg_roles WHERE rolname = :'former' AND rolname <> :'login' \\gexec
SELECT format('CREATE ROLE %I', :'login') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'login') \\gexec
SELECT format('ALTER ROLE %I PASSWORD NULL', rolname) FROM pg_authid WHERE rolpassword IS NOT NULL \\gexec
ALTER ROLE :"login" LOGIN PASSWORD :'password';
ALTER ROLE :"admin" PASSWORD :'adminpassword';`

/**
 * Needs DATA, the folder of the volume, BASE, the checksum of the copy, POINT, and FORMER, the login of the database
 * that was backed up. Where nothing was committed after POINT the server finds no end there: all that is stored is
 * replayed then, and that this was all is checked.
 */
export const recoveryScript = `${opening}
data="$DATA/pgdata" fresh="$DATA/new"
if [ -s "$data/PG_VERSION" ]; then ends '{}' 0; fi
digits() { printf %s "$1" | tr -cd 0-9 | cut -c 1-14; }
upto="$(rclone cat "store:$(of bucket)/$(of path)/${walFolder}/${uptoFile}" || true)"
if [ "$(digits "$upto")" = '' ]; then fail 'the WAL of the backup is not in the object store'; fi
if [ "$(digits "$upto")" -lt "$(digits "$POINT")" ]; then fail "the WAL of the backup ends before that moment"; fi
rm -rf "$fresh"
mkdir "$fresh"
mkfifo "$WORK/one"
digest <"$WORK/one" >"$WORK/sum" &
summing=$!
{ rclone cat sealed:${baseFile} || : >"$WORK/failed"; } | tee "$WORK/one" | gzip -dc | tar -x -C "$fresh" || fail '${unloaded}'
wait $summing
if [ -e "$WORK/failed" ] || [ "$(cat "$WORK/sum")" != "$BASE" ]; then fail 'the backup is not what was written: ${baseFile} differs'; fi
cat >"$WORK/fetch" <<'END'
${fetching}END
: >"$WORK/given"
echo 'local all all trust' >"$WORK/hba.conf"
: >"$fresh/recovery.signal"
chmod 700 "$fresh"
statements() { psql -XAtq -h "$WORK" -U "$(cat "$ADMIN/username")" -d postgres -v ON_ERROR_STOP=1 "$@"; }
# It counts as started while it still replays, and ends where it cannot.
serve() {
  pg_ctl -D "$fresh" -w -t 21600 -l "$WORK/server.log" -o "-c listen_addresses='' -c unix_socket_directories=$WORK -c hba_file=$WORK/hba.conf -c ssl=off -c hot_standby=off -c log_statement=none -c log_min_error_statement=panic -c restore_command='sh $WORK/fetch %f %p' $1" start >/dev/null || return 1
  until statements -c 'SELECT 1' >/dev/null 2>&1; do
    pg_ctl -D "$fresh" status >/dev/null || return 1
    sleep 1
  done
}
unserved() { tail -n 20 "$WORK/server.log" >&2; fail "$1"; }
# Names of zones are not known yet where the server reads it.
target="$(printf %s "$POINT" | sed 's/T/ /; s/Z$/+00/')"
if ! serve "-c recovery_target_time='$target' -c recovery_target_action=promote"; then
  grep -q 'recovery ended before configured recovery target was reached' "$WORK/server.log" || unserved '${unreplayed}'
  serve '' || unserved '${unreplayed}'
  last="$(rclone lsf sealed:${walFolder}/ | sed -n 's/^\\([0-9A-F]\\{24\\}\\)[.].*/\\1/p' | sort | tail -n 1)"
  if [ "$(sort "$WORK/given" | tail -n 1)" != "$last" ]; then unserved 'a part of the WAL of the backup is missing'; fi
fi
{
  echo "\\\\set password '$(cat "$LOGIN/password")'"
  echo "\\\\set adminpassword '$(cat "$ADMIN/password")'"
  cat <<'SQL'
${logins}
SQL
} | statements -v former="$FORMER" -v login="$(cat "$LOGIN/username")" -v admin="$(cat "$ADMIN/username")" >/dev/null || unserved 'the logins of the database could not be made'
pg_ctl -D "$fresh" -w -t 600 -m fast stop >/dev/null || unserved '${unreplayed}'
sync
mv "$fresh" "$data"
ends '{}' 0
`
