/**
 * The start of a single instance. A first start writes the data to a temporary folder and renames that when it is
 * complete, so that a start after a crash begins anew; the entry points of the official images would continue with half
 * a database. All images have the programs used here, so nothing depends on their entry points. Passwords come from
 * files and appear in no argument list and no log.
 */
import type { DatabaseSpec } from './kind.ts'

/** Where the volume and the Secrets are mounted. */
export const mounts = {
  postgres: '/var/lib/postgresql/data',
  mysql: '/var/lib/mysql',
  redis: '/data',
  sqlite: '/rqlite/file',
  login: '/etc/svc/login',
  admin: '/etc/svc/admin',
} as const

/** The key of the login's Secret with the permissions at rqlite, whose health is readable without a login. */
export const authFile = 'auth.json'
export const authFileOf = (username: string, password: string): string =>
  JSON.stringify([
    { username, password, perms: ['all'] },
    { username: '*', perms: ['status', 'ready'] },
  ])

const postgres = (database: string): string => `set -eu
data=${mounts.postgres}/pgdata
fresh=${mounts.postgres}/new
if [ ! -s "$data/PG_VERSION" ]; then
  rm -rf "$fresh"
  initdb --pgdata="$fresh" --username=postgres --pwfile=${mounts.admin}/password --encoding=UTF8 --locale=C --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$fresh/pg_hba.conf"
  pg_ctl -D "$fresh" -w -o "-c listen_addresses='' -c unix_socket_directories=/tmp -c log_min_error_statement=panic" start
  { echo "\\\\set password '$(cat ${mounts.login}/password)'"; cat <<'SQL'; } | psql -h /tmp -U postgres -d postgres -q --no-psqlrc -v ON_ERROR_STOP=1 -v login="$(cat ${mounts.login}/username)" -v database='${database}'
CREATE ROLE :"login" LOGIN PASSWORD :'password';
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'login') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \\gexec
SQL
  pg_ctl -D "$fresh" -w -m fast stop
  sync
  mv "$fresh" "$data"
fi
chmod 700 "$data"
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp
`

const mysql = (database: string): string => `set -eu
data=${mounts.mysql}/data
fresh=${mounts.mysql}/new
options="--socket=/tmp/mysqld.sock --pid-file=/tmp/mysqld.pid --performance-schema=OFF --skip-name-resolve --loose-mysqlx=OFF"
if [ ! -d "$data" ]; then
  rm -rf "$fresh"
  mkdir "$fresh"
  if command -v mariadb-install-db >/dev/null; then
    mariadb-install-db --no-defaults --datadir="$fresh" --auth-root-authentication-method=normal --skip-test-db --force >/dev/null
  else
    mysqld --no-defaults --initialize-insecure --datadir="$fresh"
  fi
  mysqld --no-defaults --datadir="$fresh" --skip-networking $options &
  until mysqladmin --no-defaults --socket=/tmp/mysqld.sock --user=root --silent ping; do kill -0 $!; sleep 1; done
  mysql --no-defaults --socket=/tmp/mysqld.sock --user=root <<SQL
DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1', 'root'@'$(uname -n)';
CREATE USER 'root'@'%' IDENTIFIED BY '$(cat ${mounts.admin}/password)';
GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE USER '$(cat ${mounts.login}/username)'@'%' IDENTIFIED BY '$(cat ${mounts.login}/password)';
CREATE DATABASE IF NOT EXISTS \\\`${database}\\\`;
GRANT ALL PRIVILEGES ON \\\`${database}\\\`.* TO '$(cat ${mounts.login}/username)'@'%';
ALTER USER 'root'@'localhost' IDENTIFIED BY '$(cat ${mounts.admin}/password)';
SQL
  kill $!
  wait $!
  sync
  mv "$fresh" "$data"
fi
exec mysqld --no-defaults --datadir="$data" $options
`

const redis = `set -eu
umask 077
printf 'requirepass %s\\n' "$(cat ${mounts.login}/password)" >/tmp/redis.conf
exec redis-server /tmp/redis.conf --dir ${mounts.redis} --appendonly yes
`

/**
 * Undefined for sqlite: rqlite needs no script. `database` is a name without quotes, as the API and the CRD guarantee.
 */
export function startScript(engine: DatabaseSpec['engine'], database: string): string | undefined {
  if (engine === 'postgres') return postgres(database)
  if (engine === 'mysql') return mysql(database)
  return engine === 'redis' ? redis : undefined
}
