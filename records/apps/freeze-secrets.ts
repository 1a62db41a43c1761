/**
 * Freezes the secret values of a release, so that a pending edit never reaches a pod
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
 * Writes the immutable Secret `<record>` in svc-system with the service's secret variables and the shared variables
 * that it uses; a variable of the service wins over a shared one of the same name. Returns the name of the Secret, or
 * undefined when there is nothing to freeze. Harmless to repeat for the same record. Throws Problem invalid_request for
 * a reference to a Secret that the record may not use.
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

/** The frozen Secret of a release of this very service; undefined where it is gone or belongs to another owner. */
export function readRelease(
  client: ClusterClient,
  { metadata: { uid } }: Pick<App, 'metadata'>,
  release: string,
): Promise<Secret | undefined> {
  return readNamedSecret(client, release, isMadeFor(uid, secretPurposes.release))
}

/**
 * The fields of a record that decide what is frozen: when they change before the deploy is written, the frozen Secret
 * may be outdated.
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

/**
 * Deletes the frozen Secret of a deploy that was not accepted, or of a release that nothing can roll back to any more.
 */
export async function discardRelease(
  client: ClusterClient,
  { metadata: { uid } }: Pick<App, 'metadata'>,
  release: string,
): Promise<void> {
  await removeNamed(client, coreTypes.secret, release, isMadeFor(uid, secretPurposes.release))
}

/** The project's variables for this environment that the service uses: all of them unless the service names some. */
function sharedWith({ spec }: Pick<App, 'spec'>, project: Project): Project['spec']['sharedVariables'] {
  const { environment, sharedVariableRefs: wanted } = spec
  return sharedIn(project.spec, environment).filter(({ name }) => wanted.length === 0 || wanted.includes(name))
}

/** Whether the service uses a shared variable of the project. */
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

/**
 * Throws Problem invalid_request for a Secret that is not the project's: a deploy without that variable would only fail
 * later.
 */
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
