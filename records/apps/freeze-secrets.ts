/** Freezes the secret values of a release, so that an undeployed edit never reaches a pod (design, State). */

import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/errors.ts'
import type { Sent } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { annotations, labels } from '../../kinds/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { draftSecretName, ownedLabels } from '../../kinds/apps/names.ts'
import { canonical } from '../../kinds/digest.ts'
import { systemNamespace } from '../../kinds/group.ts'
import type { Project } from '../../kinds/projects/kind.ts'

type Secret = Sent<V1Secret>

/**
 * Writes the immutable Secret `<record>` in svc-system with the service's secret variables and its share of the project's
 * variables; a service's own variable of the same name wins. Returns its name, or undefined when there is nothing to freeze.
 * Repeating it for the same record is harmless.
 */
export async function freezeSecrets(
  client: ClusterClient,
  app: App,
  readProject: () => Promise<Project | undefined>,
  record: string,
): Promise<string | undefined> {
  const [own, project] = await Promise.all([dataOf(client, app.spec.secretRef?.name ?? draftSecretName(app.metadata.name), app.metadata.uid), readProject()])
  const taken = new Set([...Object.keys(app.spec.configData), ...app.spec.env.map((entry) => entry.name), ...Object.keys(own)])
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
      labels: { ...ownedLabels({ name: app.metadata.name, uid, project: app.spec.project, environment: app.spec.environment }), [labels.purpose]: 'release' },
    },
    type: 'Opaque',
    immutable: true,
    data,
  }
  try {
    await client.create(coreTypes.secret, secret)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
  return record
}

/** What of a service's record decides what is frozen: when it changed before the deploy is written, what was frozen may be old. */
export function freezes({ metadata, spec }: App): string {
  const { secretRef, configData, env, sharedVariableRefs, project, environment } = spec
  const names = [Object.keys(configData), env.map((entry) => entry.name)]
  return canonical([metadata.annotations?.[annotations.secretEdit], secretRef, names, sharedVariableRefs, project, environment])
}

/** Takes back what was frozen for a deploy that was not accepted. */
export async function discardRelease(client: ClusterClient, release: string): Promise<void> {
  await client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: release })
}

/** Empty when the Secret belongs to another service, e.g. one of the same name that was deleted a moment ago. */
async function dataOf(client: ClusterClient, name: string, owner?: string): Promise<Record<string, string>> {
  const secret = await client.get<Secret>({ type: coreTypes.secret, namespace: systemNamespace, name })
  const label = secret?.metadata.labels?.[labels.owner]
  if (owner !== undefined && label !== undefined && label !== owner) return {}
  return secret?.data ?? {}
}

/** The project's variables for this environment that the service takes: all of them unless it names some. */
async function sharedValues(client: ClusterClient, app: App, project: Project, taken: ReadonlySet<string>): Promise<Record<string, string>> {
  const wanted = app.spec.sharedVariableRefs
  const mine = project.spec.sharedVariables.filter(
    (variable) =>
      (variable.environment === '' || variable.environment === app.spec.environment) &&
      (wanted.length === 0 || wanted.includes(variable.name)) &&
      !taken.has(variable.name),
  )
  const values: Record<string, string> = {}
  // One for every environment first, so that the one of this environment wins.
  for (const variable of [...mine].sort((a, b) => a.environment.length - b.environment.length)) {
    if (variable.secretRef !== undefined) {
      const value = (await dataOf(client, variable.secretRef.name))[variable.secretRef.key]
      if (value !== undefined) values[variable.name] = value
    } else values[variable.name] = Buffer.from(variable.value ?? '').toString('base64')
  }
  return values
}
