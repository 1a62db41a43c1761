/**
 * Real database servers on loopback: PostgreSQL, and MariaDB as the stand-in for MySQL, each with its own data folder.
 */
import { type ExecFileException, execFile } from 'node:child_process'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ChildSpec,
  endChild,
  freePort,
  launch,
  signalGroup,
  waitUntilReady,
} from '../../one-machine/processes/index.ts'
import { debianPrograms, type Programs } from './debian-programs.ts'
import { atEnd } from './stack.ts'

export interface Asked {
  /** 0 for success. */
  code: number
  stdout: string
  stderr: string
}

export interface Engine {
  host: string
  port: number
  admin: { username: string; password: string }
  /** Runs a shell script in an environment with the engine's client and these variables. */
  script(text: string, variables: Record<string, string>): Promise<Asked>
  /** Runs SQL as this login on this database, on a new connection each time. */
  sql(login: { username: string; password: string }, database: string, text: string): Promise<Asked>
  /** The variables with which a Job of this engine finds the server. */
  serverVariables: Record<string, string>
  /** Kills the server as a crash of its machine would; `start` restarts it with its data. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

type Served = Pick<Engine, 'kill' | 'start' | 'stop'>

const host = '127.0.0.1'
const password = 'of-the-administrator'
/** A database server refuses to run as root. */
export const nobody = 65534
/** Enough for unpacking and the first start on a busy machine. */
export const engineWithinMs = 180_000

const mostStarts = 20
const againMs = 250

const isRoot = process.getuid?.() === 0

/** @param more additional settings of the server, `name=value` */
export async function startPostgres(more: readonly string[] = []): Promise<Engine> {
  const programs = await debianPrograms(['postgresql', 'postgresql-client'], ['initdb', 'postgres', 'psql'])
  const shell = shellOf(programs, 'psql')
  const port = await freePort()
  const folder = await ownFolder()
  const data = join(folder, 'data')
  const admin = { username: 'postgres', password }
  await writeFile(join(folder, 'password'), password)
  const init = [
    '-D',
    data,
    '-U',
    admin.username,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    `--pwfile=${join(folder, 'password')}`,
  ]
  expectDone(await asNobody(programs, 'initdb', init))
  const settings = [
    'fsync=off',
    'max_connections=40',
    'shared_buffers=16MB',
    `listen_addresses=${host}`,
    'unix_socket_directories=',
  ]
  const served = await serve(
    programs,
    'postgres',
    ['-D', data, '-p', String(port), ...[...settings, ...more].flatMap((entry) => ['-c', entry])],
    folder,
    () => sql(admin, 'postgres', 'SELECT 1'),
  )
  function sql(login: { username: string; password: string }, database: string, text: string): Promise<Asked> {
    const variables = {
      PGHOST: host,
      PGPORT: String(port),
      PGUSER: login.username,
      PGPASSWORD: login.password,
      PGDATABASE: database,
      PGCONNECT_TIMEOUT: '10',
      SQL: text,
    }
    return shell('psql -XAtq -v ON_ERROR_STOP=1 -c "$SQL"', variables)
  }
  const serverVariables = {
    PGHOST: host,
    PGPORT: String(port),
    PGDATABASE: 'postgres',
    PGUSER: admin.username,
    PGPASSWORD: admin.password,
  }
  return { host, port, admin, script: shell, sql, serverVariables, ...served }
}

/** @param more additional settings of the server */
export async function startMariadb(more: readonly string[] = []): Promise<Engine> {
  const programs = await debianPrograms(
    ['mariadb-server-core', 'mariadb-client-core'],
    ['mariadb-install-db', 'mariadbd', 'mariadb'],
  )
  const port = await freePort()
  const folder = await ownFolder()
  const data = join(folder, 'data')
  const admin = { username: 'root', password }
  const places = [`--basedir=${join(programs.root, 'usr')}`, `--datadir=${data}`]
  expectDone(
    await asNobody(programs, 'mariadb-install-db', [
      '--no-defaults',
      ...places,
      '--skip-test-db',
      '--auth-root-authentication-method=normal',
      '--skip-name-resolve',
    ]),
  )
  const settings = [
    `--port=${port}`,
    `--bind-address=${host}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
  ]
  const sparing = [
    '--innodb-buffer-pool-size=16M',
    '--innodb-flush-log-at-trx-commit=0',
    '--skip-name-resolve',
    `--lc-messages-dir=${join(programs.root, 'usr/share/mysql')}`,
  ]
  const sql = (login: { username: string; password: string }, database: string, text: string) =>
    shellOf(programs, 'mariadb')(
      'mariadb --no-defaults --protocol=TCP -h "$SERVER_HOST" -P "$SERVER_PORT" -u "$SERVER_USERNAME" --batch --skip-column-names -e "$SQL" $DATABASE',
      {
        SERVER_HOST: host,
        SERVER_PORT: String(port),
        SERVER_USERNAME: login.username,
        MYSQL_PWD: login.password,
        DATABASE: database,
        SQL: text,
      },
    )
  const served = await serve(
    programs,
    'mariadbd',
    ['--no-defaults', ...places, ...settings, ...sparing, ...more],
    folder,
    () => sql({ ...admin, password: '' }, '', 'SELECT 1'),
  )
  // As the official image does: one administrator with a password, from every host.
  const opened = `CREATE USER 'root'@'%' IDENTIFIED BY '${password}'; GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
    DELETE FROM mysql.global_priv WHERE User IN ('', 'root') AND Host <> '%'; FLUSH PRIVILEGES;`
  expectDone(await sql({ ...admin, password: '' }, '', opened))
  const serverVariables = {
    SERVER_HOST: host,
    SERVER_PORT: String(port),
    SERVER_USERNAME: admin.username,
    MYSQL_PWD: admin.password,
  }
  return { host, port, admin, script: shellOf(programs, 'mariadb'), sql, serverVariables, ...served }
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-engine-'))
  if (!isRoot) return folder
  await chown(folder, nobody, nobody)
  await chmod(folder, 0o700)
  return folder
}

async function serve(
  programs: Programs,
  name: string,
  args: string[],
  folder: string,
  answers: () => Promise<Asked>,
): Promise<Served> {
  const [command, ...rest] = demoted(programs.path(name), args)
  return await startMortal({
    name,
    command,
    args: rest,
    cwd: folder,
    env: programs.env,
    logFile: join(folder, `${name}.log`),
    readyWithinMs: 60_000,
    ready: async () => (await answers()).code === 0,
  })
}

/** Resolves when the server is ready. Its folder goes with it. */
export async function startMortal(server: ChildSpec & { cwd: string }): Promise<Served> {
  let child = launch(server)
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopping ??= endChild(child).then(() => rm(server.cwd, { recursive: true, force: true })))
  atEnd(stop)
  await waitUntilReady(child)
  return {
    stop,
    async kill() {
      child.stopping = true
      signalGroup(child.process.pid ?? 0, 'SIGKILL')
      await child.ended
    },
    async start() {
      // The children of the dead server exit a moment later, and a new server cannot start beside them.
      for (let tries = 1; ; tries += 1) {
        child = launch(server)
        try {
          return await waitUntilReady(child)
        } catch (error) {
          if (tries === mostStarts) throw error
          await sleep(againMs)
        }
      }
    },
  }
}

/** Runs the command as an unprivileged user that can still read programs in root's cache. */
export function demoted(command: string, args: readonly string[]): [string, ...string[]] {
  const reading = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search']
  return isRoot
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...reading, '--', command, ...args]
    : [command, ...args]
}

function asNobody(programs: Programs, name: string, args: string[]): Promise<Asked> {
  const [command, ...rest] = demoted(programs.path(name), args)
  return ask(command, rest, { ...process.env, ...programs.env })
}

/** A shell that finds the client as in a pod of the engine's image. */
function shellOf(programs: Programs, client: string): Engine['script'] {
  const folder = join(programs.path(client), '..')
  return (text, variables) =>
    ask('sh', ['-c', text], { ...programs.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, ...variables })
}

function ask(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<Asked> {
  return new Promise((resolve) => {
    execFile(command, args, { env, cwd: '/' }, (error: ExecFileException | null, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout: stdout.trim(), stderr: error !== null && stderr === '' ? error.message : stderr.trim() })
    })
  })
}

function expectDone({ code, stdout, stderr }: Asked): void {
  if (code !== 0) throw new Error(`the database server could not be set up: ${stderr || stdout}`)
}
