/**
 * The script of a restore drill: it starts a server in its own pod, loads the backup as a restore does, and counts the
 * result. It talks to no other server.
 */
import { bucketFill, bucketRecount, bucketServer } from './bucket-scripts.ts'
import { counting, countsSaid } from './counting.ts'
import type { BackupArchiveSpec } from './kind.ts'
import { checking, loads, logins, manifest, opening } from './scripts.ts'
import { unloaded } from './sentences.ts'
import { replayingOnTrial as replayingBinlog } from './binlog/trial-script.ts'
import { replayingOnTrial } from './wal/trial-script.ts'

type Engine = BackupArchiveSpec['engine']

const unstarted = 'the throwaway server did not start'

/** Logins of the throwaway server, which listens only on the loopback address of the pod. */
const place = `LOGIN="$WORK/login" ADMIN="$WORK/admin" SERVER_HOST=127.0.0.1 SERVER_PORT="$OWN_PORT"
mkdir "$LOGIN" "$ADMIN"
word="$(cat /proc/sys/kernel/random/uuid)"
printf %s "$word" >"$LOGIN/password"
printf %s "$word" >"$ADMIN/password"
printf restored >"$LOGIN/username"
`

/** The start of the server, before anything logs in. Its data need not survive a crash, so durability is off. */
const servers: Record<Engine, string> = {
  postgres: `printf postgres >"$ADMIN/username"
initdb --pgdata="$WORK/server" --username=postgres --pwfile="$ADMIN/password" --encoding=UTF8 --locale=C --auth=scram-sha-256 --no-sync >"$WORK/server.log" 2>&1 || fail '${unstarted}'
end() { pg_ctl -D "$WORK/server" -m immediate stop >/dev/null 2>&1 || true; }
trap end EXIT
pg_ctl -D "$WORK/server" -w -t 600 -l "$WORK/server.log" -o "-p $OWN_PORT -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c full_page_writes=off" start >/dev/null || fail '${unstarted}'
`,
  mysql: `printf root >"$ADMIN/username"
if command -v mariadb-install-db >/dev/null; then
  mariadb-install-db --no-defaults --datadir="$WORK/server" --auth-root-authentication-method=normal --skip-test-db --force >"$WORK/server.log" 2>&1 || fail '${unstarted}'
else
  mysqld --no-defaults --initialize-insecure --datadir="$WORK/server" >"$WORK/server.log" 2>&1 || fail '${unstarted}'
fi
mysqld --no-defaults --datadir="$WORK/server" --socket="$WORK/socket" --pid-file="$WORK/pid" --bind-address=127.0.0.1 --port="$OWN_PORT" --performance-schema=OFF --skip-name-resolve --loose-mysqlx=OFF --skip-log-bin --innodb-flush-log-at-trx-commit=0 >"$WORK/server.log" 2>&1 &
second=$!
end() { kill -9 $second 2>/dev/null || true; }
trap end EXIT
client="$(command -v mysql || command -v mariadb)"
inside() { $client --no-defaults --socket="$WORK/socket" --user=root "$@"; }
until inside -e 'SELECT 1' >/dev/null 2>&1; do kill -0 $second || fail '${unstarted}'; sleep 1; done
inside <<SQL || fail '${unstarted}'
DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1', 'root'@'$(uname -n)';
CREATE USER 'root'@'%' IDENTIFIED BY '$word';
GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE USER 'restored'@'%' IDENTIFIED BY '$word';
SQL
`,
  // The server reads the file when it starts, so it starts after the file was written.
  redis: '',
  // A container beside this one, since the image of the server has no shell.
  sqlite: `ask() { printf 'POST /db/query HTTP/1.0\\r\\nContent-Type: application/json\\r\\nContent-Length: %s\\r\\n\\r\\n%s' "\${#1}" "$1" | nc "$SERVER_HOST" "$SERVER_PORT"; }
tries=0
until ask '["SELECT 1"]' 2>/dev/null | head -n 1 | grep -q ' 200 '; do
  tries=$((tries + 1))
  if [ $tries = 300 ]; then fail '${unstarted}'; fi
  sleep 1
done
`,
  // A container beside this one, as well.
  bucket: bucketServer,
}

/** Fills the server, as a restore fills another one. */
const fills: Record<Engine, string> = {
  postgres: `psql -Xq -v ON_ERROR_STOP=1 -d postgres -c 'CREATE ROLE restored LOGIN' || fail '${unstarted}'
${loads.postgres}`,
  mysql: loads.mysql,
  redis: `mkdir "$WORK/server"
take dump.rdb >"$WORK/server/dump.rdb"
printf 'port %s\\nbind 127.0.0.1\\ndir %s\\nsave ""\\nappendonly no\\nrequirepass %s\\n' "$OWN_PORT" "$WORK/server" "$word" >"$WORK/redis.conf"
redis-server "$WORK/redis.conf" >"$WORK/server.log" &
second=$!
end() { kill -9 $second 2>/dev/null || true; }
trap end EXIT
until server ping | grep -q PONG; do kill -0 $second || fail '${unloaded}'; sleep 1; done
`,
  sqlite: loads.sqlite,
  bucket: `${bucketFill(unstarted)}${loads.bucket}`,
}

/** Counts the loaded data in the same way as when it was stored. */
const recounts: Record<Engine, string> = {
  postgres: `while read -r sum name; do
  { pg_dump --data-only -d "\${name%.dump}" || printf '%s\\n' '\\q'; } | copied >"$WORK/counted"
  add "$WORK/counted"
done <"$WORK/${manifest}"
`,
  mysql: `while read -r sum name; do
  { dump_of "\${name%.sql}" || : >"$WORK/failed"; } | counted >"$WORK/counted"
  add "$WORK/counted"
done <"$WORK/${manifest}"
`,
  redis: `server info keyspace | tr -d '\\r' | sed -nE 's/^db[0-9]+:keys=([0-9]+),expires=([0-9]+).*/\\1 \\2/p' >"$WORK/counted"
while read -r keys expires; do things=$((things + keys - expires)); done <"$WORK/counted"
`,
  sqlite: `ask '["PRAGMA quick_check"]' | grep -q '\\[\\["ok"\\]\\]' || fail 'the restored database is damaged'
echo "$(ask '["PRAGMA page_count"]' | sed -nE 's/.*"values":\\[\\[([0-9]+)\\]\\].*/\\1/p') 0" >"$WORK/counted"
add "$WORK/counted"
`,
  bucket: bucketRecount,
}

const counted = (engine: Engine): string => `if [ -e "$WORK/failed" ]; then fail '${unloaded}'; fi
${recounts[engine]}if [ -e "$WORK/failed" ]; then fail 'what was restored could not be counted'; fi
${countsSaid(engine)}`

const said = `ends "{$counts\${counts:+\${replayed:+,}}$replayed}" 0
`

/**
 * Needs CHECKSUM and OWN_PORT; for sqlite a server without logins that listens there, for a bucket an object server.
 * With the copy of a postgres or mysql also BASE and POINT, and what it says has `replayed` then.
 */
export const drillScript = (engine: Engine, withBase = false): string =>
  [
    opening,
    place,
    servers[engine],
    logins[engine],
    counting(engine),
    checking(engine),
    fills[engine],
    counted(engine),
    withBase ? (engine === 'mysql' ? replayingBinlog : replayingOnTrial) : 'replayed=\n',
    said,
  ].join('')
