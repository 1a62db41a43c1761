/** The records of a platform backup as a restore writes them into another cluster: without the state of the old one. */
import { z } from 'zod'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { withFrozenAttempt } from '../../kinds/apps/deploy/restored.ts'
import type { BackupArchive } from '../../kinds/backup-archives/kind.ts'
import { withStored } from '../../kinds/backup-archives/stored.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { beginningWith } from '../../kinds/databases/restored.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { storeBeginningWith } from '../../kinds/object-stores/restored.ts'
import { type BackupEntry, recordKindOf } from '../../kinds/platform-backups/entry.ts'

type Kept = KubeObject & Record<string, unknown>
/** A record of a kind that is deployed. */
type Deployable = Kept & { spec: { deploy: { enabled: boolean } } }

const deployable: ReadonlySet<string | undefined> = new Set(['app', 'database', 'objectStore'])

const deployment = z.object({ spec: z.object({ deploy: z.object({ enabled: z.boolean() }) }) })

/**
 * Whether the record was deployed: a restore writes it as a draft first. A record without that field is left to the
 * validation of the API server.
 */
export function draftFirst({ object }: BackupEntry): boolean {
  return deployable.has(recordKindOf(object)) && deployment.safeParse(object).data?.spec.deploy.enabled === true
}

/** The annotations of deploys, which a draft does not have. */
const ofDeploys: readonly string[] = [
  annotations.attempt,
  annotations.lastDeployed,
  annotations.pendingChanges,
  annotations.retry,
  annotations.editedBy,
  annotations.secretEdit,
]

/** The object of an entry as it is written; with `asDraft` without its deploy. */
export function broughtBack(entry: BackupEntry, asDraft = false): Kept {
  const whole = prepared(entry)
  const { [annotations.badBackups]: _, ...notes } = whole.metadata.annotations ?? {}
  const metadata = { ...whole.metadata, annotations: notes }
  if (!asDraft) return { ...whole, metadata }
  const { spec } = whole as Deployable
  const others = Object.entries(notes).filter(([name]) => !ofDeploys.includes(name))
  return {
    ...whole,
    metadata: {
      ...metadata,
      annotations: {
        ...Object.fromEntries(others),
        [annotations.pendingChanges]: 'created',
        [annotations.restoring]: 'true',
      },
    },
    spec: { ...spec, deploy: { ...spec.deploy, enabled: false } },
  }
}

/** The entry was made from a record of its kind, so the casts hold. */
function prepared({ object, data }: BackupEntry): Kept {
  const record: unknown = object
  const kind = recordKindOf(object)
  if (kind === undefined || kind === 'deployment') return record as Kept // their status is no part of the cluster's
  if (deployable.has(kind) && !deployment.safeParse(record).success) return record as Kept // the cluster judges it
  const { status: _, ...kept } = recordOf(kind, record, data) as Kept
  return kept
}

function recordOf(kind: string, record: unknown, data: BackupEntry['data']): unknown {
  if (kind === 'app') return withFrozenAttempt(record as App)
  if (kind === 'backupArchive') return withStored(record as BackupArchive)
  if (kind === 'database') return beginningWith(record as Database, data)
  if (kind === 'objectStore')
    return storeBeginningWith(record as ObjectStore, data === undefined ? undefined : { archive: data.archive })
  return record
}
