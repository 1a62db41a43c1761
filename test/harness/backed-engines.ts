/** Real servers of each engine whose backups are taken: with logins of their own, and one word that is kept in them. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authFileOf } from '../../kinds/databases/start-script.ts'
import { freePort } from '../../one-machine/processes/index.ts'
import { folderOf, type PodRun } from './backup-pod.ts'
import { debianPrograms } from './debian-programs.ts'
import { type Asked, type Engine, startMariadb, startMortal, startPostgres } from './engines.ts'
import { testServer } from './servers.ts'
import { atEnd } from './stack.ts'

export const backedEngines = ['postgres', 'mysql', 'redis', 'sqlite'] as const
type Name = (typeof backedEngines)[number]

export interface BackedEngine {
  engine: Name
  host: string
  port: number
  /** How the pod of a backup or restore finds the server, its logins and the tools. */
  pod: Pick<PodRun, 'variables' | 'login' | 'admin' | 'path' | 'env' | 'unprivileged'>
  secrets: readonly string[]
  put(word: string): Promise<void>
  take(): Promise<string>
  /** Past the rights of the login; of an engine without an administrator the same. */
  takeAsAdmin(): Promise<string>
  stop(): Promise<void>
}

/** Can be killed as by a crash of its machine, and started again with its data. */
export type MortalEngine = BackedEngine & Pick<Engine, 'kill' | 'start'>

export const mortalEngines = ['sqlite', 'redis'] as const
export type MortalName = (typeof mortalEngines)[number]

export const startMortalEngine = (engine: MortalName): Promise<MortalEngine> =>
  engine === 'redis' ? startRedis() : startRqlite()

/** @param more additional settings of a mysql server */
export function startBacked(engine: Name, more: readonly string[] = []): Promise<BackedEngine> {
  return engine === 'redis' || engine === 'sqlite' ? startMortalEngine(engine) : startSql(engine, more)
}

const mint = (): string => randomBytes(12).toString('hex')

function done({ code, stdout, stderr }: Asked): string {
  if (code !== 0) throw new Error(stderr || stdout)
  return stdout
}

async function startSql(engine: 'postgres' | 'mysql', more: readonly string[]): Promise<BackedEngine> {
  const server: Engine = await (engine === 'postgres' ? startPostgres() : startMariadb(more))
  const login = { username: `u${randomBytes(4).toString('hex')}`, password: mint() }
  const { host, port, admin } = server
  if (engine === 'postgres') {
    done(await server.sql(admin, 'postgres', `CREATE ROLE ${login.username} LOGIN PASSWORD '${login.password}'`))
    done(await server.sql(admin, 'postgres', `CREATE DATABASE shop OWNER ${login.username}`))
  } else {
    const made = `CREATE DATABASE shop; CREATE USER '${login.username}'@'%' IDENTIFIED BY '${login.password}';
      GRANT ALL ON shop.* TO '${login.username}'@'%'`
    done(await server.sql(admin, '', made))
  }
  return {
    engine,
    host,
    port,
    pod: {
      variables: { SERVER_HOST: host, SERVER_PORT: String(port) },
      login,
      admin,
      ...(await sqlTools(engine)),
    },
    secrets: [login.password, admin.password],
    put: async (word) => {
      for (const statement of [
        'DROP VIEW IF EXISTS seen',
        'DROP TABLE IF EXISTS kept',
        'CREATE TABLE kept (word text)',
        `INSERT INTO kept VALUES ('${word}')`,
        'CREATE VIEW seen AS SELECT word FROM kept',
      ])
        done(await server.sql(login, 'shop', statement))
    },
    take: async () => done(await server.sql(login, 'shop', 'SELECT word FROM seen')),
    takeAsAdmin: async () => done(await server.sql(admin, 'shop', 'SELECT word FROM seen')),
    stop: server.stop,
  }
}

/** What dumps and loads, as the pod of a Job has it. */
export async function sqlTools(engine: 'postgres' | 'mysql'): Promise<Pick<PodRun, 'path' | 'env'>> {
  const tools =
    engine === 'postgres'
      ? await debianPrograms(['postgresql-client'], ['pg_dump', 'pg_restore', 'psql'])
      : await debianPrograms(['mariadb-client'], ['mariadb-dump', 'mariadb'])
  return { path: [folderOf(tools, engine === 'postgres' ? 'pg_dump' : 'mariadb-dump')], env: tools.env }
}

async function startRedis(): Promise<MortalEngine> {
  const programs = await debianPrograms(['redis-server', 'redis-tools'], ['redis-server', 'redis-cli'])
  const [port, ownPort] = [await freePort(), await freePort()]
  const [password, folder] = [mint(), await mkdtemp(join(tmpdir(), 'svc-redis-'))]
  const config = join(folder, 'redis.conf')
  await writeFile(
    config,
    `port ${port}\nbind 127.0.0.1\ndir ${folder}\nappendonly yes\nrepl-diskless-sync-delay 0\nrequirepass ${password}\n`,
  )
  const ask = (commands: string): Promise<string> => askRedis(port, password, commands)
  const life = await startMortal({
    name: 'redis-server',
    command: programs.path('redis-server'),
    args: [config],
    cwd: folder,
    env: programs.env,
    logFile: join(folder, 'log'),
    ready: async () => (await ask('PING').catch(() => '')) === 'PONG',
  })
  return {
    engine: 'redis',
    host: '127.0.0.1',
    port,
    pod: {
      variables: {
        SERVER_HOST: '127.0.0.1',
        SERVER_PORT: String(port),
        OWN_ADDRESS: '127.0.0.1',
        OWN_PORT: String(ownPort),
      },
      login: { username: 'default', password },
      path: [folderOf(programs, 'redis-cli')],
      env: programs.env,
    },
    secrets: [password],
    put: async (word) => void (await ask(`SET kept ${word}`)),
    take: () => ask('GET kept'),
    takeAsAdmin: () => ask('GET kept'),
    ...life,
  }
}

/** The answer to one command. */
async function askRedis(port: number, password: string, command: string): Promise<string> {
  const { connect } = await import('node:net')
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\n${command}\r\nQUIT\r\n`))
    let answer = ''
    socket.on('data', (data) => (answer += String(data)))
    socket.once('error', reject)
    socket.once('close', () => {
      const lines = answer.split('\r\n').slice(1)
      const [first = ''] = lines
      if (first === '' || first.startsWith('-')) return reject(new Error(`redis: ${first || 'no answer'}`))
      resolve(first.startsWith('$') ? (lines[1] ?? '') : first.slice(1))
    })
  })
}

/** Without the tools of backups. `open`: it asks for no login, as the one beside a restore drill. */
export async function startRqliteServer(open = false) {
  const command = await testServer('rqlited')
  const [port, raft] = [await freePort(), await freePort()]
  const [username, password] = ['orders', mint()]
  const folder = await mkdtemp(join(tmpdir(), 'svc-rqlite-'))
  await writeFile(join(folder, 'auth.json'), authFileOf(username, password))
  const base = `http://127.0.0.1:${port}`
  const ask = async (verb: string, statements: string[]): Promise<string> => {
    const answer = await fetch(`${base}/db/${verb}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(statements),
    })
    const text = await answer.text()
    if (!answer.ok || text.includes('"error"')) throw new Error(text)
    return text
  }
  const life = await startMortal({
    name: 'rqlited',
    command,
    args: [
      '-node-id=one',
      `-http-addr=127.0.0.1:${port}`,
      `-raft-addr=127.0.0.1:${raft}`,
      ...(open ? [] : [`-auth=${join(folder, 'auth.json')}`]),
      join(folder, 'data'),
    ],
    cwd: folder,
    env: {},
    logFile: join(folder, 'log'),
    ready: async () => (await fetch(`${base}/readyz`).catch(() => undefined))?.ok === true,
  })
  return { host: '127.0.0.1', port, username, password, folder, ask, ...life }
}

export async function startRqlite(open = false): Promise<MortalEngine> {
  const { host, port, username, password, folder, ask, kill, start, stop } = await startRqliteServer(open)
  const busybox = await debianPrograms(['busybox-static'], ['busybox'])
  await symlink(busybox.path('busybox'), join(folder, 'nc')) // as in the image that its Job runs
  return {
    engine: 'sqlite',
    host,
    port,
    pod: {
      variables: { SERVER_HOST: host, SERVER_PORT: String(port) },
      login: { username, password },
      path: [folder],
    },
    secrets: [password],
    put: async (word) =>
      void (await ask('execute?transaction', [
        'DROP TABLE IF EXISTS kept',
        'CREATE TABLE kept (word TEXT)',
        `INSERT INTO kept VALUES ('${word}')`,
      ])),
    takeAsAdmin: async () => await ask('query', ['SELECT word FROM kept']),
    take: async () => /"values":\[\["([a-z]+)"\]\]/.exec(await ask('query', ['SELECT word FROM kept']))?.[1] ?? '',
    kill,
    start,
    stop,
  }
}

/** What a pod of the engine's image starts a server of its own with, and its variables; for sqlite one that runs. */
export async function drillTools(
  engine: Name,
): Promise<Pick<PodRun, 'variables' | 'path' | 'env'> & { stop(): Promise<void> }> {
  const OWN_PORT = String(await freePort())
  const stop = (): Promise<void> => Promise.resolve()
  if (engine === 'sqlite') {
    const { pod, port, stop: end } = await startRqlite(true)
    return { variables: { OWN_PORT: String(port) }, path: pod.path ?? [], stop: end }
  }
  if (engine === 'redis') {
    const redis = await debianPrograms(['redis-server', 'redis-tools'], ['redis-server', 'redis-cli'])
    return { variables: { OWN_PORT }, path: [folderOf(redis, 'redis-cli')], env: redis.env, stop }
  }
  if (engine === 'postgres') {
    const own = await debianPrograms(['postgresql', 'postgresql-client'], ['initdb', 'pg_ctl', 'pg_dump', 'psql'])
    return { variables: { OWN_PORT }, path: [folderOf(own, 'initdb'), folderOf(own, 'psql')], env: own.env, stop }
  }
  return { variables: { OWN_PORT }, ...(await mariadbTools()), stop }
}

/** Unpacked, its programs do not find their own files. */
async function mariadbTools(): Promise<{ path: string[]; env: Record<string, string> }> {
  const programs = await debianPrograms(
    ['mariadb-server-core', 'mariadb-client'],
    ['mariadb-install-db', 'mariadbd', 'mariadb', 'mariadb-dump'],
  )
  const folder = await mkdtemp(join(tmpdir(), 'svc-mariadb-tools-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const places = `--no-defaults --basedir=${join(programs.root, 'usr')}`
  const messages = `--lc-messages-dir=${join(programs.root, 'usr/share/mysql')}`
  const shims = {
    'mariadb-install-db': `exec ${programs.path('mariadb-install-db')} ${places} "$@"`,
    mysqld: `exec ${programs.path('mariadbd')} ${places} ${messages} "$@"`,
  }
  for (const [name, line] of Object.entries(shims))
    await writeFile(join(folder, name), `#!/bin/sh\nshift\n${line}\n`, { mode: 0o755 })
  await chmod(folder, 0o755)
  return { path: [folder, folderOf(programs, 'mariadb')], env: programs.env }
}
