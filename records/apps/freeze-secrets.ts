/**
 * Freezes the secret values of a release, so that an undeployed edit never reaches a pod
 * (docs/reference/deployments.md#releases).
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { encoded } from '../../cluster/objects/secret-data.ts'
import { refuse } from '../../contract/problem.ts'
import { valueAt } from '../../contract/fields/value-at.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { anyOf, isHandMadeFor, isMadeFor, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { sharedIn } from '../../kinds/projects/shared-variables.ts'
import { findNamedSecret, readNamedSecret, removeNamed } from '../secrets/named-secret.ts'
import { readVariables } from './variables-secret.ts'

type Secret = Sent<V1Secret>

/**
 * Writes the immutable Secret `<record>` in svc-system with the service's secret variables and its share of the
 * project's variables; a service's own variable of the same name wins. Returns its name, or undefined when there is
 * nothing to freeze. Repeating it for the same record is harmless. Throws Problem invalid_request for a reference to a
 * Secret that is not the record's.
 */
export async function freezeSecrets(
  client: ClusterClient,
  app: App,
  readProject: () => Promise<Project | undefined>,
  record: string,
): Promise<string | undefined> {
  const reading = readProject()
  const [project, own] = await Promise.all([reading, readVariables(client, app, reading)])
  const taken = new Set([
    ...Object.keys(app.spec.configData),
    ...app.spec.env.map((entry) => entry.name),
    ...Object.keys(own),
  ])
  const shared = project === undefined ? {} : await sharedValues(client, app, project, taken)
  const data = { ...shared, ...own }
  if (Object.keys(data).length === 0) return undefined
  const { uid = '' } = app.metadata
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: record,
      namespace: systemNamespace,
      labels: {
        ...ownedLabels({ name: app.metadata.name, uid, project: app.spec.project, environment: app.spec.environment }),
        [labels.purpose]: secretPurposes.release,
      },
    },
    type: 'Opaque',
    immutable: true,
    data,
  }
  try {
    await client.create(coreTypes.secret, secret)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    if ((await readRelease(client, app, record)) === undefined)
      throw refuse(`the name ${record} is already used by another Secret; deploy again`)
  }
  return record
}

/** What was frozen for a deploy of this very service; undefined where it is gone, or is another's. */
export function readRelease(
  client: ClusterClient,
  { metadata: { uid } }: Pick<App, 'metadata'>,
  release: string,
): Promise<Secret | undefined> {
  return readNamedSecret(client, release, isMadeFor(uid, secretPurposes.release))
}

/**
 * What of a service's record decides what is frozen: when it changed before the deploy is written, what was frozen may
 * be old.
 */
export function freezeKey({ metadata, spec }: App): string {
  const { secretRef, configData, env, sharedVariableRefs, project, environment } = spec
  const names = [Object.keys(configData), env.map((entry) => entry.name)]
  return canonical([
    metadata.annotations?.[annotations.secretEdit],
    secretRef,
    names,
    sharedVariableRefs,
    project,
    environment,
  ])
}

/** Takes back what was frozen for a deploy that was not accepted, or that nothing goes back to any more. */
export async function discardRelease(
  client: ClusterClient,
  { metadata: { uid } }: Pick<App, 'metadata'>,
  release: string,
): Promise<void> {
  await removeNamed(client, coreTypes.secret, release, isMadeFor(uid, secretPurposes.release))
}

/** The project's variables for this environment that the service takes: all of them unless it names some. */
function sharedWith({ spec }: Pick<App, 'spec'>, project: Project): Project['spec']['sharedVariables'] {
  const { environment, sharedVariableRefs: wanted } = spec
  return sharedIn(project.spec, environment).filter(({ name }) => wanted.length === 0 || wanted.includes(name))
}

/** Whether the service takes a shared variable of the project. */
export const takesShared = (app: Pick<App, 'spec'>, project: Project | undefined): boolean =>
  project !== undefined && sharedWith(app, project).length > 0

async function sharedValues(
  client: ClusterClient,
  app: App,
  project: Project,
  taken: ReadonlySet<string>,
): Promise<Record<string, string>> {
  const mine = sharedWith(app, project).filter(({ name }) => !taken.has(name))
  const values: Record<string, string> = {}
  for (const variable of mine) {
    if (variable.secretRef !== undefined) {
      const { name, key } = variable.secretRef
      const value = valueAt((await sharedSecret(client, project, name, variable.name))?.data, key)
      if (value !== undefined) values[variable.name] = value
    } else values[variable.name] = encoded(variable.value ?? '')
  }
  return values
}

/** Throws Problem invalid_request: a deploy without a variable that the project names would only fail later. */
async function sharedSecret(
  client: ClusterClient,
  project: Project,
  name: string,
  variable: string,
): Promise<Secret | undefined> {
  const mayUse = anyOf(isMadeFor(project.metadata.uid, secretPurposes.shared), isHandMadeFor(project.metadata.name))
  const { secret, foreign } = await findNamedSecret(client, name, mayUse)
  if (foreign === undefined) return secret
  throw refuse(
    `the shared variable ${variable} names a Secret that is not this project's: label the Secret ${name} with ${labels.project}=${project.metadata.name}`,
  )
}
