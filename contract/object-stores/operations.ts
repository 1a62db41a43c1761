/** Every operation on buckets and on the object server that has no project. */
import { z } from 'zod'
import { confirmName, dnsLabel, environmentName, flag, matchingOrEmpty, oneOf, resourceName } from '../fields.ts'
import { bucketName, nodeTagNameMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { detailView, summariesView } from '../resource-views.ts'
import { ownerQuery, runOnTags, size, workloadName } from '../workload-fields.ts'

const tag = 'Databases'
const store = resourceName('store')
const ofStore = z.object({ store })

/** The empty name takes the bucket away again; the dashboard manages one for each store. */
const bucket = matchingOrEmpty(
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  `bucket must be ${bucketName.min} to ${bucketName.max} lowercase letters, digits, dots, and hyphens, starting and ending with a letter or digit`,
)
  .refine((name) => !/^\d+\.\d+\.\d+\.\d+$/.test(name), { error: 'bucket must not look like an IPv4 address' })
  .refine((name) => !name.includes('..'), { error: 'bucket must not contain two dots in a row' })

/** What may be changed later on. */
const settings = {
  region: matchingOrEmpty(dnsLabel, `region must use lowercase letters, digits, and hyphens, up to ${nodeTagNameMax} characters`, nodeTagNameMax).optional(),
  createBucket: flag('createBucket').optional(),
  connectionRef: matchingOrEmpty(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'connectionRef must be the name of a connection', 253).optional(),
  bucket: bucket.optional(),
  ...size,
  runOnTags: runOnTags().optional(),
}

const create = z
  .object({
    project: resourceName('project').optional(),
    environment: environmentName().optional(),
    name: workloadName().optional(),
    placement: oneOf('placement', ['InCluster', 'External']).optional(),
    engine: oneOf('engine', ['Local', 'Remote']).optional(),
    ...settings,
    draft: flag('draft').optional(),
    deploy: flag('deploy').optional(),
  })
  .refine(({ draft, deploy }) => !(draft === true && deploy === true), { error: 'draft and deploy cannot be used together' })
  .refine(({ project, environment }) => (project === undefined) === (environment === undefined), {
    error: 'set project and environment together, or neither for the object server of the cluster',
  })

export const objectStoreOperations = {
  'object-stores.list': operation({
    summary: 'List buckets',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/object-stores' },
    params: ownerQuery,
    view: summariesView,
  }),
  'object-stores.create': operation({
    summary: 'Create a bucket as a draft, or the object server of the cluster',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/object-stores' },
    dashboard: { method: 'POST', path: '/api/object-stores/create' },
    params: create,
    view: okView.extend({ name: z.string(), kind: z.literal('object-stores'), deployed: z.literal(true).optional() }),
  }),
  'object-stores.get': operation({
    summary: 'Read a bucket',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/object-stores/{store}' },
    params: ofStore,
    view: detailView,
  }),
  'object-stores.update': operation({
    summary: "Change a bucket's settings",
    tag,
    access: 'admin',
    v1: { method: 'PATCH', path: '/object-stores/{store}' },
    dashboard: { method: 'POST', path: '/api/object-stores/{store}/update' },
    params: z.object({ store, ...settings }),
    view: okView,
  }),
  'object-stores.delete': operation({
    summary: 'Delete a bucket',
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: '/object-stores/{store}' },
    dashboard: { method: 'POST', path: '/api/object-stores/{store}/delete' },
    params: z.object({ store, confirmName: confirmName() }),
    view: okView,
  }),
  'object-stores.deploy': operation({
    summary: 'Deploy a bucket',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/object-stores/{store}/deploy' },
    dashboard: { method: 'POST', path: '/api/object-stores/{store}/deploy' },
    params: ofStore,
    view: okView,
  }),
  'object-stores.retry-provision': operation({
    summary: 'Retry a failed deploy of a bucket',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/object-stores/{store}/retry-provision' },
    params: ofStore,
    view: okView,
  }),
} as const
