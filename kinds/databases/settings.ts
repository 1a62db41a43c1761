/** The spec of a database after an edit of its settings: pure, with the refusals that span fields. */
import { highAvailabilityCopies, runOnTagsMax } from '../../contract/limits.ts'
import type { Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { engineVersionOf } from './image.ts'
import type { DatabaseSpec } from './kind.ts'
import { storageSizeOf } from './sizes.ts'
import { sizeRefusal, versionRefusal } from './upgrade.ts'
import { defined, filledIn } from '../../contract/defined.ts'

/** The fields of `PATCH /databases/{name}`. */
export type DatabaseSettings = Omit<Params<'databases.update'>, 'db'>

export interface Volumes {
  /** The spec whose volume exists; undefined while the database is a draft. */
  running: DatabaseSpec | undefined
  /** Whether the cluster can enlarge an existing volume. */
  expandable: boolean
}

/** The spec with the given settings; a field that is not given stays as it is. Throws Problem invalid_request. */
export function withDatabaseSettings(spec: DatabaseSpec, wanted: DatabaseSettings, volumes: Volumes): DatabaseSpec {
  const {
    version = spec.version,
    storageSize,
    cpu,
    memory,
    backups,
    backupRetentionDays,
    clusterSize,
    runOnTags,
  } = filledIn(wanted)
  if (storageSize !== undefined) refuseSize(spec, storageSize, volumes)
  if (volumes.running !== undefined && spec.placement === 'InCluster')
    refuseIf(versionRefusal({ engine: spec.engine, version }, engineVersionOf(volumes.running)))
  if (clusterSize !== undefined) refuseCopies(spec, clusterSize)
  if (runOnTags !== undefined && runOnTags.length > 0 && spec.placement === 'External')
    throw refuse('runOnTags applies to databases on this cluster only')
  const requests = {
    ...spec.resources.requests,
    ...defined({ cpu, memory }),
  }
  return {
    ...spec,
    version,
    ...defined({ storageSize }),
    resources: Object.keys(requests).length === 0 ? spec.resources : { requests },
    backups: {
      enabled: backups ?? spec.backups.enabled,
      retentionDays: backupRetentionDays ?? spec.backups.retentionDays,
    },
    ...(clusterSize === undefined
      ? {}
      : { instances: clusterSize, highAvailability: clusterSize >= highAvailabilityCopies }),
    runOn: runOnTags === undefined ? spec.runOn : { tags: [...new Set(runOnTags)] },
  }
}

/**
 * The spec with the node tags that its project requires added: a database of such a project runs only on such nodes.
 * Throws Problem invalid_request for an external database, which runs on no node, and for more tags than a database may
 * have.
 */
export function withRequiredTags(spec: DatabaseSpec, requiredTags: readonly string[]): DatabaseSpec {
  if (requiredTags.length === 0) return spec
  if (spec.placement === 'External')
    throw refuse('the project requires node tags, which an external database cannot have')
  const tags = [...new Set([...requiredTags, ...spec.runOn.tags])]
  if (tags.length > runOnTagsMax)
    throw refuse(`runOnTags and the required tags of the project together must be at most ${runOnTagsMax} tags`)
  return { ...spec, runOn: { tags } }
}

/** An existing volume never shrinks, and grows only where the cluster can enlarge volumes. */
function refuseSize(spec: DatabaseSpec, wanted: string, { running, expandable }: Volumes): void {
  if (running === undefined) return
  refuseIf(
    sizeRefusal(
      { engine: spec.engine, storageSize: wanted },
      storageSizeOf(running),
      expandable || spec.placement !== 'InCluster',
    ),
  )
}

function refuseIf(sentence: string): void {
  if (sentence !== '') throw refuse(sentence)
}

function refuseCopies({ engine, placement }: DatabaseSpec, clusterSize: number): void {
  if (clusterSize === 1) return
  if (placement === 'External') throw refuse('clusterSize applies to databases on this cluster only')
  if (engine !== 'postgres') throw refuse('high availability needs the engine postgres')
}
