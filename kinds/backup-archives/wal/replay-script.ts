/**
 * Starts a server from a copy and the WAL after it, for a restore to a moment and for a restore drill
 * (docs/reference/backups.md#point-in-time). No network reaches that server.
 */
import { unloaded } from '../sentences.ts'
import { asking, baseFile } from './base-script.ts'
import { uptoFile, walFolder } from './ship-script.ts'

export const unreplayed = 'the WAL of the backup could not be replayed up to that moment'

/**
 * The server's restore command, run for each segment that it asks for. A segment may become full between two reads:
 * once its partial file is gone, the full one exists. The names of the returned segments are recorded, since stored
 * segments that were never read mean a gap.
 */
const fetching = `set -eu
for each in "$1.gz" "$1.partial.gz" "$1.gz"; do
  if rclone cat "sealed:${walFolder}/$each" >"$WORK/fetched" && [ -s "$WORK/fetched" ]; then
    gzip -dc <"$WORK/fetched" >"$2"
    echo "$1" >>"$WORK/given"
    exit 0
  fi
done
exit 1
`

/** Switches off settings of an operator for the place of the former server, whose files do not exist here. */
const ofNoPlace =
  "-c ssl=off -c archive_mode=off -c synchronous_standby_names='' -c logging_collector=off -c log_destination=stderr"

/**
 * Needs `fresh`, the folder to make, `options` of the server, ADMIN, BASE, the checksum of the copy, and POINT. With an
 * empty POINT, no moment is promised: the server is brought to the newest stored moment, which is `point` then, or only
 * the copy is started. Where nothing was committed after the moment, the server finds no end there: all stored WAL is
 * replayed, and no segment stored before may be left over. The moment in the store is not encrypted, so only its digits
 * are used.
 */
export const replaying = `${asking}digits() { printf %s "$1" | tr -cd 0-9 | cut -c 1-14; }
upto="$(digits "$(rclone cat "store:$(of bucket)/$(of path)/${walFolder}/${uptoFile}" || true)")"
if [ -n "$POINT" ]; then
  if [ -z "$upto" ]; then fail 'the WAL of the backup is not in the object store'; fi
  if [ "$upto" -lt "$(digits "$POINT")" ]; then fail 'the WAL of the backup ends before that moment'; fi
fi
point="\${POINT:-$(printf %s "$upto" | sed 's/^\\(....\\)\\(..\\)\\(..\\)\\(..\\)\\(..\\)\\(..\\)$/\\1-\\2-\\3T\\4:\\5:\\6Z/')}"
last="$(rclone lsf sealed:${walFolder}/ | sed -n 's/^\\([0-9A-F]\\{24\\}\\)[.].*/\\1/p' | sort | tail -n 1)"
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
export PGHOST="$WORK" PGPORT=5432 PGUSER="$(cat "$ADMIN/username")"
# It counts as started while it still replays, and ends where it cannot.
serve() {
  pg_ctl -D "$fresh" -w -t 21600 -l "$WORK/replay.log" -o "-p $PGPORT -c listen_addresses='' -c unix_socket_directories=$WORK -c hba_file=$WORK/hba.conf ${ofNoPlace} -c hot_standby=off -c log_statement=none -c log_min_error_statement=panic -c restore_command='sh $WORK/fetch %f %p' $options $1" start >/dev/null || return 1
  until ask -c 'SELECT 1' >/dev/null 2>&1; do
    pg_ctl -D "$fresh" status >/dev/null || return 1
    sleep 1
  done
}
unserved() { tail -n 20 "$WORK/replay.log" >&2; fail "$1"; }
replay_all() {
  serve '' || unserved '${unreplayed}'
  if [ -n "$last" ] && ! grep -qx "$last" "$WORK/given"; then unserved 'a part of the WAL of the backup is missing'; fi
}
# Names of zones are not known yet where the server reads it.
target="$(printf %s "$point" | sed 's/T/ /; s/Z$/+00/')"
if [ -z "$point" ]; then
  replay_all
elif ! serve "-c recovery_target_time='$target' -c recovery_target_action=promote"; then
  grep -q 'recovery ended before configured recovery target was reached' "$WORK/replay.log" || unserved '${unreplayed}'
  replay_all
fi
`
