/**
 * A world for backups of buckets: a project with a bucket for its backups, and buckets of its own beside that, on a
 * real object server. The scripts of the Jobs are run here, with the Secrets that the cluster has for their pods.
 */
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { throwaway } from '../../kinds/backup-archives/bucket-scripts.ts'
import { archiveName } from '../../kinds/backup-archives/names.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { askBucketBackup } from '../../records/backups/ask-bucket-backup.ts'
import type { BackedEngine } from '../harness/backed-engines.ts'
import { startMinio } from '../harness/minio.ts'
import { createBucketStore, untilReady } from '../harness/object-server.ts'
import type { TestWorker } from '../harness/worker.ts'
import { type BackupWorld, openBackupWorld } from './backup-world.ts'

export interface BucketBackupWorld extends BackupWorld {
  /** What the pod of a backup or restore of a bucket has, but for its Secrets. */
  pod: BackedEngine
  /** A ready one of this name with one object, `word.txt`, whose content is the name. */
  holding(bucket: string, spec?: Partial<ObjectStore['spec']>): Promise<ObjectStore>
  /** One that begins with the backup. */
  restoring(bucket: string, archive: string, spec?: Partial<ObjectStore['spec']>): Promise<ObjectStore>
  /** What `word.txt` of the bucket holds; '' where it has no object. */
  wordOf(bucket: string): Promise<string>
  askFor(store: ObjectStore, at: Date): Promise<BackupArchive>
  backupsOf(store: ObjectStore): BackupArchive[]
  /** An object server beside a drill, as its pod has it. */
  drilling(): Promise<BackedEngine>
}

export async function openBucketBackupWorld(
  startWorker: (env: Record<string, string>) => Promise<TestWorker>,
): Promise<BucketBackupWorld> {
  const world = await openBackupWorld(startWorker)
  const { records, project, s3 } = world
  const podOf = (endpoint: string): BackedEngine => {
    const { hostname, port } = new URL(endpoint)
    const variables = { SERVER_HOST: hostname, SERVER_PORT: port, OWN_PORT: port }
    return { ...world.engine, pod: { variables } }
  }
  return {
    ...world,
    pod: podOf(world.minio.endpoint),
    async holding(bucket, spec = {}) {
      const store = await untilReady(records, await createBucketStore(records, project, { buckets: [bucket], ...spec }))
      const object = { Bucket: world.stored(bucket), Key: 'word.txt', Body: bucket, ContentType: 'text/x-word' }
      await s3.ask((client) => client.send(new PutObjectCommand(object)))
      return store
    },
    restoring: (bucket, archive, spec = {}) =>
      createBucketStore(records, project, { buckets: [bucket], restoreFrom: { archive }, ...spec }),
    async wordOf(bucket) {
      const Bucket = world.stored(bucket)
      const { Contents = [] } = await s3.ask((client) => client.send(new ListObjectsV2Command({ Bucket })))
      if (Contents.length === 0) return ''
      const { Body } = await s3.ask((client) => client.send(new GetObjectCommand({ Bucket, Key: 'word.txt' })))
      return (await Body?.transformToString()) ?? ''
    },
    askFor: (store, at) =>
      askBucketBackup(records, store, { name: archiveName(store.metadata.name, at), trigger: 'Manual' }),
    backupsOf: ({ metadata }) =>
      records.backupArchives.cache.list().filter(({ spec }) => spec.databaseUid === metadata.uid),
    async drilling() {
      const own = await startMinio({ accessKey: throwaway.username, secretKey: throwaway.password })
      return { ...podOf(own.endpoint), stop: own.stop }
    },
  }
}
