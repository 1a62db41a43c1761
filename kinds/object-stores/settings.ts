/**
 * The spec of a store after an edit of its settings: pure, with the refusals that span fields
 * (docs/reference/object-stores.md#fields).
 */
import { storedBucketNameMax } from '../../contract/limits.ts'
import type { Params } from '../../contract/operations.ts'
import { refuse } from '../../contract/problem.ts'
import { withBackupSettings } from '../provision/own-backups.ts'
import { isExternal, isObjectServer } from './draft.ts'
import type { ObjectStoreSpec } from './kind.ts'
import { defined, filledIn } from '../../contract/defined.ts'

/** The fields of `PATCH /object-stores/{name}`. */
export type StoreSettings = Omit<Params<'object-stores.update'>, 'store'>

/**
 * The spec with the given settings; a field that is not given stays as it is, and so does one that is left blank, but
 * for `bucket` and `region`: none is a value of theirs. Throws Problem invalid_request.
 */
export function withStoreSettings(
  spec: ObjectStoreSpec,
  { bucket, region, backups, backupRetentionDays, ...wanted }: StoreSettings,
): ObjectStoreSpec {
  refuseForeign(spec, { bucket, region, backups, backupRetentionDays, ...wanted })
  const {
    createBucket = spec.createBucket,
    connectionRef = spec.connectionRef.name,
    cpu,
    memory,
    runOnTags,
  } = filledIn(wanted)
  const { requests } = spec.resources
  const after = {
    ...withRegion(spec, region),
    createBucket,
    connectionRef: { name: connectionRef },
    buckets: bucket === undefined ? spec.buckets : bucket === '' ? [] : [bucket],
    resources:
      cpu === undefined && memory === undefined
        ? spec.resources
        : { requests: { cpu: cpu ?? requests.cpu, memory: memory ?? requests.memory } },
    runOn: runOnTags === undefined ? spec.runOn : { tags: [...new Set(runOnTags)] },
  }
  for (const name of after.buckets) refuseLongName(after, name)
  return withBackupSettings(after, { backups, backupRetentionDays })
}

/** Without a region, that of the connection counts for a remote store, and any for the object server. */
function withRegion(spec: ObjectStoreSpec, region: string | undefined): ObjectStoreSpec {
  if (region === undefined) return spec
  const { region: ofStore, serverRegion: ofServer, ...others } = spec
  const wanted = region === '' ? undefined : region
  return isObjectServer(spec)
    ? { ...others, ...defined({ region: ofStore, serverRegion: wanted }) }
    : { ...others, ...defined({ region: wanted, serverRegion: ofServer }) }
}

/** The name of a bucket where it is stored: on the object server all projects share one namespace of buckets. */
export function storedBucketName(
  spec: Pick<ObjectStoreSpec, 'project' | 'environment' | 'engine' | 'placement'>,
  bucket: string,
): string {
  return isExternal(spec) ? bucket : `${spec.project}.${spec.environment}.${bucket}`
}

function refuseLongName(spec: ObjectStoreSpec, bucket: string): void {
  const stored = storedBucketName(spec, bucket)
  if (stored.length > storedBucketNameMax)
    throw refuse(`the bucket is stored as ${stored}, which must be at most ${storedBucketNameMax} characters`)
}

/** Refuses fields of another variant of store, rather than ignoring them. */
function refuseForeign(spec: ObjectStoreSpec, wanted: StoreSettings): void {
  const server = isObjectServer(spec)
  const { region, createBucket, connectionRef, bucket, cpu, memory, runOnTags, backups, backupRetentionDays } = wanted
  const only = (fields: object, applies: boolean, to: string): void => {
    const [first] = Object.entries(filledIn(fields)).filter(
      ([, value]) => value !== false && !(Array.isArray(value) && value.length === 0),
    )
    if (first !== undefined && !applies) throw refuse(`${first[0]} applies to ${to} only`)
  }
  only({ bucket }, !server, 'buckets of a project')
  only({ createBucket, connectionRef }, isExternal(spec), 'remote stores')
  only({ backups, backupRetentionDays }, !server && !isExternal(spec), 'buckets on the object server of the cluster')
  only({ region }, server || isExternal(spec), 'remote stores and the object server of the cluster')
  only({ cpu, memory, runOnTags }, server, 'the object server of the cluster')
}
