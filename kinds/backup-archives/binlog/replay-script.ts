/**
 * Brings a running mysql server to a moment, for a restore and for a restore drill: by the copy of a backup, and by the
 * binary log after it, through mysqlbinlog (docs/reference/backups.md#point-in-time-of-mysql).
 */
import { definers } from '../scripts.ts'
import { unloaded } from '../sentences.ts'
import { asking, baseFile, ownNames } from './base-script.ts'
import { binlogFolder, listFile } from './ship-script.ts'

const unreplayed = 'the binary log of the backup could not be replayed up to that moment'

/**
 * Drops the statements about logins from the log: the new server has other logins. Statements of mysqlbinlog end with
 * the delimiter that it sets.
 */
const withoutLogins = String.raw`without_logins() {
  LC_ALL=C awk '
    BEGIN { begins = 1 }
    begins && !/^(#|--|[ \t]*$)/ {
      said = toupper(substr($0, 1, 4096))
      while (match(said, /^[ \t]*\/\*[^!][^*]*\*\/[ \t]*/)) said = substr(said, RLENGTH + 1)
      skipped = said ~ /^[ \t]*(GRANT|REVOKE|(CREATE|CREATE OR REPLACE|ALTER|DROP|RENAME)[ \t]+(USER|ROLE)|SET[ \t]+(PASSWORD|DEFAULT[ \t]+ROLE)|FLUSH)([^A-Z_]|$)/
      begins = 0
    }
    !skipped { print }
    /\/\*!\*\/;$/ { begins = 1; skipped = 0 }'
}
`

/**
 * Needs BASE, the checksum of the copy, and POINT. With an empty POINT, no moment is promised: the server is brought to
 * the newest stored moment, which is `point` then, or only the copy is loaded. The list of the log is encrypted, and so
 * is the moment in it. The copy and every file of the log are checked before anything is loaded. Databases that exist
 * on the server are dropped first, since an interrupted try may have left them.
 *
 * mysqlbinlog stops at the first statement that began at the moment or after it, and reads one file at a time here: the
 * files after the one in which it stopped are not needed.
 */
export const replaying = String.raw`${asking}${withoutLogins}digits() { printf %s "$1" | tr -cd 0-9 | cut -c 1-14; }
rclone cat sealed:${listFile} >"$WORK/list" || : >"$WORK/list"
upto="$(sed -n 's/^# \([0-9TZ:-]\{20\}\)$/\1/p' "$WORK/list" | tail -n 1)"
if [ -n "$POINT" ]; then
  if [ -z "$upto" ]; then fail 'the binary log of the backup is not in the object store'; fi
  if [ "$(digits "$upto")" -lt "$(digits "$POINT")" ]; then fail 'the binary log of the backup ends before that moment'; fi
fi
point="${'$'}{POINT:-$upto}"
if [ "$(rclone cat sealed:${baseFile} | digest)" != "$BASE" ]; then fail 'the backup is not what was written: ${baseFile} differs'; fi
set -- $(began)
if [ $# != 2 ]; then fail '${unloaded}'; fi
wanted="$1.gz" start="$2"
if [ -z "$upto" ]; then : >"$WORK/list"; fi
rclone lsf sealed:${binlogFolder}/ >"$WORK/there" || : >"$WORK/there"
while read -r sum name; do
  if [ "$sum" = '#' ]; then continue; fi
  if [ "$name" != "$wanted" ] || ! grep -qxF "$name" "$WORK/there"; then fail 'a part of the binary log of the backup is missing'; fi
  if [ "$(rclone cat "sealed:${binlogFolder}/$name" | digest)" != "$sum" ]; then fail "the backup is not what was written: $name differs"; fi
  wanted="$(after "${'$'}{name%.gz}").gz"
done <"$WORK/list"
own() { ask "${ownNames}"; }
own >"$WORK/former"
while read -r db; do ask "DROP DATABASE \`$db\`"; done <"$WORK/former"
packet="$(ask 'SELECT @@GLOBAL.max_allowed_packet')"
ask 'SET GLOBAL max_allowed_packet = 1073741824'
login="$(cat "$LOGIN/username")"
fill() { ${definers} | $client $at --binary-mode --max-allowed-packet=1G; }
{ rclone cat sealed:${baseFile} || : >"$WORK/failed"; } | gzip -dc | fill || fail '${unloaded}'
if [ -e "$WORK/failed" ]; then fail '${unloaded}'; fi
target="$(printf %s "$point" | cut -c 1-19 | tr T ' ')"
case "$($binlog --no-defaults --help)" in *--skip-gtids*) gtids=--skip-gtids ;; *) gtids= ;; esac
said() { TZ=UTC $binlog --no-defaults $gtids --disable-log-bin --start-position="$start" "$@" "$WORK/log" || : >"$WORK/failed"; }
statements() {
  while read -r sum name; do
    if [ "$sum" = '#' ]; then continue; fi
    { rclone cat "sealed:${binlogFolder}/$name" || : >"$WORK/failed"; } | gzip -dc >"$WORK/log"
    if [ "$(said | digest)" != "$(said --stop-datetime="$target" | digest)" ]; then
      said --stop-datetime="$target"
      break
    fi
    said
    start=4
  done <"$WORK/list"
}
statements | without_logins | fill || fail '${unreplayed}'
if [ -e "$WORK/failed" ]; then fail '${unreplayed}'; fi
ask "SET GLOBAL max_allowed_packet = $packet"
`
