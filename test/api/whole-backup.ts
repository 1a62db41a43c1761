/** A backup as its workflow leaves it, for tests that run none. */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { backupArchiveSpec, type BackupArchiveStatus } from '../../kinds/backup-archives/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'

/** The moment that such a backup was taken. */
export const point = '2026-01-31T10:00:00Z'

/** Writes a verified backup with these fields of its spec, and of its status, and gives its name. */
export async function writeWholeBackup(
  client: ClusterClient,
  fields: { project: string } & Record<string, unknown>,
  stored: Partial<BackupArchiveStatus> = {},
): Promise<string> {
  const name = `kept-${randomBytes(4).toString('hex')}`
  await client.create(resourceTypes.backupArchive, {
    apiVersion,
    kind: 'SvcBackupArchive',
    metadata: { name, namespace: systemNamespace },
    spec: backupArchiveSpec.parse({
      environment: 'production',
      database: 'orders',
      engine: 'redis',
      version: '7',
      storageSize: '1Gi',
      connectionRef: { name: 'x' },
      bucket: 'kept-there',
      path: 'svc-backups/x',
      ...fields,
    }),
  })
  const status = {
    checksum: 'a'.repeat(64),
    size: 9,
    firstRestorePoint: point,
    lastRestorePoint: point,
    lastBackupAt: point,
    ...stored,
  }
  const ref = { type: resourceTypes.backupArchive, namespace: systemNamespace, name }
  await client.patch(ref, { status }, { subresource: 'status' })
  return name
}
