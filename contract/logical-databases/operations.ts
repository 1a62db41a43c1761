/** Every operation on logical databases: databases carved out of a server that exists. */
import { z } from 'zod'
import { connectionQuery, connectionView } from '../connection-view.ts'
import { confirmName, environmentName, matching, resourceName, text, wholeNumber } from '../fields.ts'
import { connectionLimit } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { detailView, summariesView } from '../resource-views.ts'
import { ownerQuery, workloadName } from '../workload-fields.ts'

const tag = 'Databases'
const logicalDatabase = resourceName('logicalDatabase')
const ofLogicalDatabase = z.object({ logicalDatabase })
const databaseNameMax = 63

export const logicalDatabaseOperations = {
  'logical-databases.list': operation({
    summary: 'List logical databases',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/logical-databases' },
    params: ownerQuery,
    view: summariesView,
  }),
  'logical-databases.create': operation({
    summary: 'Create a logical database; it needs no deploy',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/logical-databases' },
    dashboard: { method: 'POST', path: '/api/logical-databases/create' },
    params: z.object({
      name: workloadName().optional(),
      project: text('project', { max: 253 }),
      environment: environmentName(),
      server: text('server', { max: 253 }),
      database: matching(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'database must use letters, digits, and underscores, and not start with a digit', databaseNameMax),
      connectionLimit: wholeNumber('connectionLimit', connectionLimit.min, connectionLimit.max).optional(),
    }),
    view: okView.extend({ name: z.string(), kind: z.literal('logical-databases') }),
  }),
  'logical-databases.get': operation({
    summary: 'Read a logical database',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/logical-databases/{logicalDatabase}' },
    params: ofLogicalDatabase,
    view: detailView,
  }),
  'logical-databases.delete': operation({
    summary: 'Delete a logical database',
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: '/logical-databases/{logicalDatabase}' },
    dashboard: { method: 'POST', path: '/api/logical-databases/{logicalDatabase}/delete' },
    params: z.object({ logicalDatabase, confirmName: confirmName() }),
    view: okView,
  }),
  'logical-databases.retry-provision': operation({
    summary: 'Retry the creation of a logical database',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/logical-databases/{logicalDatabase}/retry-provision' },
    params: ofLogicalDatabase,
    view: okView,
  }),
  'logical-databases.connection': operation({
    summary: 'Read the connection details of a logical database',
    tag,
    access: 'admin',
    v1: { method: 'GET', path: '/logical-databases/{logicalDatabase}/connection' },
    dashboard: { method: 'GET', path: '/api/logical-databases/{logicalDatabase}/connection' },
    params: z.object({ logicalDatabase, ...connectionQuery }),
    view: connectionView,
  }),
} as const
