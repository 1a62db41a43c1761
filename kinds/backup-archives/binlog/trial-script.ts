/**
 * The part of a restore drill after the dumps, for a backup of a mysql with a copy of its server: the throwaway server
 * is brought to the last moment to which the backup can be restored, and all of its data is read
 * (docs/reference/backups.md#drills).
 */
import { manifest } from '../scripts.ts'
import { replaying } from './replay-script.ts'

/**
 * Needs what `replaying` needs, and the counting of a mysql. The databases at that moment follow from the log, so one
 * that was dropped after the backup is no failure; an empty server is. Sets `replayed`.
 */
export const replayingOnTrial = String.raw`${replaying}own >"$WORK/names"
things=0 rows=0 uncounted= known=
while read -r db; do
  { dump_of "$db" || : >"$WORK/failed"; } | counted >"$WORK/counted"
  add "$WORK/counted"
  if grep -q " $db[.]sql\$" "$WORK/${manifest}"; then known=1; fi
done <"$WORK/names"
if [ -e "$WORK/failed" ] || [ -n "$uncounted" ]; then fail 'what was replayed could not be read'; fi
if [ -s "$WORK/${manifest}" ] && [ -z "$known" ]; then fail 'none of its databases is there after its binary log was replayed'; fi
replayed="\"replayed\":{\"point\":\"$point\",\"tables\":$things,\"rows\":$rows}"
`
