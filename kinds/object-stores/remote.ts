/** Names, tags, region and policy of a remote store at AWS; pure (docs/reference/object-stores.md#remote-buckets). */
import { labels, managedBySvc } from '../meta/annotations.ts'
import { digest } from '../meta/digest.ts'
import type { ObjectStore } from './kind.ts'

/**
 * The region of a remote store where neither the store nor its connection has one
 * (docs/reference/object-stores.md#fields).
 */
export const defaultRegion = 'us-east-1'

/** The name of the one inline policy of a store's user. */
export const policyName = 'svc-bucket'

const userNameMax = 64
/** The prefix of the names of all users that svc makes. */
export const userPrefix = 'svc-'

/** The tag with the name of the store, beside the labels that every object of svc has as tags. */
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
 * `svc-<name>` with other characters as "-", at most 64 characters; a longer one ends in a digest, so that two long
 * names stay different.
 */
export function userNameOf(store: string): string {
  const whole = `${userPrefix}${store.replace(/[^a-zA-Z0-9+=,.@_-]/g, '-')}`
  return whole.length <= userNameMax ? whole : `${whole.slice(0, userNameMax - 9)}-${digest(store).slice(0, 8)}`
}

/** The tags that show the owner of a user or a bucket; svc changes or removes only those with the uid of the record. */
export function ownerTags({ metadata }: Pick<ObjectStore, 'metadata'>): Record<string, string> {
  return { [labels.managedBy]: managedBySvc, [labels.owner]: metadata.uid ?? '', [storeTag]: metadata.name }
}

/** The uid and the name of the store that the tags name; undefined when svc did not set them. */
export function ownerOfTags(tags: Readonly<Record<string, string>>): { uid: string; store: string } | undefined {
  const uid = tags[labels.owner]
  return uid === undefined || tags[labels.managedBy] !== managedBySvc ? undefined : { uid, store: tags[storeTag] ?? '' }
}

/** The regional address of the buckets, e.g. `https://s3.eu-west-1.amazonaws.com`. */
export function endpointOf(region: string): string {
  return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** What an abandoned store leaves in its account, in words without secrets; empty where its status has nothing. */
export function staysAtAws({ status }: Pick<ObjectStore, 'status'>): string[] {
  if (status?.remote === undefined) return []
  const { connection, user, made } = status.remote
  const access = `user ${user} with its policy ${policyName} and its access key (cloud connection ${connection})`
  return [...made.map((bucket) => `bucket ${bucket}`), access]
}
