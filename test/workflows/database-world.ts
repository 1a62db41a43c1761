/** Makes the databases of the tests and reads what exists for them on the cluster. */
import { randomBytes } from 'node:crypto'
import type { V1PersistentVolumeClaim, V1Secret, V1StatefulSet } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { databaseState } from '../../kinds/databases/draft.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { type TestRecords, until } from '../harness/records.ts'

/** A database as kubectl makes one: deployed from the start unless the spec says otherwise. */
export function createDatabase(
  { databases }: TestRecords,
  project: Project | undefined,
  spec: object = {},
  name = `db-${randomBytes(4).toString('hex')}`,
): Promise<Database> {
  const place = project === undefined ? {} : { project: project.metadata.name, environment: 'production' }
  return databases.create({
    apiVersion,
    kind: resourceTypes.database.kind,
    metadata: { name, namespace: systemNamespace },
    spec: databaseSpec.parse({ ...place, deploy: { enabled: true }, ...spec }),
  })
}

export const untilState = ({ databases }: TestRecords, database: Database, state: string): Promise<Database> =>
  until(databases, database, (record) => record !== undefined && databaseState(record).state === state, state)

export const untilSaid = (
  { databases }: TestRecords,
  database: Database,
  message: string,
  reason?: string,
): Promise<Database> =>
  until(
    databases,
    database,
    (record) => {
      const ready = readyOf(record?.status?.conditions)
      return ready?.message === message && (reason === undefined || ready.reason === reason)
    },
    message,
  )

export const untilGone = ({ databases }: TestRecords, database: Database): Promise<Database> =>
  until(databases, database, (record) => record === undefined || record.metadata.uid !== database.metadata.uid, 'gone')

/** Past the api, as `kubectl edit` does. */
export const edit = (
  { databases }: TestRecords,
  { metadata }: Database,
  change: object,
): Promise<Database | undefined> =>
  databases.edit(metadata.name, (current) => ({ ...current, spec: { ...current.spec, ...change } }))

export const remove = ({ databases }: TestRecords, { metadata }: Database): Promise<boolean> =>
  databases.remove(metadata.name, metadata.uid ?? '')

/** As `kubectl annotate sdb/NAME svc.dev/retry=...` does. */
export const retry = ({ databases }: TestRecords, { metadata }: Database): Promise<Database | undefined> =>
  databases.edit(metadata.name, (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      annotations: { ...current.metadata.annotations, [annotations.retry]: randomBytes(4).toString('hex') },
    },
  }))

const inHome = <T extends KubeObject>(
  { client }: TestRecords,
  database: Database,
  type: ResourceType,
  name: string,
): Promise<T | undefined> => client.get<T>({ type, namespace: homeOf(database.spec), name })

export const liveSet = (records: TestRecords, database: Database) =>
  inHome<Sent<V1StatefulSet>>(records, database, coreTypes.statefulSet, database.metadata.name)

export const liveVolume = (records: TestRecords, database: Database) =>
  inHome<Sent<V1PersistentVolumeClaim>>(
    records,
    database,
    coreTypes.persistentVolumeClaim,
    `data-${database.metadata.name}-0`,
  )

/** The texts of a Secret beside the server, undefined when the Secret does not exist. */
export async function secretTexts(
  records: TestRecords,
  database: Database,
  suffix: string,
): Promise<Record<string, string> | undefined> {
  const secret = await inHome<Sent<V1Secret>>(
    records,
    database,
    coreTypes.secret,
    `${database.metadata.name}-${suffix}`,
  )
  if (secret === undefined) return undefined
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  )
}

const parts = [
  coreTypes.statefulSet,
  coreTypes.service,
  coreTypes.persistentVolumeClaim,
  coreTypes.secret,
  coreTypes.serviceAccount,
  coreTypes.pod,
]

/** `Kind name` of every object that carries the database's uid, sorted. */
export async function ownedBy({ client }: TestRecords, database: Database): Promise<string[]> {
  const query = {
    namespace: homeOf(database.spec),
    labelSelector: `${labels.owner}=${database.metadata.uid ?? ''}`,
    metadataOnly: true,
  }
  const found = await Promise.all(
    parts.map(async (type) =>
      (await client.list(type, query)).items.map(({ metadata }) => `${type.kind} ${metadata.name}`),
    ),
  )
  return found.flat().sort()
}

/** The messages of the Events on a record with this reason, oldest first. */
export async function eventsOf({ client }: TestRecords, { metadata }: KubeObject, reason: string): Promise<string[]> {
  const { items } = await client.list<
    KubeObject & { involvedObject?: { uid?: string }; reason?: string; message?: string }
  >(coreTypes.event, {
    namespace: systemNamespace,
  })
  return items
    .filter((event) => event.involvedObject?.uid === metadata.uid && event.reason === reason)
    .map(({ message = '' }) => message)
}
