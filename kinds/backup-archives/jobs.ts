/**
 * The Jobs of backups and restores: pure makers of manifests, and parsers of the termination messages of their pods.
 */
import { backupJobSeconds } from '../../contract/process-limits.ts'
import type { V1Container, V1Job } from '@kubernetes/client-node'
import { throwaway } from './bucket-scripts.ts'
import { type Counts, countsIn } from './counting.ts'
import { drillScript } from './drill-script.ts'
import { type BackupJob, confined, homes, podSpec, serverOf, type Shape, variables } from './pods.ts'
import { backupScript, folders, restoreScript } from './scripts.ts'
import { recoveryScript as binlogScript } from './binlog/recovery-script.ts'
import { recoveryScript } from './wal/recovery-script.ts'

/** How many seconds a starting server has to answer the Job that fills it. */
const answersWithin = '3600'
/** Port of the second server in the pod of a restore of redis, and of the server in the pod of a drill. */
const ownPort = 6390
const dataMax = '20Gi'

/**
 * `wal` where moments after the backup can be restored: the replication slot of a postgres, and how many MB of WAL the
 * slot may hold back. A mysql uses neither.
 */
export const backupJob = (job: BackupJob, wal?: { slot: string; keep: number }) =>
  wal === undefined
    ? manifest(job, backupScript(job.engine), {}, usual)
    : manifest(job, backupScript(job.engine, { base: true }), { WAL_SLOT: wal.slot, WAL_KEEP: String(wal.keep) }, usual)

/** As `backupJob`, for one database of a server, with the login of that database alone. */
export const oneBackupJob = (job: BackupJob, database: string) =>
  manifest(job, backupScript(job.engine, { one: true }), { DATABASE: database }, usual)

/**
 * A backup of all objects of the buckets, by their names in the environment; `prefix` stands before each name on the
 * server.
 */
export const bucketBackupJob = (job: BackupJob, { buckets, prefix }: { buckets: readonly string[]; prefix: string }) =>
  manifest(job, backupScript(job.engine), { BUCKETS: buckets.join(' '), PREFIX: prefix }, usual)

/** `checksum` is from the record: the one in the object store is not trusted. The server may still be starting. */
export const restoreJob = (job: BackupJob, checksum: string) =>
  manifest(job, restoreScript(job.engine), { CHECKSUM: checksum, ANSWERS_WITHIN: answersWithin }, usual)

/** `to` are the names of the buckets on the server, in the order of the backup. */
export const bucketRestoreJob = (job: BackupJob, checksum: string, to: readonly string[]) =>
  manifest(job, restoreScript(job.engine), { CHECKSUM: checksum, TO: to.join(' ') }, usual)

const usual: Shape = {
  runAs: 65532,
  resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
  work: { name: 'work', emptyDir: { sizeLimit: dataMax } },
  servers: [],
}

/** The additional inputs of a restore to a moment. */
export interface Recovery {
  /** Checksum of the copy of the server, from the record. */
  base: string
  /** RFC 3339. */
  point: string
  /** The login of the database in the backup. */
  former: string
  data: NonNullable<Shape['data']>
  size: Pick<DrillSize, 'cpu' | 'memory'>
}

/** Writes the data of a new server to its volume, before that server exists. */
export const recoveryJob = (job: BackupJob, { base, point, former, data, size }: Recovery) =>
  manifest(
    job,
    recoveryScript,
    { BASE: base, POINT: momentOf(point), FORMER: former, DATA: data.at },
    { ...usual, runAs: engineUser, resources: { requests: { ...size }, limits: { ...size } }, data },
  )

/** Fills a mysql server, which may still be starting, from the copy of another one and its binary log up to `point`. */
export const replayJob = (job: BackupJob, { base, point }: Pick<Recovery, 'base' | 'point'>) =>
  manifest(job, binlogScript, { BASE: base, POINT: momentOf(point), ANSWERS_WITHIN: answersWithin }, usual)

/**
 * The time in UTC and in one form: it becomes a setting on the command line of the server, and an annotation edited
 * with kubectl may hold any text that begins like a time. '' for ''. Throws RangeError for a text that is no time.
 */
const momentOf = (point: string): string => (point === '' ? '' : new Date(point).toISOString().replace('.000Z', 'Z'))

/** The user of the official images: their servers require that it is in the image's passwd file. */
const engineUser = 999

/** As large as the database: the pod of a drill runs its server, on a volume that is deleted with the pod. */
export interface DrillSize {
  cpu: string
  memory: string
  storage: string
}

/** What a drill restores: the dumps, with the checksum of the record, and the copy of the server with its log. */
export interface Tried {
  checksum: string
  /** For a backup with a copy: its checksum, and the moment that its log has to reach; '' for no particular moment. */
  copy?: { base: string; point: string }
}

/**
 * Restores the backup into a server in the pod of the Job, which leaves nothing behind
 * (docs/reference/backups.md#drills).
 */
export function drillJob(job: BackupJob, { checksum, copy }: Tried, { storage, ...size }: DrillSize) {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } }
  return manifest(
    job,
    drillScript(job.engine, copy !== undefined),
    { CHECKSUM: checksum, ...(copy === undefined ? {} : { BASE: copy.base, POINT: momentOf(copy.point) }) },
    {
      runAs: engineUser,
      resources: { requests: size, limits: size },
      work: { name: 'work', ephemeral: { volumeClaimTemplate: { spec: claim } } },
      servers: besides(job, size),
    },
  )
}

/** Servers whose images have no backup tools: sidecars that run as long as the script. */
function besides({ engine, image }: BackupJob, size: Record<string, string>): V1Container[] {
  if (engine === 'sqlite') return [beside(image, rqlited, {}, size)]
  return engine === 'bucket' ? [beside(image, minio, minioSettings, size)] : []
}

const rqlited = [
  'rqlited',
  '-node-id=one',
  `-http-addr=127.0.0.1:${ownPort}`,
  `-raft-addr=127.0.0.1:${ownPort + 1}`,
  `${folders.WORK}/server`,
]

const minio = ['minio', 'server', `${folders.WORK}/server`, '--address', `127.0.0.1:${ownPort}`]
const minioSettings = {
  MINIO_ROOT_USER: throwaway.username,
  MINIO_ROOT_PASSWORD: throwaway.password,
  MINIO_BROWSER: 'off',
  MINIO_UPDATE: 'off',
  HOME: folders.WORK,
}

const beside = (
  image: string,
  command: string[],
  settings: Readonly<Record<string, string>>,
  size: Record<string, string>,
): V1Container => ({
  name: 'server',
  image,
  restartPolicy: 'Always',
  imagePullPolicy: 'IfNotPresent',
  command,
  ...(Object.keys(settings).length === 0 ? {} : { env: variables(settings) }),
  securityContext: confined,
  resources: { requests: size, limits: size },
  volumeMounts: [{ name: 'work', mountPath: folders.WORK }],
})

function manifest(job: BackupJob, script: string, values: Record<string, string>, shape: Shape) {
  const { name, namespace, transferImage } = job
  // The images of rqlite and MinIO have no tools; the image of rclone has a shell.
  const image = job.engine === 'sqlite' || job.engine === 'bucket' ? transferImage : job.image
  const own = [
    { name: 'OWN_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'OWN_PORT', value: String(ownPort) },
  ]
  const env = [...variables({ ...homes, ...folders, ...serverOf(job), ...values }), ...own]
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels: job.labels, annotations: job.notes },
    spec: {
      // A second pod would start between two passes: the next pass decides about a failure.
      backoffLimit: 0,
      activeDeadlineSeconds: backupJobSeconds,
      template: {
        metadata: { labels: job.podLabels },
        spec: {
          restartPolicy: 'Never',
          ...podSpec(job, { name: 'backup', image, command: ['sh', '-c', script], env }, shape),
        },
      },
    },
  } satisfies V1Job
}

/** The result that the pod of a backup reports. */
export interface Stored {
  checksum: string
  size: number
  point: string
  /** Checksum of the copy of the server; undefined without a copy. */
  base: string | undefined
  /** Why a mysql that should have a copy has none. */
  noLaterMoments: string | undefined
  /** Undefined where the dump could not be counted. */
  counts: Counts | undefined
}

/** Parses the termination message of a backup; undefined for any other text. */
export function storedIn(said: string): Stored | undefined {
  const found =
    /^\{"checksum":"([0-9a-f]{64})","size":(\d+),"point":"([0-9TZ:-]{20})"(?:,"base":"([0-9a-f]{64})")?(?:,"noLaterMoments":"([A-Za-z ]{1,100})")?(,"counts":\{[a-z0-9:,"]+\})?\}$/.exec(
      said.trim(),
    )
  if (found === null) return undefined
  const [, checksum = '', size = '', point = '', base, noLaterMoments] = found
  return { checksum, size: Number(size), point, base, noLaterMoments, counts: countsIn(said) }
}

/** Whether the termination message is that of a completed restore. */
export const saysLoaded = (said: string): boolean => said.trim() === '{}'

/** The contents of the copy of a server once its log is replayed up to `point`; '' where no log was stored yet. */
export interface Replayed {
  point: string
  counts: Counts
}

/** Parses the termination message of a drill; undefined when it did not complete. */
export function drilledIn(said: string): { counts: Counts | undefined; replayed?: Replayed } | undefined {
  const found =
    /^\{("counts":\{[a-z0-9:,"]+\})?,?("replayed":\{"point":"([0-9TZ:-]{20})?","tables":(\d+),"rows":(\d+)\})?\}$/.exec(
      said.trim(),
    )
  if (found === null) return undefined
  const [, , replayed, point = '', tables, rows] = found
  const counts = countsIn(said)
  if (replayed === undefined) return { counts }
  return { counts, replayed: { point, counts: { tables: Number(tables), rows: Number(rows) } } }
}

/** The sentence of a failed pod; '' for a text that no script writes. */
export const failureIn = (said: string): string => (/^[A-Za-z0-9 ,:._-]{1,200}$/.test(said.trim()) ? said.trim() : '')
