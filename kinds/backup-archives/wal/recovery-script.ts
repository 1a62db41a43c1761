/**
 * The script of a restore of a postgres to a moment. It runs on the volume of the new database, before its server
 * exists: it unpacks the copy of the backup, replays the WAL up to that moment, and sets the logins of the new
 * database. The result is renamed to the data folder when it is complete, as in a first start
 * (kinds/databases/start-script.ts).
 */
import { opening } from '../scripts.ts'
import { replaying, unreplayed } from './replay-script.ts'

/** All former passwords are removed, and only the logins of this database get one: the others cannot log in. */
const logins = `SELECT format('ALTER ROLE %I RENAME TO %I', rolname, :'login') FROM pg_roles WHERE rolname = :'former' AND rolname <> :'login' \\gexec
SELECT format('CREATE ROLE %I', :'login') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'login') \\gexec
SELECT format('ALTER ROLE %I PASSWORD NULL', rolname) FROM pg_authid WHERE rolpassword IS NOT NULL \\gexec
ALTER ROLE :"login" LOGIN PASSWORD :'password';
ALTER ROLE :"admin" PASSWORD :'adminpassword';`

/**
 * Removes what an operator added to the settings of `initdb`, which is for the place of the former server. The new
 * server has the settings of a first start (kinds/databases/start-script.ts).
 */
const firstStartSettings = `if [ -e "$fresh/custom.conf" ]; then
  sed -i '/^include /d' "$fresh/postgresql.conf"
  rm -f "$fresh/custom.conf" "$fresh/override.conf"
  printf 'local all all trust\\nhost all all all scram-sha-256\\n' >"$fresh/pg_hba.conf"
  : >"$fresh/pg_ident.conf"
  chmod 600 "$fresh/postgresql.auto.conf"
fi
`

/**
 * Needs DATA, the folder of the volume; BASE, the checksum of the copy; POINT; and FORMER, the login of the backed-up
 * database.
 */
export const recoveryScript = `${opening}
data="$DATA/pgdata" fresh="$DATA/new" options=
if [ -s "$data/PG_VERSION" ]; then ends '{}' 0; fi
rm -rf "$fresh"
${replaying}{
  echo "\\\\set password '$(cat "$LOGIN/password")'"
  echo "\\\\set adminpassword '$(cat "$ADMIN/password")'"
  cat <<'SQL'
${logins}
SQL
} | ask -v former="$FORMER" -v login="$(cat "$LOGIN/username")" -v admin="$(cat "$ADMIN/username")" >/dev/null || unserved 'the logins of the database could not be made'
pg_ctl -D "$fresh" -w -t 600 -m fast stop >/dev/null || unserved '${unreplayed}'
${firstStartSettings}sync
mv "$fresh" "$data"
ends '{}' 0
`
