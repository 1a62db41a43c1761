/** Every operation on buckets and on the object server that has no project. */
import { z } from 'zod'
import {
  createOf,
  deleteOrAbandonOf,
  deployOf,
  discardOf,
  getOf,
  listOf,
  retryOf,
  updateOf,
} from '../data-operations.ts'
import {
  connectionRef,
  environmentName,
  flag,
  matchingOrEmpty,
  oneOf,
  region,
  resourceName,
  text,
  wholeNumber,
} from '../fields/fields.ts'
import { backupRetentionDays as retention, bucketName, objectNameMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { bucketName as bucketPattern } from '../fields/patterns.ts'
import { runOnTags, size, workloadName } from '../fields/workload.ts'
import { placements, storeEngines } from '../fields/words.ts'

const path = '/object-stores'
const store = resourceName('store')
const ofStore = z.object({ store })

/** The empty name takes the bucket away again; the dashboard manages one for each store. */
const bucket = matchingOrEmpty(
  bucketPattern,
  `bucket must be ${bucketName.min} to ${bucketName.max} lowercase letters, digits, dots, and hyphens, starting and ending with a letter or digit`,
)
  .refine((name) => !/^\d+\.\d+\.\d+\.\d+$/.test(name), { error: 'bucket must not look like an IPv4 address' })
  .refine((name) => !name.includes('..'), { error: 'bucket must not contain two dots in a row' })

/** What may be changed later on. */
const settings = {
  region: region().optional(),
  createBucket: flag('createBucket').optional(),
  connectionRef: connectionRef().optional(),
  bucket: bucket.optional(),
  ...size,
  runOnTags: runOnTags().optional(),
  backups: flag('backups').optional(),
  backupRetentionDays: wholeNumber('backupRetentionDays', retention.min, retention.max).optional(),
}

const create = z
  .object({
    project: resourceName('project').optional(),
    environment: environmentName().optional(),
    name: workloadName().optional(),
    placement: oneOf('placement', placements).optional(),
    engine: oneOf('engine', storeEngines).optional(),
    ...settings,
    draft: flag('draft').optional(),
    deploy: flag('deploy').optional(),
  })
  .refine(({ draft, deploy }) => !(draft === true && deploy === true), {
    error: 'draft and deploy cannot be used together',
  })
  .refine(({ project, environment }) => (project === undefined) === (environment === undefined), {
    error: 'set project and environment together, or neither for the object server of the cluster',
  })

const made = okView.extend({ name: z.string(), kind: z.literal('object-stores') })

export const objectStoreOperations = {
  'object-stores.list': listOf(path, 'List buckets'),
  'object-stores.create': createOf(
    path,
    'Create a bucket as a draft, or the object server of the cluster',
    create,
    made.extend({ deployed: z.literal(true).optional() }),
  ),
  'object-stores.get': getOf(path, 'store', 'Read a bucket', ofStore),
  'object-stores.update': updateOf(
    path,
    'store',
    "Change a bucket's settings",
    z.object({ store, ...settings }),
    okView,
  ),
  'object-stores.delete': deleteOrAbandonOf(
    path,
    'store',
    'Delete a bucket',
    ofStore.extend({ backupFirst: flag('backupFirst').optional() }),
  ),
  'object-stores.deploy': deployOf(path, 'store', 'Deploy a bucket', ofStore),
  'object-stores.discard': discardOf(path, 'store', 'Bring the saved settings of a bucket back to what runs', ofStore),
  'object-stores.retry-provision': retryOf(path, 'store', 'Retry a failed deploy of a bucket', ofStore),
  'object-stores.restore': operation({
    summary: 'Restore a bucket from a backup as a new one',
    tag: 'Databases',
    access: 'admin',
    v1: { method: 'POST', path: `${path}/restore` },
    dashboard: { method: 'POST', path: `/api${path}/restore` },
    params: z.object({ archive: text('archive', { max: objectNameMax }) }),
    view: made.extend({ deployed: z.literal(true) }),
  }),
  'object-stores.backup': operation({
    summary: 'Back up a bucket on the object server now',
    tag: 'Databases',
    access: 'admin',
    v1: { method: 'POST', path: `${path}/{store}/backup` },
    dashboard: { method: 'POST', path: `/api${path}/{store}/backup` },
    params: ofStore,
    view: okView.extend({ archive: z.string() }),
  }),
} as const
