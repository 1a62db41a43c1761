/** What a backup of the platform itself holds: one entry for each object, in the order in which they are restored. */
import { z } from 'zod'
import { objectNameMax } from '../../contract/limits.ts'
import { type ProvisionedKind, provisionedKinds, resourceTypes } from '../meta/resource-types.ts'

export type KeptRecord = ProvisionedKind | 'project' | 'app' | 'deployment' | 'platformConfig'

/** The kinds of records that are kept, in the order of a restore: what others need comes first. */
export const keptRecords: readonly KeptRecord[] = [
  'project',
  // Each kind comes there before what it is on.
  ...(Object.keys(provisionedKinds) as ProvisionedKind[]).toReversed(),
  'app',
  'deployment',
  'platformConfig',
]

/** Kinds that own Secrets and ConfigMaps of svc-system which nothing can make again. */
export const ownerKinds = ['project', 'app'] as const
export type OwnerKind = (typeof ownerKinds)[number]

const texts = z.record(z.string(), z.string())
const kinds = [...keptRecords.map((name) => resourceTypes[name].kind), 'Secret', 'ConfigMap']

/** An object without what belongs to the cluster it was read from. */
const keptObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.enum(kinds),
  metadata: z.strictObject({
    name: z.string().min(1).max(objectNameMax),
    labels: texts.optional(),
    annotations: texts.optional(),
  }),
})

export const backupEntry = z.strictObject({
  /** The record it was made for, whose uid is another one on another cluster. */
  owner: z.strictObject({ kind: z.enum(ownerKinds), name: z.string() }).optional(),
  /** Of a database or a bucket on the object server: the backup that it begins with. */
  data: z.strictObject({ archive: z.string(), point: z.string() }).optional(),
  object: keptObject,
})

export type KeptObject = z.output<typeof keptObject>
export type BackupEntry = z.output<typeof backupEntry>

/** Which of the kept kinds a record is of; undefined for Secrets and ConfigMaps. */
export const recordKindOf = ({ kind }: Pick<KeptObject, 'kind'>): KeptRecord | undefined =>
  keptRecords.find((name) => resourceTypes[name].kind === kind)

/**
 * A Secret that the cluster fills with the token of an account: of use on its own cluster alone, where to make one and
 * to read it afterwards gives what that account may do.
 */
export const isAccountToken = (object: object): boolean =>
  'type' in object && object.type === 'kubernetes.io/service-account-token'
