/**
 * Stores the binary log of a mysql in the folder of a backup, as long as that is the newest one. A file of the log is
 * stored once it is complete, so the server is asked to begin another one whenever there is something new. A list
 * beside the files, in the format of `sha256sum`, has what was stored; it is the only state, so a pod that dies loses
 * nothing (docs/reference/backups.md#point-in-time-of-mysql).
 */
import { logins, opening } from '../scripts.ts'
import { storedOtherwise } from '../sentences.ts'
import { looking, uptoFile } from '../wal/ship-script.ts'
import { asking } from './base-script.ts'

/** The folder of the log, below that of the backup. */
export const binlogFolder = 'binlog'
/** The encrypted list in that folder: the files in their order, and in a comment the moment up to which they reach. */
export const listFile = `${binlogFolder}/manifest.sha256`
/** Exists in that folder once a part of the log was lost before it was stored: later files are then useless. */
const endFile = `${binlogFolder}/ended`

/** One look stores at most so many files. */
const filesAtOnce = 64
/** Without new files the moment is written after every so many looks. */
const idleLooks = 20

/** The size of a log file to which nothing was written. */
const idleEvents = 'Format_desc|Previous_gtids|Gtid_list|Binlog_checkpoint|Start_encryption|Stop|Rotate'

/**
 * One look. The moment is taken before the server begins another file: everything committed by then is in the files
 * before. In any case the server keeps no more than WAL_KEEP MB of its log, stored or not, so that its disk does not
 * fill up.
 */
const look = String.raw`${opening}${logins.mysql}${asking}
printf . >>"$WORK/looks"
looks="$(wc -c <"$WORK/looks")"
trim() {
  to="$(ask 'SHOW BINARY LOGS' | awk -v keep="$WAL_KEEP" '{ name[NR] = $1; size[NR] = $2; total += $2; last = NR } END { for (n = 1; n < last && total > keep * 1048576; n += 1) { total -= size[n]; to = name[n + 1] } print to }')" || return 0
  if [ -n "$to" ]; then ask "PURGE BINARY LOGS TO '$to'" || true; fi
}
trap trim EXIT
ended() {
  : >"$WORK/ended"
  printf . | rclone rcat sealed:${endFile} || true
  fail 'the server did not keep the binary log: it ends here'
}
if [ -e "$WORK/ended" ]; then ended; fi
if [ ! -e "$WORK/list" ]; then
  rclone lsf -R --files-only sealed: >"$WORK/there" || fail 'the object store did not answer'
  if grep -qx ${endFile} "$WORK/there"; then ended; fi
  : >"$WORK/new"
  if grep -qx ${listFile} "$WORK/there"; then rclone cat sealed:${listFile} >"$WORK/new" || fail 'the object store did not answer'; fi
  mv "$WORK/new" "$WORK/list"
fi
listed() {
  rclone rcat sealed:${listFile} <"$WORK/new" || fail 'the object store did not take the binary log'
  if [ "$(rclone cat sealed:${listFile} | digest)" != "$(digest <"$WORK/new")" ]; then fail '${storedOtherwise}'; fi
  mv "$WORK/new" "$WORK/list"
}
busy() { ask "SHOW BINLOG EVENTS IN '$1' LIMIT 16" | cut -f 3 | grep -qvxE '${idleEvents}'; }
moment="$(moment_now)" || fail 'the server did not take the login'
if busy "$(ask 'SHOW BINARY LOGS' | tail -n 1 | cut -f 1)"; then ask 'FLUSH BINARY LOGS'; fi
ask 'SHOW BINARY LOGS' >"$WORK/logs" || fail 'the server keeps no binary log'
newest="$(tail -n 1 "$WORK/logs" | cut -f 1)"
last="$(sed -n 's/^[0-9a-f]\{64\}  \(.*\)[.]gz$/\1/p' "$WORK/list" | tail -n 1)"
if [ -n "$last" ]; then next="$(after "$last")"; else next="$(began | cut -d ' ' -f 1)"; fi
if [ -z "$next" ]; then fail 'the copy of the server could not be read'; fi
stored=0
while [ "$next" != "$newest" ] && [ $stored -lt ${filesAtOnce} ]; do
  if ! cut -f 1 "$WORK/logs" | grep -qxF "$next"; then ended; fi
  rm -rf "$WORK/raw"
  mkdir "$WORK/raw"
  $binlog $at --read-from-remote-server --raw --result-file="$WORK/raw/" "$next" || fail 'the binary log of the server could not be read'
  $binlog --no-defaults --verify-binlog-checksum "$WORK/raw/$next" >/dev/null || fail 'the binary log of the server could not be read'
  gzip -1n <"$WORK/raw/$next" >"$WORK/packed"
  rm -rf "$WORK/raw"
  sum="$(digest <"$WORK/packed")"
  rclone rcat "sealed:${binlogFolder}/$next.gz" <"$WORK/packed" || fail 'the object store did not take the binary log'
  if [ "$(rclone cat "sealed:${binlogFolder}/$next.gz" | digest)" != "$sum" ]; then fail '${storedOtherwise}'; fi
  { grep -v '^#' "$WORK/list" || true; printf '%s  %s.gz\n' "$sum" "$next"; grep '^#' "$WORK/list" || true; } >"$WORK/new"
  listed
  stored=$((stored + 1))
  next="$(after "$next")"
done
if [ "$next" = "$newest" ] && { [ $stored -gt 0 ] || [ $((looks % ${idleLooks})) = 1 ]; }; then
  { grep -v '^#' "$WORK/list" || true; printf '# %s\n' "$moment"; } >"$WORK/new"
  listed
  printf %s "$moment" | rclone rcat "store:$(of bucket)/$(of path)/${binlogFolder}/${uptoFile}" || fail 'the object store did not take the binary log'
fi
`

/** Needs WAL_KEEP, SERVER_HOST, SERVER_PORT and the folders of the Secrets. */
export const shipCommand: readonly string[] = ['sh', '-c', looking, 'binlog', look]

/** One look alone, for tests. */
export const shipOnce = look
