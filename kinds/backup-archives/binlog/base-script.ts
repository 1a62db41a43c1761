/**
 * What the Job of a backup of a mysql runs before its dumps where moments after it are to be restored: one dump of the
 * whole server, which notes where the binary log stood (docs/reference/backups.md#point-in-time-of-mysql).
 */
import { unanswered } from '../sentences.ts'

/** The name of the copy, beside the dumps. */
export const baseFile = 'base.sql.gz'

/** Names of the databases that are no part of the server itself. */
export const ownNames = `SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1`

/**
 * `ask` is the client as the administrator. `began` says which file the binary log had with the copy, and the place in
 * it; `after` names the file that follows another one.
 */
export const asking = String.raw`ask() { $client $at --batch --skip-column-names -e "$1"; }
binlog="$(command -v mysqlbinlog || command -v mariadb-binlog || true)"
moment_now() { ask "SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ')"; }
began() { rclone cat --head 65536 sealed:${baseFile} | gzip -dc 2>/dev/null | sed -n "s/^-- CHANGE .*_LOG_FILE='\([^']*\)'.*_LOG_POS=\([0-9]*\).*/\1 \2/p" | head -n 1; }
after() { printf '%s.%06d' "${'$'}{1%.*}" "$(($(printf %s "${'$'}{1##*.}" | sed 's/^0*//') + 1))"; }
`

/**
 * Needs the names of the databases. Where it cannot be, the backup is of one moment, and `no_later_moments` says why;
 * `base` is '' then. The dump is of the moment at which it begins, so that the moment of the backup is after it.
 */
export const basing = `${asking}base= no_later_moments=
copy() { $dumper $at --single-transaction $noting --routines --triggers --events --hex-blob --no-tablespaces --databases $(cat "$WORK/names"); }
if [ -z "$binlog" ]; then
  no_later_moments='the image has no mysqlbinlog'
elif [ "$(ask 'SELECT @@GLOBAL.log_bin')" != 1 ]; then
  no_later_moments='the server keeps no binary log'
elif [ ! -s "$WORK/names" ]; then
  no_later_moments='the server has no database'
else
  case "$($dumper --no-defaults --help)" in *--source-data*) noting=--source-data=2 ;; *) noting=--master-data=2 ;; esac
  made copy | gzip -1n | keep ${baseFile}
  taken ${baseFile}
  if [ -e "$WORK/failed" ] || [ -z "$(began)" ]; then
    rm -f "$WORK/failed"
    dropped ${baseFile}
    no_later_moments='the server could not be copied'
  else
    base_size=$total
    sent "$(rclone cat sealed:${baseFile} | digest)"
    base_size=$((total - base_size))
    base="$sum"
    at_moment="$(moment_now)" || fail '${unanswered}'
  fi
fi
`

/** The reason for a backup during which the server wrote more than it keeps of its log. */
export const logRemoved = 'the server removed its binary log during the backup'

/**
 * After the dumps, which may take long: a copy that nothing can be replayed on promises nothing, and without it the log
 * goes on being stored beside the backup before.
 */
export const stillLogged = String.raw`if [ -n "$base" ] && logs="$(ask 'SHOW BINARY LOGS' | cut -f 1)" && [ -n "$logs" ]; then
  if ! printf '%s\n' "$logs" | grep -qxF "$(began | cut -d ' ' -f 1)"; then
    dropped ${baseFile}
    base= total=$((total - base_size))
    no_later_moments='${logRemoved}'
  fi
fi
`
