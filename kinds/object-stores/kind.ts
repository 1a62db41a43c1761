/** SvcObjectStore: the cluster-wide object server, a bucket on it, or a bucket in a cloud account. */
import { z } from 'zod'
import { bucketName, bucketsPerStore, dnsLabelMax, objectStoreNodeTags, objectNameMax } from '../../contract/limits.ts'
import { bucketName as bucketPattern } from '../../contract/fields/patterns.ts'
import type { KindDefinition } from '../schema/definition.ts'
import {
  asSet,
  deployEnabled,
  nodeTag,
  objectName,
  ownBackups,
  ownerFields,
  ownerRule,
  placement,
  provision,
  readyColumns,
  reconciledStatus,
  resources,
  rules,
  runOn,
  time,
} from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'
import { storeEngines } from '../../contract/fields/words.ts'

const bucket = z
  .string()
  .min(bucketName.min)
  .max(bucketName.max)
  .regex(bucketPattern)
  .meta(
    rules(
      {
        rule: "!self.matches('^[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+$')",
        message: 'a bucket name must not look like an IPv4 address',
      },
      { rule: "!self.contains('..')", message: 'a bucket name must not contain two dots in a row' },
    ),
  )

export const objectStoreSpec = z
  .object({
    ...ownerFields,
    engine: z
      .enum(storeEngines)
      .meta({ description: 'Local is the object server of the cluster, Remote a cloud account.' }),
    placement,
    connectionRef: z
      .object({
        name: z.string().max(objectNameMax).default('').meta({ description: 'Name of the SvcCloudConnection.' }),
      })
      .prefault({})
      .meta({ description: 'Cloud connection of a remote store, of the same project.' }),
    region: z
      .string()
      .max(dnsLabelMax)
      .optional()
      .meta({ description: 'Region of a remote store; the region of the connection when left out.' }),
    createBucket: z
      .boolean()
      .default(false)
      .meta({ description: 'Remote only: make missing buckets, and delete them with the store.' }),
    buckets: z
      .array(bucket)
      .max(bucketsPerStore)
      .default([])
      .meta({ description: 'Names of the buckets; a project store needs one to deploy.', ...asSet }),
    backups: ownBackups('Backups of a bucket on the object server; applied at once.'),
    restoreFrom: z
      .object({ archive: objectName.meta({ description: 'Name of the SvcBackupArchive it begins with.' }) })
      .optional()
      .meta({ description: 'A new bucket on the object server begins with this backup.' }),
    resources: resources('250m', '512Mi'),
    deploy: z.object({ enabled: deployEnabled }).prefault({}).meta({ description: 'Whether it is deployed.' }),
    runOn: runOn(objectStoreNodeTags),
    serverRegion: nodeTag.optional().meta({ description: 'Region of the object server.' }),
  })
  .meta(
    rules(
      ownerRule,
      {
        rule: "self.project != '' || (self.engine == 'Local' && self.placement == 'InCluster')",
        message: 'a store without a project is the object server of the cluster: engine Local, placement InCluster',
      },
      {
        rule: "(!has(self.backups) && !has(self.restoreFrom)) || (self.project != '' && self.engine == 'Local' && self.placement == 'InCluster')",
        message: 'only buckets on the object server of the cluster have backups',
      },
      {
        rule: '!oldSelf.deploy.enabled || (has(self.restoreFrom) == has(oldSelf.restoreFrom) && (!has(self.restoreFrom) || self.restoreFrom == oldSelf.restoreFrom))',
        message: 'what a deployed bucket was restored from cannot change',
      },
    ),
  )

export const objectStoreStatus = z.object({
  ...reconciledStatus,
  provision,
  targetNamespace: z.string().optional().meta({ description: 'Namespace of the connection secret.' }),
  connectionSecret: z
    .string()
    .optional()
    .meta({ description: 'Secret with endpoint, accessKey, secretKey and bucket.' }),
  endpoint: z.string().optional().meta({ description: 'Address the buckets answer at.' }),
  remote: z
    .object({
      connection: z.string().meta({ description: 'Name of the SvcCloudConnection it was made with.' }),
      user: z.string().meta({ description: 'Name of its user at the cloud.' }),
      made: z.array(z.string()).meta({ description: 'Buckets that were or may have been made for it.', ...asSet }),
    })
    .optional()
    .meta({ description: 'What a remote store has at the cloud; noted before it is made.' }),
  buckets: z
    .array(z.string())
    .optional()
    .meta({ description: 'Names of the buckets on the object server, former ones that are not empty included.' }),
  restored: z
    .object({
      archive: z.string().meta({ description: 'Name of the backup.' }),
      point: time.meta({ description: 'Moment whose objects it has.' }),
    })
    .optional()
    .meta({ description: 'The backup that was restored into it.' }),
  lastBackup: z.string().optional().meta({ description: 'The backup that its deletion waited for.' }),
  runsOn: z
    .object({
      tags: z
        .array(nodeTag)
        .max(objectStoreNodeTags)
        .meta({ description: 'Tags the nodes of the object server carry.', ...asSet }),
    })
    .optional()
    .meta({ description: 'Where the object server runs: read from the spec once, when tags are first set.' }),
})

export type ObjectStoreSpec = z.output<typeof objectStoreSpec>
export type ObjectStoreStatus = z.output<typeof objectStoreStatus>
export type ObjectStore = Resource<ObjectStoreSpec, ObjectStoreStatus>

export const objectStoreKind = {
  type: resourceTypes.objectStore,
  singular: 'svcobjectstore',
  shortNames: ['sos'],
  description: 'An object store: the object server of the cluster, or buckets of a project.',
  spec: objectStoreSpec,
  status: objectStoreStatus,
  statusSubresource: true,
  columns: [{ name: 'Engine', path: '.spec.engine' }, ...readyColumns],
  rules: [],
} satisfies KindDefinition
