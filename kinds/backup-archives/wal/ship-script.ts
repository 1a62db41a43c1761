/**
 * Stores the WAL of a server in the folder of a backup, as long as that is the newest one. The only state is the
 * replication slot of the backup: the server keeps the WAL that was not stored yet, so a pod that dies loses nothing;
 * before its disk fills up, the server gives up the slot (docs/reference/backups.md#point-in-time).
 */
import { walEverySeconds } from '../../../contract/limits.ts'
import { logins, opening } from '../scripts.ts'
import { storedOtherwise } from '../sentences.ts'
import { asking } from './base-script.ts'

/** The folder of the WAL, below that of the backup. */
export const walFolder = 'wal'
/** In that folder, not encrypted: the moment up to which all commits are stored. */
export const uptoFile = 'upto'
const bucketOfUpto = `store:$(of bucket)/$(of path)/${walFolder}/${uptoFile}`

/** One look stores at most so many segments. */
const segmentsAtOnce = 64
/** Without new WAL the moment is written after every so many looks. */
const idleLooks = 20
/**
 * After so many looks the slots of older backups are dropped, except those of backups that are still being taken: the
 * shipper of the backup before has ended by then.
 */
const looksUntilAlone = 40
/** A multiple of three, so that base64 has no padding between chunks. */
const chunkBytes = 786_432

/**
 * The segments between the slot and the flushed end of the WAL: name, bytes, zeros up to the full size, and where the
 * next begins. After a failover some belong to the former timeline: the name of the existing file decides.
 */
const missing = `WITH at AS (
  SELECT pg_size_bytes(current_setting('wal_segment_size'))::numeric AS size,
    pg_wal_lsn_diff(restart_lsn, '0/0') AS first, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') AS last
  FROM pg_replication_slots WHERE slot_name = :'slot' AND wal_status <> 'lost'
), segment AS (
  SELECT n, size, least(size, last - n * size) AS bytes, (n + 1) * size AS next
  FROM at, generate_series(div(first, size), div(last, size)) AS n WHERE last > n * size
), named AS (
  SELECT *, upper(lpad(to_hex(div(n * size, 4294967296)::bigint), 8, '0')
    || lpad(to_hex(div(mod(n * size, 4294967296), size)::bigint), 8, '0')) AS place
  FROM segment
)
SELECT coalesce((SELECT max(name) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$' AND substr(name, 9) = place), place),
  bytes, size - bytes, upper(to_hex(div(next, 4294967296)::bigint) || '/' || to_hex(mod(next, 4294967296)::bigint))
FROM named ORDER BY n LIMIT ${segmentsAtOnce};`

/** The timeline history files: without them, WAL after a failover cannot be replayed. */
const histories = `SELECT name, translate(encode(pg_read_binary_file('pg_wal/' || name), 'base64'), E'\\n', '')
FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{8}[.]history$' ORDER BY 1;`

/**
 * One look. The moment is taken before the position in the WAL, and two seconds are subtracted for commits that have
 * not reached the WAL. A segment in progress is stored as far as it goes, padded with zeros, and again when it has
 * grown.
 */
const look = `${opening}${logins.postgres}${asking}
printf . >>"$WORK/looks"
looks="$(wc -c <"$WORK/looks")"
ask -v slot="$WAL_SLOT" <<'SQL' >"$WORK/seen"
SELECT to_char((clock_timestamp() - interval '2 seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
SELECT count(*) FROM pg_replication_slots WHERE slot_name = :'slot' AND wal_status <> 'lost';
${missing}
SQL
stores() {
  rclone rcat "sealed:${walFolder}/$1" <"$WORK/packed" || fail 'the object store did not take the WAL'
  if [ "$(rclone cat "sealed:${walFolder}/$1" | digest)" != "$(digest <"$WORK/packed")" ]; then fail '${storedOtherwise}'; fi
}
moment="$(sed -n 1p "$WORK/seen")"
if [ "$(sed -n 2p "$WORK/seen")" = 0 ]; then fail 'the server did not keep the WAL: it ends here'; fi
sed 1,2d "$WORK/seen" >"$WORK/segments"
ask <<'SQL' >"$WORK/histories"
${histories}
SQL
while IFS='|' read -r name content; do
  if grep -qx "$name" "$WORK/followed" 2>/dev/null; then continue; fi
  printf %s "$content" | base64 -d | gzip -1n >"$WORK/packed"
  stores "$name.gz"
  echo "$name" >>"$WORK/followed"
done <"$WORK/histories"
partial="$(cat "$WORK/partial" 2>/dev/null || true)"
news=
while IFS='|' read -r name bytes zeros next; do
  if [ "$partial" = "$name $bytes" ]; then continue; fi
  ask -v name="$name" -v bytes="$bytes" <<'SQL' | base64 -d >"$WORK/segment"
COPY (SELECT translate(encode(pg_read_binary_file('pg_wal/' || :'name', n, least(${chunkBytes}, :bytes - n)), 'base64'), E'\\n', '') FROM generate_series(0::bigint, :bytes - 1, ${chunkBytes}) AS n ORDER BY n) TO STDOUT;
SQL
  if [ "$(wc -c <"$WORK/segment")" -ne "$bytes" ]; then fail 'the WAL of the server could not be read'; fi
  { cat "$WORK/segment"; head -c "$zeros" /dev/zero; } | gzip -1 >"$WORK/packed"
  file="$name.gz"
  if [ "$zeros" != 0 ]; then file="$name.partial.gz"; fi
  stores "$file"
  news=1
  if [ "$zeros" != 0 ]; then printf %s "$name $bytes" >"$WORK/partial"; continue; fi
  ask -v slot="$WAL_SLOT" -v next="$next" <<'SQL' >/dev/null
SELECT pg_replication_slot_advance(:'slot', :'next');
SQL
  if [ "\${partial%% *}" = "$name" ]; then rclone deletefile "sealed:${walFolder}/$name.partial.gz" || true; fi
done <"$WORK/segments"
if [ "$(wc -l <"$WORK/segments")" -lt ${segmentsAtOnce} ] && { [ -n "$news" ] || [ $((looks % ${idleLooks})) = 1 ]; }; then
  printf %s "$moment" | rclone rcat "${bucketOfUpto}" || fail 'the object store did not take the WAL'
fi
if [ "$looks" -eq ${looksUntilAlone} ]; then
  ask -v slot="$WAL_SLOT" -v stay="$WAL_STAY" <<'SQL' >/dev/null
SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name ~ '^svc_backup_' AND slot_name < :'slot' AND slot_name::text <> ALL (string_to_array(:'stay', ' ')) AND NOT active;
SQL
fi
`

/** Each look is a process of its own: a failure ends that look only, and the next one reads the keys anew. */
export const looking = `trap 'exit 0' TERM INT
while :; do
  sh -c "$1" || true
  sleep ${walEverySeconds} &
  wait $!
done
`

/**
 * Needs WAL_SLOT; WAL_STAY, the older slots that stay, separated by blanks; SERVER_HOST, SERVER_PORT and the folders of
 * the Secrets.
 */
export const shipCommand: readonly string[] = ['sh', '-c', looking, 'wal', look]

/** One look alone, for tests. */
export const shipOnce = look
