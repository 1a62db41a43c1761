/** Every operation on databases: the versioned ones, and the dashboard routes that do their work. */
import { z } from 'zod'
import {
  connectionOf,
  createOf,
  deleteOrAbandonOf,
  deployOf,
  discardOf,
  getOf,
  listOf,
  retryOf,
  updateOf,
} from '../data-operations.ts'
import { anyText, confirmName, flag, withFieldOptions, resourceName, text } from '../fields/fields.ts'
import { archiveEngines, backupTriggers, resourceStates } from '../fields/words.ts'
import { queryTextMax, objectNameMax } from '../limits.ts'
import { metricsQuery, metricsView } from '../fields/metrics.ts'
import { okView, operation } from '../operation.ts'
import * as field from './fields.ts'

const tag = 'Databases'
const path = '/databases'
const db = resourceName('db')
const ofDatabase = z.object({ db })

const createdDatabase = okView.extend({
  name: z.string(),
  kind: z.literal('databases'),
  deployed: z.literal(true).optional(),
})

/** Left out it is on: the last backup before a deletion, or the one before another version opens the data. */
const backupFirst = { backupFirst: flag('backupFirst').optional() }

const ofArchive = z.object({ archive: resourceName('archive') })

/** A backup. Times are RFC 3339; they and the checksum are left out before it is whole. */
const archiveView = z.object({
  name: z.string(),
  project: z.string(),
  environment: z.string(),
  database: z.string(),
  databaseKind: z
    .enum(['LogicalDatabase', 'ObjectStore'])
    .optional()
    .meta({ description: 'There where `database` names a logical database or a bucket.' }),
  engine: z.enum(archiveEngines),
  version: z.string(),
  state: z.enum(resourceStates),
  message: z.string(),
  trigger: z.enum(backupTriggers),
  keptUntil: z.string().optional(),
  firstRestorePoint: z.string().optional(),
  lastRestorePoint: z.string().optional(),
  lastBackupAt: z.string().optional(),
  noLaterMoments: z
    .string()
    .optional()
    .meta({ description: 'Why no moment after its own can be restored, of a mysql that keeps backups.' }),
  size: z.number().optional(),
  checksum: z.string().optional(),
  counts: z
    .object({
      tables: z.number().optional(),
      rows: z.number().optional(),
      keys: z.number().optional(),
      pages: z.number().optional(),
      objects: z.number().optional(),
      bytes: z.number().optional(),
    })
    .optional()
    .meta({ description: 'What it holds, as it was counted in the store.' }),
  lastProvenAt: z.string().optional().meta({ description: 'When it was last restored on trial and found whole.' }),
  drill: z
    .object({
      asked: z.string(),
      at: z.string(),
      outcome: z.enum(['Proven', 'Failed']),
      message: z.string(),
      replayedTo: z.string().optional(),
    })
    .optional()
    .meta({ description: 'The newest restore drill that has ended.' }),
})

/** What a statement answered; a value that a JSON number cannot hold exactly is text. */
const queryView = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.boolean()]).nullable())),
  truncated: z.boolean(),
  affected: z.number().optional(),
  elapsedMs: z.number(),
})

const create = z
  .object({ ...field.origin, ...field.settings, draft: flag('draft').optional(), deploy: flag('deploy').optional() })
  .refine(({ draft, deploy }) => !(draft === true && deploy === true), {
    error: 'draft and deploy cannot be used together',
  })
  .refine(({ project, environment }) => (project === undefined) === (environment === undefined), {
    error: 'set project and environment together, or neither for the shared server of the cluster',
  })

export const databaseOperations = {
  'databases.list': listOf(path, 'List databases'),
  'databases.create': createOf(path, 'Create a database as a draft, or deploy it at once', create, createdDatabase),
  'databases.connect': operation({
    summary: 'Connect a postgres or mysql server that exists elsewhere as a database',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/databases/connect' },
    dashboard: { method: 'POST', path: '/api/databases/connect' },
    params: z.object({ ...field.connected, ...field.login }),
    view: createdDatabase,
  }),
  'databases.change-login': operation({
    summary: 'Change the login of a connected database, and where it is',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/databases/{db}/login' },
    dashboard: { method: 'POST', path: '/api/databases/{db}/login' },
    params: z.object({
      db,
      ...field.login,
      host: field.login.host.optional(),
      username: field.login.username.optional(),
    }),
    view: okView,
  }),
  'databases.get': getOf(path, 'db', 'Read a database', ofDatabase),
  'databases.update': updateOf(
    path,
    'db',
    "Change a database's settings",
    z.object({ db, ...field.settings }),
    okView.extend({ applied: z.literal('live'), liveChanged: z.boolean() }),
  ),
  'databases.delete': deleteOrAbandonOf(path, 'db', 'Delete a database', ofDatabase.extend(backupFirst)),
  'databases.deploy': deployOf(path, 'db', 'Deploy a database', ofDatabase.extend(backupFirst)),
  'databases.discard': discardOf(path, 'db', 'Bring the saved settings of a database back to what runs', ofDatabase),
  'databases.retry-provision': retryOf(path, 'db', 'Retry a failed deploy of a database', ofDatabase),
  'databases.connection': connectionOf(path, 'db', 'Read the connection details of a database', ofDatabase),
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
    params: z.object({
      archive: text('archive', { max: objectNameMax }),
      restorePoint: anyText('restorePoint', objectNameMax).optional(),
    }),
    view: createdDatabase,
  }),
  'databases.backup': operation({
    summary: 'Back up a database now',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/databases/{db}/backup' },
    dashboard: { method: 'POST', path: '/api/databases/{db}/backup' },
    params: ofDatabase,
    view: okView.extend({ archive: z.string() }),
  }),
  'databases.archives': operation({
    summary: 'List backups that can be restored, the newest first',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/backup-archives' },
    params: z.object({
      project: anyText('project', objectNameMax).optional(),
      database: anyText('database', objectNameMax).optional(),
    }),
    view: z.object({ items: z.array(archiveView) }),
  }),
  'databases.get-archive': operation({
    summary: 'Read how a backup is, also one that is on its way or failed',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/backup-archives/{archive}' },
    params: ofArchive,
    view: archiveView,
  }),
  'databases.delete-archive': operation({
    summary: 'Delete a backup with its files',
    tag,
    access: 'admin',
    v1: { method: 'DELETE', path: '/backup-archives/{archive}' },
    dashboard: { method: 'POST', path: '/api/backup-archives/{archive}/delete' },
    params: ofArchive.extend({ confirmName: confirmName() }),
    view: okView,
  }),
  'databases.query': operation({
    summary: 'Run one statement on a database, which only reads unless write is set',
    tag,
    access: 'admin',
    dashboard: { method: 'POST', path: '/api/databases/{db}/query' },
    params: z.object({
      db,
      query: withFieldOptions(text('query', { max: queryTextMax }), { aliases: ['sql'] }),
      write: flag('write').optional(),
    }),
    view: queryView,
  }),
} as const
