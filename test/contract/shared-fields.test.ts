/** Fields that both the contract and a record have: the record can hold every value that a caller may send. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { z } from 'zod'
import type { Operation } from '../../contract/operation.ts'
import { operations } from '../../contract/operations.ts'
import { appSpec } from '../../kinds/apps/kind.ts'
import { cloudConnectionSpec } from '../../kinds/cloud-connections/kind.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { platformConfigSpec } from '../../kinds/platform/kind.ts'
import { projectSpec } from '../../kinds/projects/kind.ts'
import { textMax } from '../../kinds/meta/bounds.ts'
import { fieldAt, fieldsOf, values } from './field-values.ts'

type Name = keyof typeof operations

interface Shared {
  operation: Name
  field: string
  record: z.core.$ZodType
  at: string
  /** Whether a caller may send every value that a record can hold. */
  both?: true
  /** What is written for a value that is taken; undefined where the operation refuses it by more than its schema. */
  as?: (value: unknown) => unknown
}

/** The row of a field; a field of its own name in the record is found where it is nested. */
const rowOf =
  (operation: Name, record: z.core.$ZodType) =>
  (field: string, at = field, both?: true, as?: Shared['as']): Shared => ({
    ...{ operation, field, record, at },
    ...(both && { both }),
    ...(as && { as }),
  })
const app = rowOf('apps.update', appSpec)
const made = rowOf('apps.create', appSpec)
const config = rowOf('apps.config-set', appSpec)
const database = rowOf('databases.create', databaseSpec)
const connected = rowOf('databases.connect', databaseSpec)
const logical = rowOf('logical-databases.create', logicalDatabaseSpec)
const store = rowOf('object-stores.create', objectStoreSpec)
const cloud = rowOf('cloud-connections.create', cloudConnectionSpec)
const project = rowOf('projects.settings-save', projectSpec)
const compliance = rowOf('projects.compliance-save', projectSpec)
const network = rowOf('projects.network', projectSpec)
const variable = rowOf('projects.variables-save', projectSpec)
const webhook = rowOf('projects.webhooks-save', projectSpec)
const pullRequests = rowOf('projects.pr-environments-save', projectSpec)
const allowed = rowOf('projects.pr-environments-allow', projectSpec)
const backups = rowOf('projects.backup-storage', projectSpec)
const domain = rowOf('settings.domain-save', platformConfigSpec)
const registry = rowOf('settings.registry-save', platformConfigSpec)
const zone = rowOf('settings.dns-provider-save', platformConfigSpec)
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
const inLowerCase = (value: unknown) => String(value).toLowerCase()
/** A longer one is refused in words when it is written, since secret values may be longer. */
const ofRecord = (value: unknown) => (String(value).length <= textMax ? value : undefined)
/** Others are refused when the address is looked up. */
const webAddress = (value: unknown) => (/^https?:\/\//.test(String(value)) ? value : undefined)

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
  app('volumePath', 'volume.path'),
  app('volumeSize', 'volume.size'),
  app('buildVariables.[]', 'build.variables.[]'),
  app('buildCache', 'build.cache', true),
  app('tls', 'ingress.tlsEnabled', true),
  app('dnsVerification', 'ingress.dnsVerification', true),
  app('metrics', 'metrics.enabled', true),
  app('scaleToZero', 'scaleToZero.enabled', true),
  app('waitForCI', 'source.git.waitForCI', true),
  app('rollbackOnFailure', 'deploy.rollbackOnFailure', true),
  app('runAsRoot', 'runAsRoot', true),
  config('value', 'configData.{}', undefined, ofRecord),
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
  database('highAvailability', 'highAvailability', true),
  database('backups', 'backups.enabled', true),
  connected('engine'),
  connected('environment', 'environment', true),
  connected('databaseName'),
  connected('host', 'externalHost'),
  connected('port', 'externalPort', true),
  connected('username', 'externalUsername'),
  store('environment', 'environment', true),
  store('engine', 'engine', true),
  store('placement', 'placement', true),
  store('region'),
  store('bucket', 'buckets.[]'),
  store('createBucket', 'createBucket', true),
  store('backups', 'backups.enabled', true),
  store('backupRetentionDays', 'backups.retentionDays', true),
  store('connectionRef', 'connectionRef.name'),
  store('cpu', 'resources.requests.cpu'),
  store('memory', 'resources.requests.memory'),
  store('runOnTags.[]', 'runOn.tags.[]', true),
  logical('environment', 'environment', true),
  logical('database', 'databaseName'),
  logical('connectionLimit', 'connectionLimit', true),
  logical('backups', 'backups.enabled', true),
  logical('backupRetentionDays', 'backups.retentionDays', true),
  cloud('provider', 'provider', true),
  cloud('region'),
  cloud('organization'),
  project('displayName'),
  project('environments.[]', 'environments.[]', true),
  project('region'),
  compliance('requiredTags.[]', 'requiredTags.[]', true),
  network('isolation', 'network.isolation', true),
  variable('name', 'sharedVariables.[].name', true),
  variable('environment', 'sharedVariables.[].environment', true),
  variable('value', 'sharedVariables.[].value', undefined, ofRecord),
  webhook('url', 'webhooks.[].url', undefined, webAddress),
  webhook('event.[]', 'webhooks.[].events.[]', true),
  webhook('disabled', 'webhooks.[].disabled', true),
  pullRequests('enabled', 'pullRequestEnvironments.enabled', true),
  pullRequests('baseEnvironment', 'pullRequestEnvironments.baseEnvironment'),
  pullRequests('maxOpen', 'pullRequestEnvironments.maxOpen', true),
  allowed('number', 'pullRequests.[].number', true),
  allowed('repository', 'pullRequests.[].repository', undefined, inLowerCase),
  allowed('commit', 'pullRequests.[].commit'),
  backups('bucket', 'backupStorage.bucket'),
  backups('region', 'backupStorage.region'),
  domain('rootDomain', 'rootDomain', true),
  domain('dashboardURL'),
  domain('dashboardExposure', 'dashboardExposure', true),
  registry('repository', 'registry.repository'),
  zone('zoneId', 'cloudflareZoneID'),
]

/** Groups of operations, and the record whose fields they write. */
const records: Readonly<Record<string, z.core.$ZodType>> = {
  apps: appSpec,
  databases: databaseSpec,
  'logical-databases': logicalDatabaseSpec,
  'object-stores': objectStoreSpec,
  'cloud-connections': cloudConnectionSpec,
  projects: projectSpec,
  settings: platformConfigSpec,
}

/** Fields that write no field of the record, although it has one of that name. */
const others: Readonly<Record<string, string>> = {
  name: 'names the record itself, or a thing of it that is looked for',
  project: 'names a project, which is looked for',
  allowFromProjects: 'names projects, which are looked for',
  archive: 'names a backup, which is looked for',
  id: 'names a webhook, which is looked for; of a new one svc chooses it',
  key: 'names a variable: the pattern is the same for its name',
  'apps.invoke path': 'is the path of one call',
  'apps.schedule-run schedule': 'names a schedule, which is looked for',
}

/** Fields of what callers send that a record has by the same name. */
function twins(): { group: string; operation: string; field: string }[] {
  return Object.entries(operations).flatMap(([operation, { params, v1, dashboard }]: [string, Operation]) => {
    const [group = ''] = operation.split('.')
    const record = records[group]
    if (record === undefined || [v1, dashboard].every((route) => route === undefined || route.method === 'GET'))
      return []
    const names = new Set(fieldsOf(record).map(lastName))
    return fieldsOf(params)
      .filter((field) => names.has(lastName(field)))
      .map((field) => ({ group, operation, field }))
  })
}

const lastName = (path: string): string =>
  path
    .replaceAll(/\.\[\]|\.\{\}/g, '')
    .split('.')
    .at(-1) ?? ''

const same = (value: unknown): unknown => value

describe('a field of the contract and of a record', () => {
  for (const { operation, field, record, at, both, as = same } of shared) {
    it(`agree: ${operation} ${field} and spec.${at}`, () => {
      const asked = fieldAt(operations[operation].params, field)
      const kept = fieldAt(record, at)
      let seen = 0
      fc.assert(
        fc.property(values, (value) => {
          const taken = asked.safeParse(value)
          const written = taken.success ? as(taken.data) : undefined
          // An empty text counts as absent and is not written.
          if (written !== undefined && written !== '') {
            seen += 1
            expect(kept.safeParse(written).success, JSON.stringify(written)).to.equal(true)
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

  it('has a row here where the record has one of that name', () => {
    const rows = new Set(shared.map(({ operation, field }) => `${operation.split('.')[0]} ${field}`))
    const missing = twins().filter(
      ({ group, operation, field }) =>
        !rows.has(`${group} ${field}`) && ![lastName(field), `${operation} ${field}`].some((name) => name in others),
    )
    expect(missing.map(({ operation, field }) => `${operation} ${field}`)).to.deep.equal([])
  })

  it('has a reason for every name that has no row', () => {
    const names = twins().flatMap(({ operation, field }) => [lastName(field), `${operation} ${field}`])
    expect(Object.keys(others).filter((name) => !names.includes(name))).to.deep.equal([])
  })
})
