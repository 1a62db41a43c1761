/**
 * The shell scripts that create and drop a database on a MySQL server. Values come from the environment; running a
 * script again changes nothing.
 */

/**
 * Waits up to a minute for the server. The administrator's password is in `MYSQL_PWD`, and SQL comes over standard
 * input, so that arguments of processes have only names. Names and passwords consist of letters, digits, dashes and
 * underscores. An unescaped underscore in the database name of a GRANT stands for any character.
 */
const opening = `set -eu
client=$(command -v mysql || command -v mariadb)
sql() {
  printf '%s\\n' "$1" |
    "$client" --no-defaults --protocol=TCP --connect-timeout=10 -h "$SERVER_HOST" -P "$SERVER_PORT" -u "$SERVER_USERNAME" --batch --skip-column-names
}
tries=0
until sql 'SELECT 1;' >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 30 ]; then echo 'the server does not answer' >&2; exit 1; fi
  sleep 2
done
pattern=$(printf %s "$DATABASE" | sed 's/_/\\\\_/g')
`

/**
 * Databases have no owner in MySQL: one that another login may use counts as that login's. Character 92 is the
 * backslash.
 */
const countForeign = `foreign=$(sql "SELECT COUNT(*) FROM mysql.db WHERE REPLACE(Db, CHAR(92), '') = '$DATABASE' AND User <> '$LOGIN';")
`

/**
 * On the shared server: creates the login and its database, the only one that it can reach. The client prints a failing
 * statement, so for those with a password only the number of the error is shown.
 */
export const createOnSharedMysql = `${opening}${countForeign}if [ "$foreign" != 0 ]; then echo 'a database of this name belongs to another login' >&2; exit 1; fi
said=$(sql "CREATE USER IF NOT EXISTS '$LOGIN'@'%' IDENTIFIED BY '$PASSWORD';
ALTER USER '$LOGIN'@'%' IDENTIFIED BY '$PASSWORD' WITH MAX_USER_CONNECTIONS $CONNECTION_LIMIT ACCOUNT UNLOCK;" 2>&1) ||
  { printf '%s\\n' "$said" | grep -o '^ERROR [0-9]* ([0-9A-Z]*)' >&2; exit 1; }
sql "CREATE DATABASE IF NOT EXISTS \\\`$DATABASE\\\`;
GRANT ALL PRIVILEGES ON \\\`$pattern\\\`.* TO '$LOGIN'@'%';"
`

/** On a project's own server: creates the database under its own name, for the server's login. */
export const createOnOwnMysql = `${opening}sql "CREATE DATABASE IF NOT EXISTS \\\`$DATABASE\\\`;"
if [ "$LOGIN" != "$SERVER_USERNAME" ]; then sql "GRANT ALL PRIVILEGES ON \\\`$pattern\\\`.* TO '$LOGIN'@'%';"; fi
`

/** Locks the login and ends its sessions first; a database that another login may use is not dropped. */
export const dropOnMysql = `${opening}${countForeign}there=$(sql "SELECT COUNT(*) FROM mysql.user WHERE User = '$LOGIN';")
if [ "$there" != 0 ]; then sql "ALTER USER '$LOGIN'@'%' ACCOUNT LOCK;"; fi
sql "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$LOGIN';" | while read -r kill; do sql "$kill" || true; done
if [ "$foreign" = 0 ]; then sql "DROP DATABASE IF EXISTS \\\`$DATABASE\\\`;"; fi
sql "DROP USER IF EXISTS '$LOGIN'@'%';"
`
