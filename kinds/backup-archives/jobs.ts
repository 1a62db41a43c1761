/** The Jobs of backups and restores: pure makers of manifests, and what the pod of one said on its end. */
import type { V1Container, V1Job } from '@kubernetes/client-node'
import { throwaway } from './bucket-scripts.ts'
import { type Counts, countsIn } from './counting.ts'
import { drillScript } from './drill-script.ts'
import { type BackupJob, confined, homes, podSpec, serverOf, type Shape, variables } from './pods.ts'
import { backupScript, folders, restoreScript } from './scripts.ts'
import { recoveryScript as binlogScript } from './binlog/recovery-script.ts'
import { recoveryScript } from './wal/recovery-script.ts'

/** A backup that takes longer than this is given up. */
const deadlineSeconds = 6 * 3600
/** Seconds in which a server that starts answers the Job that fills it. */
const answersWithin = '3600'
/** Where the second server of a restore of redis answers, within the pod. */
const ownPort = 6390
const dataMax = '20Gi'

/**
 * `wal` where moments after the backup are to be restored: the replication slot of a postgres, and the MB that it may
 * hold back. A mysql has no use for them.
 */
export const backupJob = (job: BackupJob, wal?: { slot: string; keep: number }) =>
  wal === undefined
    ? manifest(job, backupScript(job.engine), {}, usual)
    : manifest(job, backupScript(job.engine, { base: true }), { WAL_SLOT: wal.slot, WAL_KEEP: String(wal.keep) }, usual)

/** The same of one database of the server, with the login of its own, which reaches nothing else. */
export const oneBackupJob = (job: BackupJob, database: string) =>
  manifest(job, backupScript(job.engine, { one: true }), { DATABASE: database }, usual)

/** Of a bucket: all that it has, by the names in its environment; `prefix` is what each has before it on the server. */
export const bucketBackupJob = (job: BackupJob, { buckets, prefix }: { buckets: readonly string[]; prefix: string }) =>
  manifest(job, backupScript(job.engine), { BUCKETS: buckets.join(' '), PREFIX: prefix }, usual)

/**
 * `checksum` is that of the record: what the object store holds is not believed. The server may still be starting.
 */
export const restoreJob = (job: BackupJob, checksum: string) =>
  manifest(job, restoreScript(job.engine), { CHECKSUM: checksum, ANSWERS_WITHIN: answersWithin }, usual)

/** Into these, by their names on the server, in the order of the backup. */
export const bucketRestoreJob = (job: BackupJob, checksum: string, to: readonly string[]) =>
  manifest(job, restoreScript(job.engine), { CHECKSUM: checksum, TO: to.join(' ') }, usual)

const usual: Shape = {
  runAs: 65532,
  resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
  work: { name: 'work', emptyDir: { sizeLimit: dataMax } },
  servers: [],
}

/** What a restore to a moment needs to know besides the Job. */
export interface Recovery {
  /** The checksum of the copy of the server, by its record. */
  base: string
  /** RFC 3339. */
  point: string
  /** The login of the database that was backed up. */
  former: string
  data: NonNullable<Shape['data']>
  size: Pick<DrillSize, 'cpu' | 'memory'>
}

/** Makes the data of a new server on its volume, before that server is made. */
export const recoveryJob = (job: BackupJob, { base, point, former, data, size }: Recovery) =>
  manifest(
    job,
    recoveryScript,
    { BASE: base, POINT: momentOf(point), FORMER: former, DATA: data.at },
    { ...usual, runAs: engineUser, resources: { requests: { ...size }, limits: { ...size } }, data },
  )

/** Fills a mysql server, which may still be starting, by the copy of another one and its binary log up to `point`. */
export const replayJob = (job: BackupJob, { base, point }: Pick<Recovery, 'base' | 'point'>) =>
  manifest(job, binlogScript, { BASE: base, POINT: momentOf(point), ANSWERS_WITHIN: answersWithin }, usual)

/**
 * In UTC and in one form, whatever form of a time the record has: it becomes a setting of the server, in a command
 * line, and an annotation that was edited with kubectl may hold anything that only begins as a time. '' for ''. Throws
 * RangeError for what is no time.
 */
const momentOf = (point: string): string => (point === '' ? '' : new Date(point).toISOString().replace('.000Z', 'Z'))

/** Of the official images, whose servers want to know who they are. */
const engineUser = 999

/** As large as the database is: its server is in the pod, on a volume that goes with the pod. */
export interface DrillSize {
  cpu: string
  memory: string
  storage: string
}

/** What a drill proves: the dumps, by the checksum of the record, and the copy of the server with its log. */
export interface Tried {
  checksum: string
  /** Where there is a copy: its checksum, and the moment that its log has to reach; '' for none in particular. */
  copy?: { base: string; point: string }
}

/** Restores the backup into a server of its own pod, which leaves nothing (docs/reference/backups.md#drills). */
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

/** Servers whose images have no tools of backups, beside the script for as long as that runs. */
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
  // These images have a server and no tools; rclone's own has a shell.
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
      // A second pod would begin between two passes: what failed is decided by the next pass.
      backoffLimit: 0,
      activeDeadlineSeconds: deadlineSeconds,
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

/** What the pod of a backup says of what it has stored. */
export interface Stored {
  checksum: string
  size: number
  point: string
  /** Checksum of the copy of the server; undefined where there is none. */
  base: string | undefined
  /** Why a mysql has none, whose log would be stored. */
  noLaterMoments: string | undefined
  /** Undefined where the dump could not be counted. */
  counts: Counts | undefined
}

/** Undefined for anything else. */
export function storedIn(said: string): Stored | undefined {
  const found =
    /^\{"checksum":"([0-9a-f]{64})","size":(\d+),"point":"([0-9TZ:-]{20})"(?:,"base":"([0-9a-f]{64})")?(?:,"noLaterMoments":"([A-Za-z ]{1,100})")?(,"counts":\{[a-z0-9:,"]+\})?\}$/.exec(
      said.trim(),
    )
  if (found === null) return undefined
  const [, checksum = '', size = '', point = '', base, noLaterMoments] = found
  return { checksum, size: Number(size), point, base, noLaterMoments, counts: countsIn(said) }
}

/** Whether the pod of a restore came to its end. */
export const saysLoaded = (said: string): boolean => said.trim() === '{}'

/** What the copy of a server holds once its WAL is replayed up to `point`, which is '' where none was stored yet. */
export interface Replayed {
  point: string
  counts: Counts
}

/** What the pod of a drill found in the servers that it made; undefined where it did not come to its end. */
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

/** The sentence of a failed pod, as far as the scripts say such. */
export const failureIn = (said: string): string => (/^[A-Za-z0-9 ,:._-]{1,200}$/.test(said.trim()) ? said.trim() : '')
