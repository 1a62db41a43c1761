/**
 * The shell scripts that make and drop a database on a MySQL server; values come from the environment, and running one
 * again changes nothing.
 */

/**
 * Waits for the server for a minute. The password of who asks is in `MYSQL_PWD`; SQL comes over standard input, so no
 * value but names stands in the arguments of a process. Names and passwords are of letters, digits, dashes and
 * underscores alone. An underscore in the name of a database stands for any character in a GRANT unless it is escaped.
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

/** Databases have no owner here: one that another login may use is another's. Character 92 is the backslash. */
const countForeign = `foreign=$(sql "SELECT COUNT(*) FROM mysql.db WHERE REPLACE(Db, CHAR(92), '') = '$DATABASE' AND User <> '$LOGIN';")
`

/**
 * On the shared server: the login, its database, and nothing else that it can reach. The client tells a statement that
 * fails, so of those with a password only the number of the error is shown.
 */
export const createOnSharedMysql = `${opening}${countForeign}if [ "$foreign" != 0 ]; then echo 'a database of this name belongs to another login' >&2; exit 1; fi
said=$(sql "CREATE USER IF NOT EXISTS '$LOGIN'@'%' IDENTIFIED BY '$PASSWORD';
ALTER USER '$LOGIN'@'%' IDENTIFIED BY '$PASSWORD' WITH MAX_USER_CONNECTIONS $CONNECTION_LIMIT ACCOUNT UNLOCK;" 2>&1) ||
  { printf '%s\\n' "$said" | grep -o '^ERROR [0-9]* ([0-9A-Z]*)' >&2; exit 1; }
sql "CREATE DATABASE IF NOT EXISTS \\\`$DATABASE\\\`;
GRANT ALL PRIVILEGES ON \\\`$pattern\\\`.* TO '$LOGIN'@'%';"
`

/** On a project's own server: the database as it is named, for the server's own login. */
export const createOnOwnMysql = `${opening}sql "CREATE DATABASE IF NOT EXISTS \\\`$DATABASE\\\`;"
if [ "$LOGIN" != "$SERVER_USERNAME" ]; then sql "GRANT ALL PRIVILEGES ON \\\`$pattern\\\`.* TO '$LOGIN'@'%';"; fi
`

/** Sessions are ended first, and no new ones begin; nothing is dropped that another login may use. */
export const dropOnMysql = `${opening}${countForeign}there=$(sql "SELECT COUNT(*) FROM mysql.user WHERE User = '$LOGIN';")
if [ "$there" != 0 ]; then sql "ALTER USER '$LOGIN'@'%' ACCOUNT LOCK;"; fi
sql "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$LOGIN';" | while read -r kill; do sql "$kill" || true; done
if [ "$foreign" = 0 ]; then sql "DROP DATABASE IF EXISTS \\\`$DATABASE\\\`;"; fi
sql "DROP USER IF EXISTS '$LOGIN'@'%';"
`
