/**
 * Fields that both the contract and a record have: the record can hold, and the cluster accepts, every value that a
 * caller may send.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import type { ClusterClient } from '../../cluster/client.ts'
import { isInvalid } from '../../cluster/objects/errors.ts'
import { creationPath } from '../../cluster/objects/paths.ts'
import type { ResourceType } from '../../cluster/objects/resource-type.ts'
import { operations } from '../../contract/operations.ts'
import { appSpec } from '../../kinds/apps/kind.ts'
import { cloudConnectionSpec } from '../../kinds/cloud-connections/kind.ts'
import { databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { platformConfigSpec } from '../../kinds/platform/kind.ts'
import { projectSpec } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { useStack } from '../harness/stack.ts'

/** The type inside of optional, default and the like; a field with a preprocessing step stays as it is. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  // Every wrapper has an inner type.
  return 'innerType' in schema._zod.def ? bare(schema._zod.def.innerType as z.core.$ZodType) : schema
}

/** The field at a path such as `source.git.branch`; `[]` is an item of a list. */
function fieldAt(schema: z.core.$ZodType, path: string): z.ZodType {
  let at = bare(schema)
  for (const name of path.split('.')) {
    const item = name === '[]' && at instanceof z.ZodArray ? at.element : undefined
    const fields: z.core.$ZodShape = at instanceof z.ZodObject ? at.shape : {}
    const next = item ?? fields[name]
    if (next === undefined) throw new Error(`there is no ${path}`)
    at = bare(next)
  }
  return at as z.ZodType // classic zod makes no other types
}

const labels = fc.stringMatching(/^[a-zA-Z0-9.-]{0,70}$/)
const digits = fc.stringMatching(/^[0-9]{1,22}$/)
const quantities = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    digits,
    fc.constantFrom('', '.', '.5', '.1234', '.0'),
    fc.stringMatching(/^[A-Za-z]{0,2}$/),
  )
  .map((parts) => parts.join(''))
const suffixes = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'K',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'ki',
  'kb',
  'e3',
  'E3',
)
const sizes = fc.tuple(fc.integer({ min: 0, max: 4096 }), suffixes).map(([count, suffix]) => `${count}${suffix}`)
const hosts = fc.array(fc.stringMatching(/^[a-z0-9-]{1,66}$/), { maxLength: 5 }).map((parts) => parts.join('.'))
const longTexts = fc.integer({ min: 0, max: 2100 }).map((length) => 'x'.repeat(length))
const paths = fc.oneof(
  fc.webPath(),
  longTexts.map((text) => `/${text}`),
)
const crons = fc
  .array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 60, size: 'max' })
  .map((minutes) => `${minutes.join(',')} 3 * * *`)
/** Longer than any text of a record may be. */
const huge = JSON.stringify('x'.repeat(70_000))
const texts = fc.oneof(
  labels,
  quantities,
  sizes,
  hosts,
  longTexts,
  paths,
  crons,
  fc.string(),
  fc.constant(huge),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.webUrl(),
  fc.emailAddress(),
  fc.constantFrom(
    '',
    '@hourly',
    'postgres',
    'mysql',
    'sqlite',
    'node',
    'python',
    'http',
    'event',
    'Remote',
    'External',
    'PlanetScale',
    'ingress',
    'cloudflare-tunnel',
    'redis',
    'bun',
    'Local',
    'AWS',
    'InCluster',
    '1.2.3.4',
    'a..b',
    'sha256:0',
    '16',
    '8.4-alpine',
  ),
)
const numbers = fc.oneof(fc.integer({ min: -2, max: 100_000 }), fc.double(), fc.integer())
const values = fc.oneof({ weight: 5, arbitrary: texts }, numbers, fc.boolean())

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

describe('a value that the contract takes', () => {
  let client: ClusterClient
  before(async () => {
    ;({ client } = await useStack())
  })

  const takes = async (type: ResourceType, spec: object): Promise<boolean> => {
    const body = { apiVersion, kind: type.kind, metadata: { name: 'shared-fields', namespace: systemNamespace }, spec }
    try {
      await client.raw('POST', creationPath(type, systemNamespace), { query: { dryRun: 'All' }, body })
      return true
    } catch (error) {
      if (isInvalid(error)) return false
      throw error
    }
  }
  const service = { project: 'proj-00000000', environment: 'production', source: { image: { image: 'nginx:1' } } }
  const bucketValues = fc.oneof(labels, hosts, fc.ipV4(), fc.constantFrom('a..b', 'abc', 'ab'))
  const rows: [
    field: string,
    values: fc.Arbitrary<string>,
    asked: z.ZodType,
    type: ResourceType,
    spec: (value: string) => object,
    both: boolean,
  ][] = [
    [
      'cpu',
      fc.oneof(quantities, sizes),
      fieldAt(operations['apps.update'].params, 'cpu'),
      resourceTypes.app,
      (cpu) => ({ ...service, resources: { requests: { cpu } } }),
      false,
    ],
    [
      'memory',
      fc.oneof(quantities, sizes),
      fieldAt(operations['apps.update'].params, 'memory'),
      resourceTypes.app,
      (memory) => ({ ...service, resources: { requests: { memory } } }),
      false,
    ],
    [
      'environment',
      labels,
      fieldAt(operations['apps.create'].params, 'environment'),
      resourceTypes.app,
      (environment) => ({ ...service, environment }),
      true,
    ],
    [
      'host',
      hosts,
      fieldAt(operations['apps.update'].params, 'host'),
      resourceTypes.app,
      (host) => ({ ...service, ingress: { host } }),
      false,
    ],
    [
      'bucket',
      bucketValues,
      fieldAt(operations['object-stores.create'].params, 'bucket'),
      resourceTypes.objectStore,
      (name) => ({ ...service, source: undefined, engine: 'Local', buckets: [name] }),
      true,
    ],
  ]
  for (const [field, candidates, asked, type, spec, both] of rows) {
    it(`is taken by the cluster: ${field}`, async function () {
      this.timeout(60_000)
      let seen = 0
      await fc.assert(
        fc.asyncProperty(candidates, async (value) => {
          const taken = asked.safeParse(value)
          if (value === '' || (!taken.success && !both)) return
          seen += taken.success ? 1 : 0
          expect(await takes(type, spec(value)), value).to.equal(taken.success)
        }),
        { numRuns: 100 },
      )
      expect(seen, 'values that were taken at all').to.be.greaterThan(2)
    })
  }
})
