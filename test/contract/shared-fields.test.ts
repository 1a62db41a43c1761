/** Fields that both the contract and a record have: the record can hold every value that a caller may send. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { z } from 'zod'
import { operations } from '../../contract/operations.ts'
import { appSpec } from '../../kinds/apps/kind.ts'
import { cloudConnectionSpec } from '../../kinds/cloud-connections/kind.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { platformConfigSpec } from '../../kinds/platform/kind.ts'
import { projectSpec } from '../../kinds/projects/kind.ts'
import { fieldAt, values } from './field-values.ts'

interface Shared {
  operation: keyof typeof operations
  field: string
  record: z.core.$ZodType
  at: string
  /** Whether a caller may send every value that a record can hold. */
  both?: true
}

const app = (field: string, at: string, both?: true): Shared => ({
  operation: 'apps.update',
  field,
  record: appSpec,
  at,
  ...(both && { both }),
})
const made = (field: string, at: string, both?: true): Shared => ({ ...app(field, at, both), operation: 'apps.create' })
const database = (field: string, at = field, both?: true): Shared => ({
  operation: 'databases.create',
  field,
  record: databaseSpec,
  at,
  ...(both && { both }),
})
const store = (field: string, at = field, both?: true): Shared => ({
  operation: 'object-stores.create',
  field,
  record: objectStoreSpec,
  at,
  ...(both && { both }),
})
const probe = (kind: 'readiness' | 'liveness'): Shared[] => {
  const record = `deploy.${kind}Probe`
  return [
    app(`${kind}Path`, `${record}.path`),
    app(`${kind}Port`, `${record}.port`, true),
    app(`${kind}Period`, `${record}.periodSeconds`, true),
    app(`${kind}Timeout`, `${record}.timeoutSeconds`, true),
    app(`${kind}FailureThreshold`, `${record}.failureThreshold`, true),
  ]
}

const shared: Shared[] = [
  made('environment', 'environment', true),
  made('image', 'source.image.image'),
  made('runtime', 'source.function.runtime', true),
  made('mode', 'source.function.mode', true),
  made('code', 'source.function.code'),
  made('functionTriggers.[].name', 'source.function.triggers.[].name', true),
  made('functionTriggers.[].schedule', 'source.function.triggers.[].schedule'),
  made('functionTriggers.[].payload', 'source.function.triggers.[].payload'),
  made('functionTriggers.[].path', 'source.function.triggers.[].path'),
  made('repository', 'source.git.repository'),
  made('branch', 'source.git.branch'),
  made('dockerfile', 'source.git.dockerfile'),
  made('context', 'source.git.context'),
  made('connectionRef', 'source.git.connectionRef.name', true),
  app('watchPatterns.[]', 'source.git.watchPatterns.[]'),
  app('port', 'port', true),
  app('replicas', 'replicas', true),
  app('host', 'ingress.host'),
  app('cpu', 'resources.requests.cpu'),
  app('memory', 'resources.requests.memory'),
  app('minReplicas', 'autoscaling.minReplicas', true),
  app('maxReplicas', 'autoscaling.maxReplicas', true),
  app('targetCPU', 'autoscaling.targetCPUUtilization', true),
  app('idleSeconds', 'scaleToZero.idleSeconds', true),
  app('scaleToZeroMax', 'scaleToZero.maxReplicas', true),
  app('command.[]', 'build.command.[]'),
  app('args.[]', 'build.args.[]'),
  app('workingDir', 'build.workingDir'),
  app('runOnTags.[]', 'runOn.tags.[]', true),
  ...probe('readiness'),
  ...probe('liveness'),
  database('engine', 'engine', true),
  database('environment', 'environment', true),
  database('placement', 'placement', true),
  database('provider'),
  database('connectionRef', 'connectionRef.name', true),
  database('databaseName'),
  database('version', 'version', true),
  database('storageSize'),
  database('cpu', 'resources.requests.cpu'),
  database('memory', 'resources.requests.memory'),
  database('backupRetentionDays', 'backups.retentionDays', true),
  database('clusterSize', 'instances'),
  database('region', 'serverRegion'),
  database('runOnTags.[]', 'runOn.tags.[]', true),
  store('engine', 'engine', true),
  store('placement', 'placement', true),
  store('region'),
  store('bucket', 'buckets.[]'),
  store('connectionRef', 'connectionRef.name'),
  store('cpu', 'resources.requests.cpu'),
  store('memory', 'resources.requests.memory'),
  store('runOnTags.[]', 'runOn.tags.[]', true),
  {
    operation: 'logical-databases.create',
    field: 'environment',
    record: logicalDatabaseSpec,
    at: 'environment',
    both: true,
  },
  { operation: 'logical-databases.create', field: 'database', record: logicalDatabaseSpec, at: 'databaseName' },
  {
    operation: 'logical-databases.create',
    field: 'connectionLimit',
    record: logicalDatabaseSpec,
    at: 'connectionLimit',
    both: true,
  },
  { operation: 'cloud-connections.create', field: 'provider', record: cloudConnectionSpec, at: 'provider', both: true },
  { operation: 'cloud-connections.create', field: 'region', record: cloudConnectionSpec, at: 'region' },
  { operation: 'cloud-connections.create', field: 'organization', record: cloudConnectionSpec, at: 'organization' },
  { operation: 'projects.settings-save', field: 'displayName', record: projectSpec, at: 'displayName' },
  {
    operation: 'projects.settings-save',
    field: 'environments.[]',
    record: projectSpec,
    at: 'environments.[]',
    both: true,
  },
  { operation: 'projects.settings-save', field: 'region', record: projectSpec, at: 'region' },
  { operation: 'settings.domain-save', field: 'rootDomain', record: platformConfigSpec, at: 'rootDomain', both: true },
  { operation: 'settings.domain-save', field: 'dashboardURL', record: platformConfigSpec, at: 'dashboardURL' },
  {
    operation: 'settings.domain-save',
    field: 'dashboardExposure',
    record: platformConfigSpec,
    at: 'dashboardExposure',
    both: true,
  },
  { operation: 'settings.registry-save', field: 'repository', record: platformConfigSpec, at: 'registry.repository' },
]

describe('a field of the contract and of a record', () => {
  for (const { operation, field, record, at, both } of shared) {
    it(`agree: ${operation} ${field} and spec.${at}`, () => {
      const asked = fieldAt(operations[operation].params, field)
      const kept = fieldAt(record, at)
      let seen = 0
      fc.assert(
        fc.property(values, (value) => {
          const taken = asked.safeParse(value)
          // An empty text counts as absent and is not written.
          if (taken.success && taken.data !== '') {
            seen += 1
            expect(kept.safeParse(taken.data).success, JSON.stringify(taken.data)).to.equal(true)
          }
          // Only callers send blanks around a value; a record has none.
          if (both && value !== '' && kept.safeParse(value).success)
            expect(taken.success, JSON.stringify(value)).to.equal(true)
        }),
        { numRuns: 3000 },
      )
      expect(seen, 'values that were taken at all').to.be.greaterThan(2)
    })
  }
})
