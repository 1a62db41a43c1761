/** Creates one resource of a template as a draft, unless it exists; each step may be repeated. */
import { randomBytes } from 'node:crypto'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { servicePort } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { withSettings } from '../../kinds/apps/spec/settings.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { TemplateDatabase, TemplateService } from '../../kinds/templates/template.ts'
import { createDraft, newSpec } from '../../records/apps/create-draft.ts'
import { secretNames, setSecret } from '../../records/apps/secrets.ts'
import { createDatabase, newDatabaseSpec } from '../../records/databases/create-database.ts'
import type { Place } from '../../records/place/place.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { Plan } from '../../records/templates/plan.ts'
import type { Writes } from '../context/writes.ts'
import { defined } from '../../contract/defined.ts'

/** Random bytes of a secret variable: 256 bits. */
const secretBytes = 32

export async function makeDatabase(
  writes: Writes,
  place: Place,
  { engine, storageSize }: TemplateDatabase,
  name: string,
): Promise<void> {
  const spec = newDatabaseSpec({
    ...place,
    engine,
    placement: 'InCluster',
    ...defined({ storageSize }),
  })
  await madeOnce<Database>(writes.databases, name, place, () => createDatabase(writes, name, spec))
}

/** Existing secrets keep their values, so that a repeated request changes nothing that an earlier one made. */
export async function makeService(
  writes: Writes,
  place: Place,
  service: TemplateService,
  name: string,
  plan: Plan,
): Promise<void> {
  const app = await madeOnce<App>(writes.apps, name, place, () =>
    createDraft(writes, name, specOf(place, service, plan)),
  )
  const there = await secretNames(writes, app)
  for (const key of service.secrets)
    if (!there.includes(key)) await setSecret(writes, app, key, randomBytes(secretBytes).toString('hex'))
}

function specOf(
  place: Place,
  {
    image,
    port = servicePort.default,
    function: code,
    cpu,
    memory,
    args,
    readinessPath,
    config,
    references,
  }: TemplateService,
  plan: Plan,
): AppSpec {
  const size = { ...defined({ cpu, memory }) }
  const source =
    code === undefined ? { source: 'image' as const, ...defined({ image }) } : { source: 'function' as const, ...code }
  const bare = newSpec({ ...place, ...source, port, ...size })
  const spec = withSettings(bare, {
    ...defined({ args, readinessPath }),
  })
  const env = Object.entries(references).map(([name, { from, key }]) => ({
    name,
    valueFrom: { secretKeyRef: { name: connectionSecretName(plan[from] ?? from), key } },
  }))
  return { ...spec, configData: { ...config }, env }
}

/**
 * Creates the record, or finds the one that another call of the same request has just created. Throws Problem for a
 * record that is being deleted or belongs to another place.
 */
async function madeOnce<T extends KubeObject & { spec: Place }>(
  store: RecordStore<T>,
  name: string,
  place: Place,
  create: () => Promise<T>,
): Promise<T> {
  const there = ours(await store.readLive(name), place)
  if (there !== undefined) return there
  try {
    return await create()
  } catch (error) {
    const made = ours(await store.readLive(name), place)
    if (made === undefined) throw error
    return made
  }
}

function ours<T extends KubeObject & { spec: Place }>(
  record: T | undefined,
  { project, environment }: Place,
): T | undefined {
  if (record === undefined) return undefined
  const { name, deletionTimestamp } = record.metadata
  if (deletionTimestamp !== undefined) throw refuse(`${name} is still being deleted; try again in a moment`)
  if (record.spec.project !== project || record.spec.environment !== environment)
    throw refuse(`the name ${name} is already used`)
  return record
}
