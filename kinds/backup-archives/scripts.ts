/**
 * The script of a backup: rclone reads the output of the engine's dump tool, encrypts and uploads it. Nothing is stored
 * on the node, except the objects of a bucket while they are packed. The stored files are read back and compared before
 * a manifest lists them, in the format of `sha256sum`. The same tools can restore all of it by hand
 * (docs/guides/backups.md).
 *
 * Passwords and keys come from mounted files and appear in no argument list. A script ends with one line of JSON, or
 * with a sentence without secrets, as its termination message: the messages of the tools stay in the log of the pod.
 */
import { bucketDump, bucketLoad, bucketLogin } from './bucket-scripts.ts'
import { counting, countsSaid } from './counting.ts'
import type { BackupArchiveSpec } from './kind.ts'
import { storedOtherwise, unanswered, unloaded, untaken } from './sentences.ts'
import { isSqlEngine } from '../sql-engines.ts'
import { basing as dumpingAll, ownNames, stillLogged } from './binlog/base-script.ts'
import { based, basing } from './wal/base-script.ts'

type Engine = BackupArchiveSpec['engine']

/** Where the files of the Secrets are mounted, and where a script writes; tests use folders of their own. */
export const folders = {
  STORE: '/etc/svc/store',
  LOGIN: '/etc/svc/login',
  ADMIN: '/etc/svc/admin',
  TOOLS: '/tools',
  WORK: '/work',
  SAID: '/dev/termination-log',
} as const

/** Copies rclone and the certificates of its image into a volume, for the image of the engine. */
export const toolsScript = `set -eu
cp "$(command -v rclone)" "$TOOLS/rclone"
for each in /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem; do
  if [ -s "$each" ]; then cp "$each" "$TOOLS/ca.crt"; break; fi
done
`

/** The file that lists the others. */
export const manifest = 'manifest.sha256'

/** `sealed:` is the rclone remote of the backup's folder, which encrypts; files get the ending `.bin` there. */
export const opening = `set -eu
umask 077
PATH="$TOOLS:$PATH"
of() { cat "$STORE/$1"; }
ends() { printf '%s' "$1" >"$SAID"; exit "$2"; }
fail() { echo "$1" >&2; ends "$1" 1; }
if [ -s "$TOOLS/ca.crt" ]; then export SSL_CERT_FILE="$TOOLS/ca.crt"; fi
export RCLONE_CONFIG="$WORK/rclone.conf" RCLONE_CONFIG_STORE_TYPE=s3 RCLONE_CONFIG_STORE_NO_CHECK_BUCKET=true
export RCLONE_CONFIG_STORE_PROVIDER="$(of provider)" RCLONE_CONFIG_STORE_ENDPOINT="$(of endpoint)"
export RCLONE_CONFIG_STORE_REGION="$(of region)" RCLONE_CONFIG_STORE_ACCESS_KEY_ID="$(of accessKey)"
export RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY="$(of secretKey)"
export RCLONE_CONFIG_SEALED_TYPE=crypt RCLONE_CONFIG_SEALED_REMOTE="store:$(of bucket)/$(of path)"
export RCLONE_CONFIG_SEALED_FILENAME_ENCRYPTION=off RCLONE_CONFIG_SEALED_DIRECTORY_NAME_ENCRYPTION=false
export RCLONE_CONFIG_SEALED_PASSWORD="$(of key | rclone obscure -)"
export RCLONE_S3_CHUNK_SIZE=16M RCLONE_S3_UPLOAD_CONCURRENCY=2 RCLONE_LOW_LEVEL_RETRIES=20 RCLONE_CONTIMEOUT=20s
digest() { sha256sum | cut -d ' ' -f 1; }
`

/** The logins of each engine, read from the mounted files. */
export const logins: Record<Engine, string> = {
  postgres: `export PGHOST="$SERVER_HOST" PGPORT="$SERVER_PORT" PGCONNECT_TIMEOUT=20
export PGUSER="$(cat "$ADMIN/username")" PGPASSWORD="$(cat "$ADMIN/password")"
`,
  mysql: `export MYSQL_PWD="$(cat "$ADMIN/password")"
client="$(command -v mysql || command -v mariadb)"
dumper="$(command -v mysqldump || command -v mariadb-dump)"
at="--no-defaults --protocol=TCP --host=$SERVER_HOST --port=$SERVER_PORT --user=$(cat "$ADMIN/username")"
dump_of() { $dumper $at --single-transaction --routines --triggers --events --hex-blob --no-tablespaces "$1"; }
`,
  redis: `export REDISCLI_AUTH="$(cat "$LOGIN/password")"
server() { redis-cli -h "$SERVER_HOST" -p "$SERVER_PORT" --no-auth-warning "$@"; }
`,
  sqlite: `basic="$(printf '%s:%s' "$(cat "$LOGIN/username")" "$(cat "$LOGIN/password")" | base64 | tr -d '\\n')"
`,
  bucket: bucketLogin,
}

/** \`keep NAME\` takes a file from its input; \`made\` says that the tool before it had a failure. */
const keeping = `: >"$WORK/${manifest}"
at_moment="$(date -u +%Y-%m-%dT%H:%M:%SZ)"
total=0
made() { "$@" || : >"$WORK/failed"; }
keep() {
  rm -f "$WORK/one" "$WORK/two"
  mkfifo "$WORK/one" "$WORK/two"
  sha256sum <"$WORK/one" >"$WORK/sum" &
  summing=$!
  wc -c <"$WORK/two" >"$WORK/size" &
  counting=$!
  tee "$WORK/one" "$WORK/two" | rclone rcat "sealed:$1" || : >"$WORK/unsent"
  wait $summing $counting
}
dropped() { rclone deletefile "sealed:$1" || true; }
taken() {
  if [ -e "$WORK/unsent" ]; then dropped "$1"; fail '${untaken}'; fi
}
sent() {
  sum="$(cut -d ' ' -f 1 "$WORK/sum")"
  if [ "$1" != "$sum" ]; then fail '${storedOtherwise}'; fi
  total=$((total + $(cat "$WORK/size")))
}
kept() {
  taken "$1"
  if [ -e "$WORK/failed" ]; then dropped "$1"; fail "$undumped"; fi
  rm -f "$WORK/one"
  mkfifo "$WORK/one"
  { (counted) || true; cat >/dev/null; } <"$WORK/one" >"$WORK/counted" &
  counting=$!
  read_back="$(rclone cat "sealed:$1" | tee "$WORK/one" | digest)"
  wait $counting
  sent "$read_back"
  add "$WORK/counted"
  printf '%s  %s\\n' "$sum" "$1" >>"$WORK/${manifest}"
}
`

/** Refuses names that the clients would take for more than a name: an address of another server, or an option. */
const nameTaken = (variable: string): string =>
  `case "$${variable}" in '' | *[!A-Za-z0-9_]*) fail 'a database has a name that backups do not take' ;; esac
`

/** The databases to dump: all of the server, or the one that its own login may reach. */
const allNames = {
  postgres: `psql -XAtq -v ON_ERROR_STOP=1 -d postgres -c "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY 1" >"$WORK/names" || fail 'the server did not take the login'
`,
  mysql: `$client $at --batch --skip-column-names -e "${ownNames}" >"$WORK/names" || fail 'the server did not take the login'
`,
} as const

/** Checks all names before they are passed to a tool together. */
const dumpableNames = `while read -r db; do
  ${nameTaken('db')}done <"$WORK/names"
`

const notLetIn = 'the server did not let the login in: it may have all of its connections in use'

const oneName = {
  postgres: `${nameTaken('DATABASE')}psql -XAtq -d "$DATABASE" -c 'SELECT 1' >/dev/null || fail '${notLetIn}'
printf '%s\\n' "$DATABASE" >"$WORK/names"
`,
  mysql: `${nameTaken('DATABASE')}$client $at --batch -e 'SELECT 1' "$DATABASE" >/dev/null || fail '${notLetIn}'
printf '%s\\n' "$DATABASE" >"$WORK/names"
`,
} as const

const dumps: Record<Engine, string> = {
  // The default level of pg_dump takes more than twice the processor time for a size that is a twentieth smaller.
  postgres: `while read -r db; do
  ${nameTaken('db')}  made pg_dump -Fc -Z 1 -d "$db" | keep "$db.dump"
  kept "$db.dump"
done <"$WORK/names"
`,
  mysql: `while read -r db; do
  ${nameTaken('db')}  made dump_of "$db" | keep "$db.sql"
  kept "$db.sql"
done <"$WORK/names"
`,
  redis: `made server --rdb - | keep dump.rdb
kept dump.rdb
`,
  sqlite: `fetch() { RCLONE_HEADER="Authorization: Basic $basic" rclone copyurl --stdout "http://$SERVER_HOST:$SERVER_PORT/db/backup" -; }
made fetch | keep data.sqlite
kept data.sqlite
`,
  bucket: bucketDump,
}

const undumped = (engine: Engine): string =>
  `undumped='${engine === 'bucket' ? 'the objects of the bucket could not be packed' : 'the dump of the database failed'}'\n`

const finished = (engine: Engine) => `rclone rcat "sealed:${manifest}" <"$WORK/${manifest}" || fail '${untaken}'
sum="$(digest <"$WORK/${manifest}")"
if [ "$(rclone cat "sealed:${manifest}" | digest)" != "$sum" ]; then fail '${storedOtherwise}'; fi
${countsSaid(engine)}ends "{\\"checksum\\":\\"$sum\\",\\"size\\":$total,\\"point\\":\\"$at_moment\\"\${base:+,\\"base\\":\\"$base\\"}\${no_later_moments:+,\\"noLaterMoments\\":\\"$no_later_moments\\"}\${counts:+,$counts}}" 0
`

/**
 * Needs SERVER_HOST and SERVER_PORT beside the folders; with a copy of the server, the needs of its `basing`; for one
 * database alone DATABASE, and its own login in place of the administrator's; for a bucket BUCKETS and PREFIX.
 */
export const backupScript = (engine: Engine, { base = false, one = false } = {}): string =>
  [
    opening,
    logins[engine],
    counting(engine),
    undumped(engine),
    keeping,
    base && engine === 'postgres' ? basing : 'base=\n',
    isSqlEngine(engine) ? (one ? oneName : allNames)[engine] : '',
    base && engine === 'mysql' ? `${dumpableNames}${dumpingAll}` : '',
    dumps[engine],
    base && engine === 'postgres' ? based : '',
    base && engine === 'mysql' ? stillLogged : '',
    finished(engine),
  ].join('')

/** The names of the files of a backup. A record that names another engine must not hand them to its tools. */
const files = { postgres: '*.dump', mysql: '*.sql', redis: 'dump.rdb', sqlite: 'data.sqlite', bucket: 'bucket-*.tar' }

/** Checks every stored file before anything is loaded. CHECKSUM is that of the record, for the manifest. */
export function checking(engine: Engine): string {
  return `rclone cat "sealed:${manifest}" >"$WORK/${manifest}" || fail 'the backup is not in the object store, or cannot be read'
if [ "$(digest <"$WORK/${manifest}")" != "$CHECKSUM" ]; then fail 'the backup is not what was written: its manifest differs'; fi
while read -r sum name; do
  case "$name" in ${files[engine]}) ;; *) fail "the backup is not what was written: $name is of another engine" ;; esac
  if [ "$(rclone cat "sealed:$name" | digest)" != "$sum" ]; then fail "the backup is not what was written: $name differs"; fi
done <"$WORK/${manifest}"
take() { rclone cat "sealed:$1" || : >"$WORK/failed"; }
`
}

/** Makes `login` the definer of all routines and views of a mysql: the login that defined them may not exist. */
export const definers = `sed -E '/^(CREATE|\\/\\*![0-9]+ (CREATE\\*\\/ \\/\\*![0-9]+ )?DEFINER=)/ s/DEFINER=\`[^\`]*\`@\`[^\`]*\`/DEFINER=\`'"$login"'\`@\`%\`/'`

export const loads: Record<Engine, string> = {
  postgres: `login="$(cat "$LOGIN/username")"
while read -r sum name; do
  db="\${name%.dump}"
  psql -Xq -v ON_ERROR_STOP=1 -v db="$db" -v login="$login" -d postgres <<'SQL' || fail '${unloaded}'
SELECT format('CREATE DATABASE %I OWNER %I', :'db', :'login') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'db') \\gexec
SQL
  take "$name" | pg_restore --clean --if-exists --no-owner --no-privileges --role="$login" --exit-on-error --single-transaction -d "$db" || fail '${unloaded}'
done <"$WORK/${manifest}"
`,
  // In any other mode the client runs commands that stand in the file, such as `\!`.
  mysql: `login="$(cat "$LOGIN/username")"
while read -r sum name; do
  db="\${name%.sql}"
  $client $at -e "CREATE DATABASE IF NOT EXISTS \\\`$db\\\`; GRANT ALL PRIVILEGES ON \\\`$db\\\`.* TO '$login'@'%'" || fail '${unloaded}'
  take "$name" | ${definers} | $client $at --binary-mode "$db" || fail '${unloaded}'
done <"$WORK/${manifest}"
`,
  // The server takes the data as a replica of a second one, which has read the file: it never restarts. One that was
  // started again meanwhile is no replica any more.
  redis: `mkdir -p "$WORK/data"
take dump.rdb >"$WORK/data/dump.rdb"
word="$(cat /proc/sys/kernel/random/uuid)"
printf 'port %s\\nbind 0.0.0.0\\ndir %s\\nsave ""\\nappendonly no\\nrepl-diskless-sync-delay 0\\nrequirepass %s\\n' "$OWN_PORT" "$WORK/data" "$word" >"$WORK/redis.conf"
redis-server "$WORK/redis.conf" >"$WORK/redis.log" &
second=$!
trap 'kill $second 2>/dev/null || true' EXIT
own() { REDISCLI_AUTH="$word" redis-cli -h 127.0.0.1 -p "$OWN_PORT" --no-auth-warning "$@"; }
until own ping | grep -q PONG; do kill -0 $second || fail '${unloaded}'; sleep 1; done
printf 'CONFIG SET masterauth %s\\nREPLICAOF %s %s\\n' "$word" "$OWN_ADDRESS" "$OWN_PORT" | server >/dev/null || fail '${unloaded}'
until link="$(server info replication)" && echo "$link" | grep -q 'master_link_status:up'; do
  kill -0 $second || fail '${unloaded}'
  case "$link" in *role:master*) fail '${unloaded}' ;; esac
  sleep 1
done
if [ "$(server info keyspace | grep '^db' | cut -d , -f 1)" != "$(own info keyspace | grep '^db' | cut -d , -f 1)" ]; then fail '${unloaded}'; fi
printf 'REPLICAOF NO ONE\\nCONFIG SET masterauth ""\\n' | server >/dev/null || fail '${unloaded}'
`,
  sqlite: `take data.sqlite >"$WORK/data"
send() {
  printf 'POST /db/load HTTP/1.0\\r\\nAuthorization: Basic %s\\r\\nContent-Type: application/octet-stream\\r\\nContent-Length: %s\\r\\n\\r\\n' "$basic" "$(wc -c <"$WORK/data")"
  cat "$WORK/data"
}
send | nc "$SERVER_HOST" "$SERVER_PORT" >"$WORK/answer" || true
head -n 1 "$WORK/answer" | grep -q ' 200 ' || fail '${unloaded}'
if grep -q '"error"' "$WORK/answer"; then fail '${unloaded}'; fi
`,
  bucket: bucketLoad,
}

/**
 * Waits until the server accepts its administrator: the Job of a restore starts while the server does, and checks the
 * stored files meanwhile. Needs ANSWERS_WITHIN, in seconds.
 */
const awaited = (asked: string): string => `give_up=$(($(date +%s) + ANSWERS_WITHIN))
until ${asked} >/dev/null 2>&1; do
  if [ "$(date +%s)" -ge $give_up ]; then fail '${unanswered}'; fi
  sleep 1
done
`

/** A bucket needs no wait: it exists before its Job. */
export const answers: Record<Engine, string> = {
  postgres: awaited(`psql -XAtq -d postgres -c 'SELECT 1'`),
  mysql: awaited(`$client $at --batch -e 'SELECT 1'`),
  redis: awaited(`server ping | grep -q PONG`),
  sqlite: `asked() { printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' | nc "$SERVER_HOST" "$SERVER_PORT" | head -n 1 | grep -q ' 200 '; }
${awaited('asked')}`,
  bucket: '',
}

const loaded = `if [ -e "$WORK/failed" ]; then fail '${unloaded}'; fi
ends '{}' 0
`

/**
 * Needs SERVER_HOST, SERVER_PORT, ANSWERS_WITHIN and CHECKSUM, for redis OWN_ADDRESS and OWN_PORT, for a bucket TO.
 * Loads whether or not the server has data already.
 */
export const restoreScript = (engine: Engine): string =>
  `${opening}${logins[engine]}${checking(engine)}${answers[engine]}${loads[engine]}${loaded}`
