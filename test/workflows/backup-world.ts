/**
 * A world for backups: a project with a bucket of its own on a real object server, and a real rqlite whose pod, and
 * those of the Jobs, are played here, since the simulated cluster runs no processes.
 */
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { askedDrill } from '../../kinds/backup-archives/drills.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import { archiveState } from '../../kinds/backup-archives/rules.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { connectS3, type MinioS3 } from '../../outside/minio/s3.ts'
import { askBackup } from '../../records/backups/ask-backup.ts'
import { eventually } from '../cluster/eventually.ts'
import { type BackedEngine, startBacked } from '../harness/backed-engines.ts'
import { playPod, type PodEnd, type PodRun } from '../harness/backup-pod.ts'
import {
  createBucketStore,
  type ObjectServerWorld,
  openObjectServer,
  secretValues,
  untilReady,
} from '../harness/object-server.ts'
import { scaledLimit } from '../harness/time-limits.ts'
import type { TestWorker } from '../harness/worker.ts'
import { createDatabase, untilState } from './database-world.ts'

/** A worker is killed, started anew and a pod is played meanwhile. */
const waitMs = 90_000

/** What a Job tells its script, beside where its server is. */
const comparedVariables: ReadonlySet<string> = new Set([
  'ANSWERS_WITHIN',
  'CHECKSUM',
  'DATABASE',
  'BUCKETS',
  'PREFIX',
  'TO',
])

/** Pods with such an image wait on the simulated cluster until a test ends them. */
export const heldImage = { SVC_BACKUP_IMAGE: 'does-not-exist/rclone:1.60.1' }

export interface BackupWorld extends ObjectServerWorld {
  database: Database
  server: ObjectStore
  store: ObjectStore
  engine: BackedEngine
  s3: MinioS3
  /** Another ready one, beside `database`. */
  another(spec?: object): Promise<Database>
  /** The backup of that name, once it is there; another one than `former`. */
  untilAsked(name: string, former?: BackupArchive): Promise<BackupArchive>
  /** Asks for a backup as the api does. */
  ask(at?: Date): Promise<BackupArchive>
  /** Asks for a restore drill as the resync does. */
  askDrill(archive: BackupArchive): Promise<void>
  /** The drill that was asked for last has ended. */
  untilDrilled(archive: BackupArchive): Promise<BackupArchive>
  untilState(archive: BackupArchive, state: string): Promise<BackupArchive>
  untilGone(archive: BackupArchive): Promise<BackupArchive>
  /** Runs the script of the Job's pod against this engine, and ends the pod with what it said. */
  play(job: string, against?: BackedEngine): Promise<PodEnd>
  /** Ends the pod of the Job as if it had said this. */
  endPod(job: string, code: number, said: string): Promise<void>
  /** The files of backups in the bucket. */
  files(): Promise<string[]>
  bucket: string
}

export async function openBackupWorld(
  startWorker: (env: Record<string, string>) => Promise<TestWorker>,
): Promise<BackupWorld> {
  const world = await openObjectServer((env) => startWorker({ ...env, ...heldImage }))
  const { records, project, minio } = world
  const store = await untilReady(records, await createBucketStore(records, project, { buckets: ['backups'] }))
  const bucket = world.stored('backups')
  await records.projects.edit(project.metadata.name, (current) => ({
    ...current,
    spec: {
      ...current.spec,
      backupStorage: {
        source: 'ObjectStore',
        connectionRef: { name: store.metadata.name },
        bucket,
        region: '',
      },
    },
  }))
  const database = await untilState(records, await createDatabase(records, project, { engine: 'sqlite' }), 'ready')
  const engine = await startBacked('sqlite')
  const s3 = connectS3(minio)
  const namespace = homeOf(database.spec)
  const seen = async (
    { metadata: { name } }: BackupArchive,
    what: string,
    wanted: (record: BackupArchive | undefined) => boolean,
  ): Promise<BackupArchive> => {
    const { cache } = records.backupArchives
    const found = await cache.waitFor(wanted, name, systemNamespace, { timeoutMs: scaledLimit(waitMs) })
    const last = cache.get(name, systemNamespace)
    if (!found) throw new Error(`${name} is not ${what}; it is ${JSON.stringify([last?.metadata, last?.status])}`)
    return last as BackupArchive // undefined only where the caller waited for that
  }
  const podOf = async (job: string): Promise<JobPod> => {
    let found: JobPod | undefined
    const look = async () => {
      const query = { namespace, labelSelector: `job-name=${job}` }
      found = (await records.client.list<JobPod>(coreTypes.pod, query)).items.find(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && !endedPhases.has(status?.phase ?? ''),
      )
      return found !== undefined
    }
    await eventually(`the pod of ${job}`, look, waitMs)
    if (found === undefined) throw new Error('unreachable')
    return found
  }
  const endPod = async (job: string, code: number, said: string): Promise<void> =>
    endBackupPod(records.client, await podOf(job), code, said)
  return {
    ...world,
    database,
    store,
    engine,
    s3,
    bucket,
    ask: async (at = new Date(Date.now() - Math.floor(Math.random() * 1e10))) =>
      await askBackup(records, (await records.databases.readLive(database.metadata.name)) ?? database, {
        name: archiveName(database.metadata.name, at),
        trigger: 'Manual',
      }),
    another: async (spec = {}) =>
      await untilState(records, await createDatabase(records, project, { engine: 'sqlite', ...spec }), 'ready'),
    untilAsked: async (name, former) => {
      const { cache } = records.backupArchives
      const isAnother = (record: BackupArchive | undefined) =>
        record !== undefined && record.metadata.uid !== former?.metadata.uid
      const found = await cache.waitFor(isAnother, name, systemNamespace, { timeoutMs: scaledLimit(waitMs) })
      const archive = cache.get(name, systemNamespace)
      if (!found || archive === undefined) throw new Error(`${name} is not asked for`)
      return archive
    },
    async askDrill({ metadata }) {
      await records.backupArchives.edit(metadata.name, (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          annotations: { ...current.metadata.annotations, [annotations.drill]: new Date().toISOString() },
        },
      }))
    },
    untilDrilled: (archive) =>
      seen(
        archive,
        'restored on trial',
        (record) => record?.status?.drill !== undefined && record.status.drill.asked === askedDrill(record),
      ),
    untilState: (archive, state) =>
      seen(archive, state, (record) => record !== undefined && archiveState(record).state === state),
    untilGone: (archive) => seen(archive, 'gone', (record) => record === undefined),
    endPod,
    async play(job, against = engine) {
      const pod = await podOf(job)
      const end = await playPod({ ...(await runOf(pod, against.pod)), store: await storeOf(pod, minio.endpoint) })
      await endPod(job, end.code, end.said)
      return end
    },
    async files() {
      const { Contents = [] } = await s3.ask((client) =>
        client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'svc-backups/' })),
      )
      return Contents.map(({ Key = '' }) => Key)
    },
    async end() {
      s3.end()
      await engine.stop()
      await world.end()
    },
  }
}

/** The pod of a Job of backups, as far as it is played. */
export type JobPod = KubeObject & {
  spec: {
    containers: { command: string[]; env: { name: string; value?: string }[] }[]
    volumes: { name: string; secret?: { secretName: string } }[]
  }
  status?: { phase?: string }
}

/** The one before, of a Job that is made anew. */
const endedPhases: ReadonlySet<string> = new Set(['Succeeded', 'Failed'])

export const jobOfPod = ({ metadata }: JobPod): string => metadata.labels?.['job-name'] ?? ''

const secretOf = ({ spec }: JobPod, wanted: string): string | undefined =>
  spec.volumes.find(({ name }) => name === wanted)?.secret?.secretName

const keysOf = async (pod: JobPod): Promise<Record<string, string>> =>
  (await secretValues(pod.metadata.namespace ?? '', jobOfPod(pod))) ?? {}

/** What the Secret of its Job says of the object store, which is not where the cluster has it. */
export const storeOf = async (pod: JobPod, endpoint: string): Promise<Record<string, string>> => ({
  ...(await keysOf(pod)),
  endpoint,
})

/** Its script, with what its Job tells that and the Secrets it mounts, where the server it is about is this one. */
export async function runOf(pod: JobPod, against: BackedEngine['pod']): Promise<Omit<PodRun, 'store'>> {
  const { namespace = '' } = pod.metadata
  const [container] = pod.spec.containers
  const said = container?.env.filter(({ name }) => comparedVariables.has(name)) ?? []
  const admin = secretOf(pod, 'admin')
  return {
    ...against,
    script: container?.command.at(-1) ?? '',
    ...(against.admin === undefined && admin !== undefined
      ? { admin: (await secretValues(namespace, admin)) ?? {} }
      : {}),
    // Of a bucket the Secret of the Job has the login, too.
    ...(secretOf(pod, 'login') === jobOfPod(pod) ? { login: await keysOf(pod) } : {}),
    variables: {
      ...against.variables,
      ...Object.fromEntries(said.map(({ name, value = '' }) => [name, value])),
    },
  }
}

/** Its container has ended with this code, and left these words. */
export async function endBackupPod(
  client: ClusterClient,
  { metadata: { name, namespace = '' } }: JobPod,
  code: number,
  said: string,
): Promise<void> {
  const terminated = { exitCode: code, reason: code === 0 ? 'Completed' : 'Error', message: said }
  const containerStatuses = [
    { name: 'backup', image: 'x', imageID: 'x', ready: false, restartCount: 0, state: { terminated } },
  ]
  await client.patch(
    { type: coreTypes.pod, namespace, name },
    { status: { phase: code === 0 ? 'Succeeded' : 'Failed', containerStatuses } },
    { subresource: 'status' },
  )
}
