/**
 * The part of a postgres backup that makes later moments restorable, before the dumps: the replication slot that keeps
 * the WAL from here on, and a physical copy of the server (docs/reference/backups.md#point-in-time).
 */
import { storedOtherwise, unanswered } from '../sentences.ts'

/** The name of the copy, beside the dumps. */
export const baseFile = 'base.tar.gz'

/** `ask` is psql as the administrator; it reads statements from its input. */
export const asking = `ask() { psql -XAtq -v ON_ERROR_STOP=1 -d postgres "$@"; }
`

/**
 * Needs WAL_SLOT and WAL_KEEP, the MB of WAL that a slot may hold back. Nothing here restarts the server: the rule that
 * lets the administrator copy it is appended to its rules, which it then reloads. Settings that only an operator may
 * write stay (kinds/databases/cloudnativepg.ts). A server that cannot be copied is backed up without a copy; `base` is
 * '' then. The moment of the backup is taken once the copy is complete, and by the clock of the server, since its
 * commits are compared with it.
 */
export const basing = `${asking}base=
drop_slot() {
  ask -v slot="$WAL_SLOT" <<'SQL' >/dev/null || true
SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = :'slot';
SQL
}
trap '[ $? = 0 ] || drop_slot' EXIT
lets_copy() {
  ask -v slot="$WAL_SLOT" -v keep="\${WAL_KEEP}MB" <<'SQL' >/dev/null || return 1
SELECT format('COPY (SELECT %L) TO PROGRAM %L', format('host replication %I all scram-sha-256', current_user), format('cat >>"%s"', current_setting('hba_file')))
WHERE NOT EXISTS (SELECT FROM pg_hba_file_rules WHERE 'replication' = ANY(database) AND address = 'all') \\gexec
SELECT format('ALTER SYSTEM SET max_slot_wal_keep_size = %L', :'keep') FROM pg_settings
WHERE name = 'max_slot_wal_keep_size' AND setting || unit <> :'keep' \\gexec
SELECT pg_reload_conf();
SELECT pg_create_physical_replication_slot(:'slot', true) WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = :'slot');
SQL
  tries=0
  until psql -XAtq -d 'dbname=postgres replication=yes' -c IDENTIFY_SYSTEM >/dev/null; do
    tries=$((tries + 1))
    if [ $tries = 10 ]; then return 1; fi
    sleep 1
  done
}
if lets_copy; then
  made pg_basebackup -D - -Ft -X fetch -c fast -Z 1 | keep ${baseFile}
  taken ${baseFile}
  if [ -e "$WORK/failed" ]; then
    rm "$WORK/failed"
    dropped ${baseFile}
  else
    base="$(cut -d ' ' -f 1 "$WORK/sum")"
    total=$((total + $(cat "$WORK/size")))
    rclone cat sealed:${baseFile} | digest >"$WORK/base" &
    reading=$!
  fi
fi
if [ -z "$base" ]; then drop_slot; fi
at_moment="$(ask <<'SQL'
SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
SQL
)" || fail '${unanswered}'
`

/** Runs once all else is stored: checks the copy, which was read back meanwhile. */
export const based = `if [ -n "$base" ]; then
  wait $reading
  if [ "$(cat "$WORK/base")" != "$base" ]; then fail '${storedOtherwise}'; fi
fi
`
