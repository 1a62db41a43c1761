/**
 * The part of a mysql backup that makes later moments restorable, before the dumps: one dump of the whole server, which
 * records the position in the binary log (docs/reference/backups.md#point-in-time-of-mysql).
 */
import { unanswered } from '../sentences.ts'

/** The name of the copy, beside the dumps. */
export const baseFile = 'base.sql.gz'

/** Names of the databases that are not the server's own. */
export const ownNames = `SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') ORDER BY 1`

/**
 * `ask` is the client as the administrator. `began` prints the file of the binary log at the time of the copy, and the
 * position in it; `after` prints the file that follows another one.
 */
export const asking = String.raw`ask() { $client $at --batch --skip-column-names -e "$1"; }
binlog="$(command -v mysqlbinlog || command -v mariadb-binlog || true)"
moment_now() { ask "SELECT DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%dT%H:%i:%sZ')"; }
began() { rclone cat --head 65536 sealed:${baseFile} | gzip -dc 2>/dev/null | sed -n "s/^-- CHANGE .*_LOG_FILE='\([^']*\)'.*_LOG_POS=\([0-9]*\).*/\1 \2/p" | head -n 1; }
after() { printf '%s.%06d' "${'$'}{1%.*}" "$(($(printf %s "${'$'}{1##*.}" | sed 's/^0*//') + 1))"; }
`

/**
 * Needs the names of the databases. Where no copy is possible, the backup has one moment only, `no_later_moments` has
 * the reason, and `base` is ''. The dump has the data of the moment at which it begins, so the moment of the backup is
 * taken after it.
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
 * Checked after the dumps, which may take long: a copy whose log is gone cannot be replayed. Without it, the log is
 * still stored beside the backup before.
 */
export const stillLogged = String.raw`if [ -n "$base" ] && logs="$(ask 'SHOW BINARY LOGS' | cut -f 1)" && [ -n "$logs" ]; then
  if ! printf '%s\n' "$logs" | grep -qxF "$(began | cut -d ' ' -f 1)"; then
    dropped ${baseFile}
    base= total=$((total - base_size))
    no_later_moments='${logRemoved}'
  fi
fi
`
