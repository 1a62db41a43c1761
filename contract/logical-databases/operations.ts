/** Every operation on logical databases: databases carved out of a server that exists. */
import { z } from 'zod'
import { connectionOf, createOf, deleteOf, getOf, listOf, retryOf, updateOf } from '../data-operations.ts'
import { environmentName, flag, matching, resourceName, text, wholeNumber } from '../fields/fields.ts'
import { backupRetentionDays as retention, connectionLimit, databaseNameMax, objectNameMax } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { databaseName } from '../fields/patterns.ts'
import { workloadName } from '../fields/workload.ts'

const path = '/logical-databases'
const name = 'logicalDatabase'
const ofLogicalDatabase = z.object({ logicalDatabase: resourceName(name) })

/** Settings for a logical database on the shared server alone; they apply at once. */
const backups = {
  backups: flag('backups').optional(),
  backupRetentionDays: wholeNumber('backupRetentionDays', retention.min, retention.max).optional(),
}

const create = z.object({
  name: workloadName().optional(),
  project: text('project', { max: objectNameMax }),
  environment: environmentName(),
  server: text('server', { max: objectNameMax }),
  database: matching(
    databaseName,
    'database must use letters, digits, and underscores, and not start with a digit',
    databaseNameMax,
  ),
  connectionLimit: wholeNumber('connectionLimit', connectionLimit.min, connectionLimit.max).optional(),
  ...backups,
})

export const logicalDatabaseOperations = {
  'logical-databases.list': listOf(path, 'List logical databases'),
  'logical-databases.create': createOf(
    path,
    'Create a logical database; it needs no deploy',
    create,
    okView.extend({ name: z.string(), kind: z.literal('logical-databases') }),
  ),
  'logical-databases.get': getOf(path, name, 'Read a logical database', ofLogicalDatabase),
  'logical-databases.update': updateOf(
    path,
    name,
    'Change whether a logical database is backed up, and for how long',
    ofLogicalDatabase.extend(backups),
    okView.extend({ applied: z.literal('live'), liveChanged: z.boolean() }),
  ),
  'logical-databases.delete': deleteOf(
    path,
    name,
    'Delete a logical database',
    ofLogicalDatabase.extend({ backupFirst: flag('backupFirst').optional() }),
  ),
  'logical-databases.retry-provision': retryOf(
    path,
    name,
    'Retry the creation of a logical database',
    ofLogicalDatabase,
  ),
  'logical-databases.connection': connectionOf(
    path,
    name,
    'Read the connection details of a logical database',
    ofLogicalDatabase,
  ),
  'logical-databases.backup': operation({
    summary: 'Back up a logical database on the shared server now',
    tag: 'Databases',
    access: 'admin',
    v1: { method: 'POST', path: `${path}/{${name}}/backup` },
    dashboard: { method: 'POST', path: `/api${path}/{${name}}/backup` },
    params: ofLogicalDatabase,
    view: okView.extend({ archive: z.string() }),
  }),
} as const
