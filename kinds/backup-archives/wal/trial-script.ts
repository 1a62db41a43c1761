/**
 * The part of a restore drill after the dumps, for a backup with a copy of its server: in the same pod, a server is
 * started from the copy, brought to the last moment to which the backup can be restored, and all of its data is read
 * (docs/reference/backups.md#drills).
 */
import { manifest } from '../scripts.ts'
import { replaying } from './replay-script.ts'

/**
 * Needs what `replaying` needs, and the counting of a postgres. The databases at that moment follow from the WAL, so
 * one that was dropped after the backup is no failure; an empty server is. Sets `replayed`.
 */
export const replayingOnTrial = `end
rm -rf "$WORK/server"
fresh="$WORK/replayed" options='-c fsync=off -c full_page_writes=off'
end() { pg_ctl -D "$fresh" -m immediate stop >/dev/null 2>&1 || true; }
${replaying}ask -c "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY 1" >"$WORK/names" || unserved 'what was replayed could not be read'
things=0 rows=0 uncounted= known=
while read -r db; do
  { pg_dump --data-only -d "$db" || printf '%s\\n' '\\q'; } | copied >"$WORK/counted"
  add "$WORK/counted"
  if grep -q " $db[.]dump\\$" "$WORK/${manifest}"; then known=1; fi
done <"$WORK/names"
if [ -n "$uncounted" ]; then unserved 'what was replayed could not be read'; fi
if [ -s "$WORK/${manifest}" ] && [ -z "$known" ]; then fail 'none of its databases is there after its WAL was replayed'; fi
replayed="\\"replayed\\":{\\"point\\":\\"$point\\",\\"tables\\":$things,\\"rows\\":$rows}"
`
