/** Every operation on databases: the rows of the specification, and the dashboard routes that do their work. */
import { z } from 'zod'
import { connectionQuery, connectionView } from '../connection-view.ts'
import { anyText, confirmName, flag, hinted, resourceName, text } from '../fields.ts'
import { metricsQuery, metricsView } from '../metrics-fields.ts'
import { okView, operation } from '../operation.ts'
import { detailView, summariesView } from '../resource-views.ts'
import { ownerQuery } from '../workload-fields.ts'
import * as field from './fields.ts'

const tag = 'Databases'
const db = resourceName('db')
const ofDatabase = z.object({ db })
const queryMax = 64 * 1024

const createdDatabase = okView.extend({ name: z.string(), kind: z.literal('databases'), deployed: z.literal(true).optional() })

const create = z
  .object({ ...field.origin, ...field.settings, draft: flag('draft').optional(), deploy: flag('deploy').optional() })
  .refine(({ draft, deploy }) => !(draft === true && deploy === true), { error: 'draft and deploy cannot be used together' })
  .refine(({ project, environment }) => (project === undefined) === (environment === undefined), {
    error: 'set project and environment together, or neither for the shared server of the cluster',
  })

export const databaseOperations = {
  'databases.list': operation({
    summary: 'List databases',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/databases' },
    params: ownerQuery,
    view: summariesView,
  }),
  'databases.create': operation({
    summary: 'Create a database as a draft, or deploy it at once',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/databases' },
    dashboard: { method: 'POST', path: '/api/databases/create' },
    params: create,
    view: createdDatabase,
  }),
  'databases.get': operation({
    summary: 'Read a database',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/databases/{db}' },
    params: ofDatabase,
    view: detailView,
  }),
  'databases.update': operation({
    summary: "Change a database's settings",
    tag,
    access: 'admin',
    v1: { method: 'PATCH', path: '/databases/{db}' },
    dashboard: { method: 'POST', path: '/api/databases/{db}/update' },
    params: z.object({ db, ...field.settings }),
    view: okView.extend({ applied: z.literal('live'), liveChanged: z.boolean() }),
  }),
  'databases.delete': operation({
    summary: 'Delete a database',
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: '/databases/{db}' },
    dashboard: { method: 'POST', path: '/api/databases/{db}/delete' },
    params: z.object({ db, confirmName: confirmName() }),
    view: okView,
  }),
  'databases.deploy': operation({
    summary: 'Deploy a database',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/databases/{db}/deploy' },
    dashboard: { method: 'POST', path: '/api/databases/{db}/deploy' },
    params: ofDatabase,
    view: okView,
  }),
  'databases.retry-provision': operation({
    summary: 'Retry a failed deploy of a database',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/databases/{db}/retry-provision' },
    params: ofDatabase,
    view: okView,
  }),
  'databases.connection': operation({
    summary: 'Read the connection details of a database',
    tag,
    access: 'admin',
    v1: { method: 'GET', path: '/databases/{db}/connection' },
    dashboard: { method: 'GET', path: '/api/databases/{db}/connection' },
    params: z.object({ db, ...connectionQuery }),
    view: connectionView,
  }),
  'databases.metrics': operation({
    summary: 'Read the metrics of a database',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/databases/{db}/metrics' },
    dashboard: { method: 'GET', path: '/api/databases/{db}/metrics' },
    params: z.object({ db, ...metricsQuery }),
    view: metricsView,
  }),
  'databases.restore': operation({
    summary: 'Restore a database from a backup as a new one',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/databases/restore' },
    dashboard: { method: 'POST', path: '/api/databases/restore' },
    params: z.object({ archive: text('archive', { max: 253 }), restorePoint: anyText('restorePoint', 253).optional() }),
    view: createdDatabase,
  }),
  'databases.query': operation({
    summary: 'Run a query on a database',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/databases/{db}/query' },
    params: z.object({ db, query: hinted(text('query', { max: queryMax }), { aliases: ['sql'] }) }),
    view: okView,
  }),
} as const
