/**
 * What a remote store is called and may do at AWS: names, tags, region, policy. Pure
 * (docs/reference/object-stores.md#remote-buckets).
 */
import { labels, managedBySvc } from '../meta/annotations.ts'
import { digest } from '../meta/digest.ts'
import type { ObjectStore } from './kind.ts'

/**
 * The region of a remote store where neither it nor its connection names one (docs/reference/object-stores.md#fields).
 */
export const defaultRegion = 'us-east-1'

/** The name of the one inline policy of a store's user. */
export const policyName = 'svc-bucket'

const userNameMax = 64
/** What the names of all users begin with. */
export const userPrefix = 'svc-'

/** The tag that names the store, beside the labels that every object of svc's carries. */
export const storeTag = 'svc.dev/object-store'

/**
 * The region of the store, else of its connection, else of the keys, else the default
 * (docs/reference/object-stores.md#fields).
 */
export function regionOfStore(ofStore: string | undefined, ofConnection: string, ofSecret: string | undefined): string {
  return (
    [ofStore, ofConnection, ofSecret, defaultRegion].find((region) => region !== undefined && region !== '') ??
    defaultRegion
  )
}

/**
 * `svc-<name>`, other characters as "-", at most 64; one that is longer ends in a digest, so that two long names stay
 * two.
 */
export function userNameOf(store: string): string {
  const whole = `${userPrefix}${store.replace(/[^a-zA-Z0-9+=,.@_-]/g, '-')}`
  return whole.length <= userNameMax ? whole : `${whole.slice(0, userNameMax - 9)}-${digest(store).slice(0, 8)}`
}

/** Says whose a user or a bucket is; only what carries the uid of the record is ever changed or removed. */
export function ownerTags({ metadata }: Pick<ObjectStore, 'metadata'>): Record<string, string> {
  return { [labels.managedBy]: managedBySvc, [labels.owner]: metadata.uid ?? '', [storeTag]: metadata.name }
}

/** Whom the tags name: the uid of a record and its name; undefined when they are not svc's. */
export function ownerOfTags(tags: Readonly<Record<string, string>>): { uid: string; store: string } | undefined {
  const uid = tags[labels.owner]
  return uid === undefined || tags[labels.managedBy] !== managedBySvc ? undefined : { uid, store: tags[storeTag] ?? '' }
}

/** The regional address of the buckets, e.g. `https://s3.eu-west-1.amazonaws.com`. */
export function endpointOf(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** What a store that is released leaves in its account, in words without secrets; none where nothing was noted. */
export function staysAtAws({ status }: Pick<ObjectStore, 'status'>): string[] {
  if (status?.remote === undefined) return []
  const { connection, user, made } = status.remote
  const access = `user ${user} with its policy ${policyName} and its access key (cloud connection ${connection})`
  return [...made.map((bucket) => `bucket ${bucket}`), access]
}
