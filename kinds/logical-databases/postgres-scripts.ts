/**
 * The shell scripts that make and drop a database on a PostgreSQL server; values come from the environment, and running
 * one again changes nothing.
 */

/**
 * Waits for the server for a minute. `PGHOST` and the like tell psql where it is and who asks; values reach SQL as
 * quoted psql variables, so none of them stands in the arguments of a process.
 */
const opening = `set -eu
export PGCONNECT_TIMEOUT=10
tries=0
until psql -XAtqc 'SELECT 1' >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 30 ]; then echo 'the server does not answer' >&2; exit 1; fi
  sleep 2
done
psql -Xq -v ON_ERROR_STOP=1 <<'SQL' >/dev/null
\\set database \`printf %s "$DATABASE"\`
\\set login \`printf %s "$LOGIN"\`
`

/** One at a time: two that change the rights on one database at once meet "tuple concurrently updated". */
const underLock = `SELECT pg_advisory_lock(7350961);
`

/**
 * On the shared server: the login, its database, and nothing else that it can reach. The password comes as its SCRAM
 * verifier, so that no log of the server can hold it. Every database loses the right of everybody to connect, those the
 * server began with included.
 */
export const createOnSharedPostgres = `${opening}\\set verifier \`printf %s "$VERIFIER"\`
\\set limit \`printf %s "$CONNECTION_LIMIT"\`
${underLock}SELECT count(*) > 0 AS foreign_owner FROM pg_database WHERE datname = :'database' AND pg_get_userbyid(datdba) <> :'login' \\gset
\\if :foreign_owner
DO 'BEGIN RAISE EXCEPTION ''a database of this name belongs to another login''; END';
\\endif
SELECT format('CREATE ROLE %I', :'login') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'login') \\gexec
ALTER ROLE :"login" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS CONNECTION LIMIT :limit PASSWORD :'verifier';
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'login') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \\gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', datname) FROM pg_database
  WHERE datallowconn AND (datacl IS NULL OR EXISTS (SELECT FROM aclexplode(datacl) WHERE grantee = 0)) \\gexec
SQL
`

/** On a project's own server: the database as it is named, for the server's own login. */
export const createOnOwnPostgres = `${opening}SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'login') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \\gexec
SQL
`

/** Sessions are ended first, and no new ones begin; only what belongs to the login is dropped. */
export const dropOnPostgres = `${opening}${underLock}SELECT format('ALTER ROLE %I NOLOGIN', rolname) FROM pg_roles WHERE rolname = :'login' \\gexec
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = :'login';
SELECT format('DROP DATABASE %I', datname) FROM pg_database WHERE datname = :'database' AND pg_get_userbyid(datdba) = :'login' \\gexec
SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname = :'login' \\gexec
SQL
`
