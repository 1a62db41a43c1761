/**
 * What a bucket waits for, or fails because of, before anything is made for it, with the messages
 * (docs/reference/object-stores.md#ready-condition).
 */
import { strictBucketName } from '../../contract/fields/patterns.ts'
import { storedBucketNameMax } from '../../contract/limits.ts'
import { readyOf } from '../meta/conditions.ts'
import { isExternal, isObjectServer } from './draft.ts'
import type { ObjectStore, ObjectStoreSpec } from './kind.ts'
import { storedBucketName } from './settings.ts'

/** `waiting` ends by itself or by a setting; `failing` counts towards ProvisionFailed. */
export interface Gate {
  outcome: 'waiting' | 'failing'
  message: string
}

/** The gate that follows from the record alone; undefined when its buckets can be made. */
export function bucketGate(spec: ObjectStoreSpec): Gate | undefined {
  if (spec.buckets.length === 0)
    return { outcome: 'waiting', message: 'Configure the bucket name in settings, then deploy' }
  for (const bucket of spec.buckets) {
    const stored = storedBucketName(spec, bucket)
    if (!strictBucketName.test(bucket)) return { outcome: 'failing', message: `illegal bucket name ${bucket}` }
    if (stored.length > storedBucketNameMax)
      return {
        outcome: 'failing',
        message: `bucket name too long: it is stored as ${stored}, which must be at most ${storedBucketNameMax} characters`,
      }
  }
  return undefined
}

/**
 * The gate of a store whose bucket an older store of the same environment has: kubectl can create both records, and the
 * older one keeps the bucket.
 */
export function rivalGate(store: ObjectStore, others: readonly ObjectStore[]): Gate | undefined {
  if (!isOnServer(store.spec)) return undefined
  const { buckets } = store.spec
  const older = (other: ObjectStore): boolean => ageOf(other) < ageOf(store)
  const rival = others.find(
    (other) =>
      isOnServer(other.spec) &&
      older(other) &&
      isSamePlace(other.spec, store.spec) &&
      other.spec.buckets.some((name) => buckets.includes(name)),
  )
  return rival === undefined
    ? undefined
    : { outcome: 'failing', message: `another bucket of this environment has this name: ${rival.metadata.name}` }
}

const ageOf = ({ metadata: { creationTimestamp = '', name } }: ObjectStore): string => `${creationTimestamp} ${name}`
const isOnServer = (spec: ObjectStoreSpec): boolean => !isObjectServer(spec) && !isExternal(spec)
const isSamePlace = (one: ObjectStoreSpec, other: ObjectStoreSpec): boolean =>
  one.project === other.project && one.environment === other.environment

/** The object server of the cluster; the oldest record, should there be several. */
export function objectServerAmong(stores: readonly ObjectStore[]): ObjectStore | undefined {
  return stores
    .filter(({ spec }) => isObjectServer(spec))
    .toSorted((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1))[0]
}

/** The gate of the object server for a bucket; undefined when the server accepts buckets of this project. */
export function serverGate(server: ObjectStore | undefined, requiredTags: readonly string[]): Gate | undefined {
  if (
    server === undefined ||
    server.metadata.deletionTimestamp !== undefined ||
    readyOf(server.status?.conditions)?.status !== 'True'
  )
    return { outcome: 'waiting', message: 'Set up the MinIO server in cluster settings first' }
  const { tags } = server.status?.runsOn ?? server.spec.runOn
  const uncovered = requiredTags.filter((tag) => !tags.includes(tag))
  if (uncovered.length === 0) return undefined
  const [noun, missing] = [uncovered.length === 1 ? 'tag' : 'tags', uncovered.join(', ')]
  return {
    outcome: 'failing',
    message: `the project requires the node ${noun} ${missing}, which the MinIO server does not run on`,
  }
}

/**
 * Why the object server cannot be deleted yet, with the buckets on it; '' when there are none
 * (docs/reference/object-stores.md#deleting-the-object-server).
 */
export function bucketsInTheWay(stores: readonly ObjectStore[]): string {
  const names = stores
    .filter(({ spec }) => isOnServer(spec))
    .map(({ metadata }) => metadata.name)
    .sort()
  const shown = names.slice(0, namesShown).join(', ')
  return names.length === 0
    ? ''
    : `delete the buckets on the object server first: ${shown}${names.length > namesShown ? ' and more' : ''}`
}

const namesShown = 5
