/** Attaches a database or bucket: variables of the service that refer to its connection secret. */
import { Problem, refuse } from '../../contract/problem.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { type EditNeeds, editSpec } from './edit-app.ts'
import { type NameNeeds, secretNames } from './secrets.ts'

export type Attachable =
  | { kind: 'database'; record: Database | LogicalDatabase | undefined }
  | { kind: 'object-store'; record: ObjectStore | undefined }

/**
 * Variable name to the key of the connection secret `<name>-connection`
 * (docs/reference/services.md#attaching-a-resource).
 */
const bucketVariables = {
  OBJ_ENDPOINT: 'endpoint',
  OBJ_ACCESS_KEY_ID: 'accessKey',
  OBJ_SECRET_ACCESS_KEY: 'secretKey',
  OBJ_BUCKET: 'bucket',
}

/**
 * Harmless to repeat. Throws Problem not_found when the resource is not in the service's environment, and
 * invalid_request with the name of the variable when the service has a plain or secret variable of that name.
 */
export async function attach(needs: NameNeeds & EditNeeds, app: App, what: Attachable, ifMatch?: string): Promise<App> {
  const { record } = what
  const noun = what.kind === 'database' ? 'database' : 'bucket'
  if (
    record === undefined ||
    record.spec.project !== app.spec.project ||
    record.spec.environment !== app.spec.environment
  ) {
    throw new Problem('not_found', `${noun} not found`)
  }
  if (record.metadata.deletionTimestamp !== undefined) throw refuse(`the ${noun} is being deleted`)
  const redis = 'engine' in record.spec && record.spec.engine === 'redis'
  const variables =
    what.kind === 'object-store' ? bucketVariables : redis ? { REDIS_URL: 'uri' } : { DATABASE_URL: 'uri' }
  const entries = Object.entries(variables).map(([name, key]) => ({
    name,
    valueFrom: { secretKeyRef: { name: connectionSecretName(record.metadata.name), key } },
  }))
  const secret = (await secretNames(needs, app)).find((name) => name in variables)
  if (secret !== undefined) throw taken(secret)
  return editSpec(needs, app.metadata.name, ({ spec }) => ({ ...spec, env: withReferences(spec, entries) }), ifMatch)
}

type Entry = AppSpec['env'][number]

function withReferences(spec: AppSpec, entries: readonly Entry[]): Entry[] {
  for (const { name } of entries) {
    const known = spec.env.find((entry) => entry.name === name)
    if (name in spec.configData || (known !== undefined && known.valueFrom === undefined)) throw taken(name)
  }
  const names = new Set(entries.map((entry) => entry.name))
  return [...spec.env.filter((entry) => !names.has(entry.name)), ...entries]
}

const taken = (name: string): Problem => refuse(`the service already has a variable named ${name}`)
