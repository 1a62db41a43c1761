/**
 * Variables that the services of a project share: plain ones in its record, secret ones in the Secret
 * `<project>-shared`.
 */
import type { V1Secret } from '@kubernetes/client-node'
import { secretVariablesBytes } from '../../contract/limits.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from '../store/retry.ts'
import { encoded } from '../../cluster/objects/secret-data.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { variablesMax } from '../../kinds/meta/bounds.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project, ProjectSpec } from '../../kinds/projects/kind.ts'
import { findNamedSecret } from '../secrets/named-secret.ts'
import { editProject, type ProjectNeeds } from './edit-project.ts'
import { refuseUnknownEnvironment } from '../place/project-environment.ts'

type Secret = Sent<V1Secret>
type Shared = ProjectSpec['sharedVariables'][number]

export interface VariableNeeds extends ProjectNeeds {
  client: ClusterClient
  now: () => Date
}

export interface SharedVariable {
  name: string
  /** Empty means every environment. */
  environment: string
  value: string
  /** Undefined keeps what the variable is: a stored secret does not become plain because a field was left out. */
  secret: boolean | undefined
}

/**
 * Creates or updates a variable. The value of a secret is written before the record refers to it, and removed after the
 * record no longer does: a crash in between leaves an unused value. Throws Problem not_found, invalid_request.
 */
export async function saveSharedVariable(
  needs: VariableNeeds,
  name: string,
  variable: SharedVariable,
  ifMatch?: string,
): Promise<Project> {
  // This edit writes nothing and therefore reads the live record, so a stale cache does not decide whether the variable
  // is secret.
  const project = await editProject(needs, name, (current) => refuseUnsavable(current, variable), ifMatch)
  const known = project.spec.sharedVariables.find(isSame(variable))
  const secret = variable.secret ?? known?.secretRef !== undefined
  if (secret) await writeValue(needs, project, variable, variable.value)
  const entry: Shared = {
    name: variable.name,
    environment: variable.environment,
    ...(secret
      ? { secretRef: { name: sharedSecretName(name), key: variableKey(variable) } }
      : { value: variable.value }),
  }
  const saved = await editProject(
    needs,
    name,
    (current) => {
      refuseElsewhere(current, variable)
      const { sharedVariables } = current.spec
      const there = sharedVariables.some(isSame(variable))
      return {
        ...current.spec,
        sharedVariables: there
          ? sharedVariables.map((each) => (isSame(variable)(each) ? entry : each))
          : [...sharedVariables, entry],
      }
    },
    ifMatch,
  )
  // Written once more: a concurrent deletion of the variable then finds a newer Secret than the one it read.
  if (secret) await writeValue(needs, project, variable, variable.value)
  else if (known?.secretRef !== undefined) await dropValue(needs, project, variable)
  return saved
}

/** Deletes a variable; harmless where it does not exist. */
export async function deleteSharedVariable(
  needs: VariableNeeds,
  name: string,
  variable: Pick<SharedVariable, 'name' | 'environment'>,
  ifMatch?: string,
): Promise<Project> {
  const saved = await editProject(
    needs,
    name,
    ({ spec }) => ({ ...spec, sharedVariables: spec.sharedVariables.filter((each) => !isSame(variable)(each)) }),
    ifMatch,
  )
  await dropValue(needs, saved, variable)
  return saved
}

export function sharedSecretName(project: string): string {
  return `${project}-shared`
}

type Named = Pick<SharedVariable, 'name' | 'environment'>

const isSame =
  ({ name, environment }: Named) =>
  (each: Shared): boolean =>
    each.name === name && each.environment === environment

/** Environment names are DNS labels, so none begins with an underscore. */
const variableKey = ({ name, environment }: Named): string => `${environment === '' ? '_every' : environment}.${name}`

function refuseElsewhere(project: Project, { environment }: Named): void {
  if (environment !== '') refuseUnknownEnvironment(project, environment)
}

/** Throws the refusals of the second write before the value is written; returns the spec unchanged. */
function refuseUnsavable(project: Project, variable: Named): ProjectSpec {
  refuseElsewhere(project, variable)
  const { sharedVariables } = project.spec
  const fits = sharedVariables.length < variablesMax || sharedVariables.some(isSame(variable))
  if (!fits) throw refuse(`a project can have at most ${variablesMax} shared variables`)
  return project.spec
}

/** Writes the value into the Secret; conditional and repeated, so that two editors lose nothing. */
async function writeValue(
  { client, now }: VariableNeeds,
  project: Project,
  variable: Named,
  value: string,
): Promise<void> {
  await editShared(client, project, async (current) => {
    const data = { ...current?.data, [variableKey(variable)]: encoded(value) }
    const size = Object.values(data).reduce((sum, text) => sum + text.length, 0)
    if (size > secretVariablesBytes)
      throw refuse(`the secret variables of a project together must be at most ${secretVariablesBytes / 1024} KiB`)
    return written(current === undefined ? sharedSecret(project, data) : { ...current, data }, now())
  })
}

/**
 * Removes the value, unless the variable is a secret again by now: the record is read after the Secret that is
 * replaced.
 */
async function dropValue({ client, projects, now }: VariableNeeds, project: Project, variable: Named): Promise<void> {
  await editShared(client, project, async (current) => {
    const { [variableKey(variable)]: value, ...data } = current?.data ?? {}
    if (current === undefined || value === undefined) return undefined
    const live = await projects.readLive(project.metadata.name)
    const used =
      live?.spec.sharedVariables.some((each) => isSame(variable)(each) && each.secretRef !== undefined) === true
    return used ? undefined : written({ ...current, data }, now())
  })
}

/** `change` decides anew on every version of the Secret; undefined writes nothing. */
async function editShared(
  client: ClusterClient,
  project: Project,
  change: (current: Secret | undefined) => Promise<Secret | undefined>,
): Promise<void> {
  const decide = async () => {
    const current = await readShared(client, project)
    return { current, wanted: await change(current) }
  }
  await onConflict(perRequest, decide, async ({ current, wanted }) => {
    if (wanted === undefined) return
    await (current === undefined ? client.create(coreTypes.secret, wanted) : client.replace(coreTypes.secret, wanted))
  })
}

/**
 * Throws Problem invalid_request where another owner has a Secret of this name: that owner could read values written to
 * it.
 */
async function readShared(client: ClusterClient, { metadata: { name, uid } }: Project): Promise<Secret | undefined> {
  const { secret, foreign } = await findNamedSecret(
    client,
    sharedSecretName(name),
    isMadeFor(uid, secretPurposes.shared),
  )
  if (foreign !== undefined)
    throw refuse(`the Secret ${sharedSecretName(name)} was not made for this project; remove it`)
  return secret
}

const written = (secret: Secret, at: Date): Secret => ({
  ...secret,
  metadata: {
    ...secret.metadata,
    annotations: { ...secret.metadata.annotations, [annotations.writtenAt]: at.toISOString() },
  },
})

function sharedSecret({ metadata: { name, uid = '' } }: Project, data: Record<string, string>): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: sharedSecretName(name),
      namespace: systemNamespace,
      labels: {
        [labels.managedBy]: managedBySvc,
        [labels.project]: name,
        [labels.owner]: uid,
        [labels.purpose]: secretPurposes.shared,
      },
    },
    type: 'Opaque',
    data,
  }
}
