/**
 * The images of the database engines and of the object server for a node that reaches no registry: the real servers
 * from packages, under the names of the official images. `mysql` alone is a stand-in: it is MariaDB, since MySQL's own
 * server is in no package archive.
 */
import { join } from 'node:path'
import { type Image, busyboxEntries, partsOfName, singleProgram } from './catalogue.ts'
import type { LayerEntry } from './layer.ts'
import { entriesOf, unpackPackages, type Packages } from './unpack.ts'

/** `minio` is the object server, a single program like rqlite. */
export type EngineName = 'postgres' | 'mysql' | 'redis' | 'rclone' | SingleProgram
type SingleProgram = 'rqlite' | 'minio'

/** As in the official images of the first three. */
const ENGINE_USER = '999:999'

/** Programs of this machine that the image makers need, as absolute paths. */
export interface EnginePrograms {
  /** A static BusyBox: the shell and the commands of the start scripts. */
  busybox: string
  rqlited: string
  minio: string
}

const packages: Record<Exclude<EngineName, SingleProgram>, Packages> = {
  postgres: {
    debian: ['libc6', 'zlib1g'],
    wheel: 'pgserver==0.1.4 --hash=sha256:1a5d07c61d51f2abfef4ef61e2ef5cd014b994f7e09de8d3c140d2cf370e84a8',
  },
  mysql: { debian: ['mariadb-server-core', 'mariadb-client-core', 'mariadb-client', 'mariadb-common', 'mysql-common'] },
  redis: { debian: ['redis-server', 'redis-tools'] },
  rclone: { debian: ['rclone', 'libc6', 'ca-certificates'] },
}

/** The object server that is made here, by its name in the node's own registry. */
export const objectServerImageName = 'minio/minio:latest'

/** The image of backups that is made here, by its name in the node's own registry. */
export const transferImageName = 'rclone/rclone:1.60.1'

const ports = { postgres: 5432, mysql: 3306, redis: 6379 } as const
const tags: Record<Exclude<EngineName, 'minio' | 'rclone'>, string[]> = {
  postgres: ['16', '16.2'],
  mysql: ['8.4', '8.4.0'],
  redis: ['7', '7.0'],
  rqlite: ['8.36.0', 'latest'],
}

/** Fetches the contents of the image, the second time from the cache. Throws one sentence. */
export async function engineImage(
  engine: EngineName,
  { busybox, rqlited, minio }: EnginePrograms,
  progress: (line: string) => void,
): Promise<Image> {
  if (engine === 'rqlite')
    return singleProgram('rqlite/rqlite', tags.rqlite, rqlited, 'bin/rqlited', { User: ENGINE_USER })
  if (engine === 'minio') {
    const { repository, tag } = partsOfName(objectServerImageName)
    return singleProgram(repository, [tag], minio, 'usr/bin/minio', { ExposedPorts: { '9000/tcp': {} } })
  }
  const root = await unpackPackages(engine, packages[engine], progress)
  if (engine === 'rclone') return rcloneImage(root, busybox)
  const port = ports[engine]
  return {
    repository: `library/${engine}`,
    tags: tags[engine],
    program: join(root, mainPrograms[engine]),
    config: {
      Cmd: [engine === 'postgres' ? 'postgres' : engine === 'mysql' ? 'mysqld' : 'redis-server'],
      Env: [`PATH=${postgresFolder}/bin:/usr/local/bin:/usr/sbin:/usr/bin:/bin`],
      User: ENGINE_USER,
      // As the official image: at SIGTERM postgres would wait for its clients to leave.
      ...(engine === 'postgres' ? { StopSignal: 'SIGINT' } : {}),
      ExposedPorts: { [`${port}/tcp`]: {} },
    },
    entries: async () => [
      ...systemFolders(engine),
      ...(await busyboxEntries(busybox)),
      ...(await entriesOf(root)),
      ...links[engine],
    ],
  }
}

/** What moves backups; Debian's is linked with libc, which is in each image of an engine that runs a copy of it. */
function rcloneImage(root: string, busybox: string): Image {
  const { repository, tag } = partsOfName(transferImageName)
  return {
    repository,
    tags: [tag],
    program: join(root, mainPrograms.rclone),
    config: { Entrypoint: ['rclone'], Env: ['PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin'] },
    entries: async () => [...systemFolders('rclone'), ...(await busyboxEntries(busybox)), ...(await entriesOf(root))],
  }
}

const postgresFolder = '/opt/postgres/pgserver/pginstall'
const mainPrograms = {
  postgres: `${postgresFolder.slice(1)}/bin/postgres`,
  mysql: 'usr/sbin/mariadbd',
  redis: 'usr/bin/redis-check-rdb',
  rclone: 'usr/bin/rclone',
} as const

/** MySQL's names of MariaDB's programs. */
const links: Record<Exclude<EngineName, SingleProgram | 'rclone'>, LayerEntry[]> = {
  postgres: [],
  redis: [],
  mysql: [
    { path: 'usr/sbin/mysqld', link: 'mariadbd' },
    { path: 'usr/bin/mysql', link: 'mariadb' },
    { path: 'usr/bin/mysqladmin', link: 'mariadb-admin' },
  ],
}

function systemFolders(engine: keyof typeof packages): LayerEntry[] {
  return [
    { path: 'tmp', folder: true, mode: 0o1777 },
    { path: 'etc', folder: true },
    { path: 'etc/passwd', text: `root:x:0:0:root:/root:/bin/sh\n${engine}:x:999:999:${engine}:/tmp:/bin/sh\n` },
    { path: 'etc/group', text: `root:x:0:\n${engine}:x:999:\n` },
    { path: 'etc/nsswitch.conf', text: 'hosts: files dns\n' },
  ]
}
