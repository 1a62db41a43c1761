/** How a kill run creates, edits and disturbs a database, a logical database or a bucket, always as kubectl would. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { databaseRules } from '../../kinds/databases/draft.ts'
import { type Database, type DatabaseSpec, databaseSpec } from '../../kinds/databases/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { logicalDatabaseRules } from '../../kinds/logical-databases/rules.ts'
import { type LogicalDatabase, logicalDatabaseSpec } from '../../kinds/logical-databases/kind.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { storeRules } from '../../kinds/object-stores/draft.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Provisioned, ProvisionRules } from '../../kinds/provision/plan.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { TestRecords } from '../harness/records.ts'
import type { Chance } from './seeded.ts'

/** The namespace of a kill run's records, and what they refer to. */
export interface DataPlace {
  project: string
  /** A permanent postgres server, for logical databases. */
  server: string
  /** Connections to the clouds' stand-ins. */
  aws: string
  planetScale: string
  /** An external server, and the Secret with its login. */
  foreign: Pick<DatabaseSpec, 'externalHost' | 'externalPort' | 'externalUsername' | 'externalPasswordRef'>
}

export interface DataScenario<T extends Provisioned & KubeObject> {
  store: (records: TestRecords) => RecordStore<T>
  rules: ProvisionRules<T>
  make: (name: string, place: DataPlace) => T
  /** Changes the record's settings; undefined where a kind has no settings. */
  edit?: (record: T, chance: Chance) => T
  /**
   * Whether a lost connection Secret is restored with the same login. A cloud returns the secret of a key only once, so
   * there another key is made.
   */
  keepsLogin: boolean
  /** Objects that svc must restore when they are deleted by hand: their names within the namespace of the record. */
  losable: (name: string) => readonly { type: ResourceType; name: string }[]
}

const metadata = (name: string) => ({ name, namespace: systemNamespace })
const production = 'production'
const connection = (name: string) => ({ type: coreTypes.secret, name: connectionSecretName(name) })

/** A record as kubectl sends it. */
const record = <Spec>(type: ResourceType, name: string, spec: Spec) => ({
  apiVersion,
  kind: type.kind,
  metadata: metadata(name),
  spec,
})

export function postgresRecord(name: string, project: string, environment = production): Database {
  return record(
    resourceTypes.database,
    name,
    databaseSpec.parse({ project, environment, engine: 'postgres', storageSize: '1Gi', deploy: { enabled: true } }),
  )
}

const database: DataScenario<Database> = {
  store: ({ databases }) => databases,
  rules: databaseRules,
  make: (name, { project }) => postgresRecord(name, project),
  edit: (found, chance) => ({
    ...found,
    spec: { ...found.spec, resources: { requests: { cpu: `${100 + chance.whole(9) * 10}m`, memory: '128Mi' } } },
  }),
  keepsLogin: true,
  losable: (name) => [connection(name), { type: coreTypes.statefulSet, name }],
}

const logicalDatabase: DataScenario<LogicalDatabase> = {
  store: ({ logicalDatabases }) => logicalDatabases,
  rules: logicalDatabaseRules,
  make: (name, { project, server }) =>
    record(
      resourceTypes.logicalDatabase,
      name,
      logicalDatabaseSpec.parse({
        project,
        environment: production,
        serverRef: server,
        databaseName: name.replaceAll('-', '_'),
      }),
    ),
  keepsLogin: true,
  losable: (name) => [connection(name)],
}

/**
 * moto, unlike AWS, gives the tags of a deleted bucket to the next one of the same name: each record has its own name.
 */
let remoteMade = 0

const buckets = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`)

/** A bucket on the object server of the cluster. */
export function bucketRecord(name: string, project: string, environment = production): ObjectStore {
  const spec = { project, environment, engine: 'Local', buckets: buckets(name, 1), deploy: { enabled: true } }
  return record(resourceTypes.objectStore, name, objectStoreSpec.parse(spec))
}

const bucket: DataScenario<ObjectStore> = {
  store: ({ objectStores }) => objectStores,
  rules: storeRules,
  make: (name, { project }) => bucketRecord(name, project),
  edit: (found, chance) => ({
    ...found,
    spec: { ...found.spec, buckets: buckets(found.metadata.name, 1 + chance.whole(3)) },
  }),
  keepsLogin: true,
  losable: (name) => [connection(name)],
}

const remoteBucket: DataScenario<ObjectStore> = {
  ...bucket,
  keepsLogin: false,
  edit: (found, chance) => {
    const first = found.spec.buckets[0] ?? ''
    return {
      ...found,
      spec: { ...found.spec, buckets: buckets(first.slice(0, first.lastIndexOf('-')), 1 + chance.whole(3)) },
    }
  },
  make: (name, { project, aws }) =>
    record(
      resourceTypes.objectStore,
      name,
      objectStoreSpec.parse({
        project,
        environment: production,
        engine: 'Remote',
        placement: 'External',
        connectionRef: { name: aws },
        createBucket: true,
        buckets: buckets(`${name}-${(remoteMade += 1)}`, 1),
        deploy: { enabled: true },
      }),
    ),
}

/** A database outside of the cluster; `spec` gives its place. */
const elsewhere = (spec: (place: DataPlace) => object, keepsLogin: boolean): DataScenario<Database> => ({
  store: database.store,
  rules: databaseRules,
  make: (name, place) =>
    record(
      resourceTypes.database,
      name,
      databaseSpec.parse({
        project: place.project,
        environment: production,
        placement: 'External',
        deploy: { enabled: true },
        ...spec(place),
      }),
    ),
  keepsLogin,
  losable: (name) => [connection(name)],
})

const remoteDatabase = elsewhere(
  ({ planetScale }) => ({ engine: 'mysql', provider: 'PlanetScale', connectionRef: { name: planetScale } }),
  false,
)
const connectedDatabase = elsewhere(({ foreign }) => ({ engine: 'postgres', mode: 'Connect', ...foreign }), true)

export const dataScenarios = {
  database,
  logicalDatabase,
  bucket,
  remoteBucket,
  remoteDatabase,
  connectedDatabase,
} as const

export const homeOfRecord = ({ spec }: Provisioned): string => homeOf(spec)
