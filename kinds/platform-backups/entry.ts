/** The contents of a platform backup: one entry per object, in the order of a restore. */
import { z } from 'zod'
import { objectNameMax } from '../../contract/limits.ts'
import { type ProvisionedKind, provisionedKinds, resourceTypes } from '../meta/resource-types.ts'

export type KeptRecord = ProvisionedKind | 'project' | 'app' | 'deployment' | 'platformConfig'

/** The kinds of records in a backup, in the order of a restore: a kind comes after the kinds it depends on. */
export const keptRecords: readonly KeptRecord[] = [
  'project',
  // `provisionedKinds` has the order of removal, and this is its reverse.
  ...(Object.keys(provisionedKinds) as ProvisionedKind[]).toReversed(),
  'app',
  'deployment',
  'platformConfig',
]

/** Kinds that own Secrets and ConfigMaps of svc-system which svc cannot make again. */
export const ownerKinds = ['project', 'app'] as const
export type OwnerKind = (typeof ownerKinds)[number]

const texts = z.record(z.string(), z.string())
const kinds = [...keptRecords.map((name) => resourceTypes[name].kind), 'Secret', 'ConfigMap']

/** An object without the fields that belong to its cluster. */
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
  /** The record that it was made for; its uid differs on another cluster. */
  owner: z.strictObject({ kind: z.enum(ownerKinds), name: z.string() }).optional(),
  /** The backup from which a database, or a bucket on the object server, begins. */
  data: z.strictObject({ archive: z.string(), point: z.string() }).optional(),
  object: keptObject,
})

export type KeptObject = z.output<typeof keptObject>
export type BackupEntry = z.output<typeof backupEntry>

/** The kind of a record in the backup; undefined for Secrets and ConfigMaps. */
export const recordKindOf = ({ kind }: Pick<KeptObject, 'kind'>): KeptRecord | undefined =>
  keptRecords.find((name) => resourceTypes[name].kind === kind)

/**
 * Whether Kubernetes fills the Secret with the token of a service account. Such a token is valid on its own cluster
 * only; there, creating such a Secret and reading it would give its creator the rights of that account.
 */
export const isAccountToken = (object: object): boolean =>
  'type' in object && object.type === 'kubernetes.io/service-account-token'
