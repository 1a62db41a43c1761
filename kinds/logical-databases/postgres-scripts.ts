/**
 * The shell scripts that create and drop a database on a PostgreSQL server. Values come from the environment; running a
 * script again changes nothing.
 */

/**
 * Waits up to a minute for the server. psql reads address and login from `PGHOST` and the like; values reach SQL as
 * quoted psql variables, so that arguments of processes have none of them.
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

/** Under a lock: concurrent changes of the rights on one database fail with "tuple concurrently updated". */
const underLock = `SELECT pg_advisory_lock(7350961);
`

/**
 * On the shared server: creates the login and its database, the only one that it can reach. The password is sent as its
 * SCRAM verifier, so that no log of the server can have it. The right of PUBLIC to connect is revoked for every
 * database, those of a new server included.
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

/** On a project's own server: creates the database under its own name, for the server's login. */
export const createOnOwnPostgres = `${opening}SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'login') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \\gexec
SQL
`

/** Locks the login and ends its sessions first; only what belongs to the login is dropped. */
export const dropOnPostgres = `${opening}${underLock}SELECT format('ALTER ROLE %I NOLOGIN', rolname) FROM pg_roles WHERE rolname = :'login' \\gexec
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = :'login';
SELECT format('DROP DATABASE %I', datname) FROM pg_database WHERE datname = :'database' AND pg_get_userbyid(datdba) = :'login' \\gexec
SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname = :'login' \\gexec
SQL
`
