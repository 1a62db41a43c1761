/** SvcLogicalDatabase: a database with a login of its own on an existing server. */
import { z } from 'zod'
import { connectionLimit, objectNameMax } from '../../contract/limits.ts'
import type { KindDefinition } from '../schema/definition.ts'
import {
  environmentName,
  objectName,
  ownBackups,
  provision,
  readyColumns,
  reconciledStatus,
  rules,
} from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'
import { logicalBackupsElsewhere, sharedServerNames } from './shared-servers.ts'

const sharedServers = Object.values(sharedServerNames)
  .map((name) => `'${name}'`)
  .join(', ')

export const logicalDatabaseSpec = z
  .object({
    project: z.string().min(1).max(objectNameMax).meta({ description: 'ID of the project.' }),
    environment: environmentName.meta({ description: 'Environment of the project.' }),
    serverRef: objectName.meta({
      description: 'A postgres or mysql SvcDatabase of the same environment, or the shared server.',
    }),
    // Without a pattern: the worker checks the name, and its message becomes part of the Ready condition.
    databaseName: z
      .string()
      .min(1)
      .max(objectNameMax)
      .meta({ description: 'Letters, digits and underscores, not starting with a digit.' }),
    connectionLimit: z
      .int()
      .min(connectionLimit.min)
      .max(connectionLimit.max)
      .optional()
      .meta({
        description: `Most connections at once, on the shared server; ${connectionLimit.default} when left out. Read at creation.`,
      }),
    backups: ownBackups('Backups of it alone, on the shared server; applied at once.'),
  })
  .meta(
    rules(
      { rule: 'self.serverRef == oldSelf.serverRef', message: 'the server of a logical database cannot change' },
      {
        rule: 'self.project == oldSelf.project && self.environment == oldSelf.environment',
        message: 'a logical database cannot move',
      },
      {
        rule: `!has(self.backups) || self.serverRef in [${sharedServers}]`,
        message: logicalBackupsElsewhere,
      },
    ),
  )

/** Names of Jobs extend the record's name, and the name of a Job is a label of its pods, with 63 characters at most. */
const recordNameMax = 56

export const logicalDatabaseStatus = z.object({
  ...reconciledStatus,
  provision,
  connectionSecret: z
    .string()
    .optional()
    .meta({ description: 'Secret with host, port, database, username, password and uri.' }),
  jobName: z.string().optional().meta({ description: 'Job that creates it.' }),
  database: z.string().optional().meta({ description: 'Name on the server.' }),
  username: z.string().optional().meta({ description: 'Login that owns it.' }),
  lastBackup: z.string().optional().meta({ description: 'The backup that its deletion waited for.' }),
})

export type LogicalDatabaseSpec = z.output<typeof logicalDatabaseSpec>
export type LogicalDatabaseStatus = z.output<typeof logicalDatabaseStatus>
export type LogicalDatabase = Resource<LogicalDatabaseSpec, LogicalDatabaseStatus>

export const logicalDatabaseKind = {
  type: resourceTypes.logicalDatabase,
  singular: 'svclogicaldatabase',
  shortNames: ['sldb'],
  description: 'A logical database: a database carved out of an existing server.',
  spec: logicalDatabaseSpec,
  status: logicalDatabaseStatus,
  statusSubresource: true,
  columns: [{ name: 'Server', path: '.spec.serverRef' }, ...readyColumns],
  rules: [
    {
      rule: '!has(oldSelf.status) || !has(oldSelf.status.database) || self.spec.databaseName == oldSelf.spec.databaseName',
      message: 'the name of a database that was made cannot change',
    },
    {
      rule: `size(self.metadata.name) <= ${recordNameMax}`,
      message: `the name may have ${recordNameMax} characters at most`,
    },
  ],
} satisfies KindDefinition
