/**
 * Edits the secret variables of a service. The record shows before and after an edit that values change, and never the
 * values.
 */
import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import { secretVariablesBytes } from '../../contract/limits.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { type Sent, sentVersionOf } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { crowded, onConflict } from '../store/retry.ts'
import { encoded } from '../../cluster/objects/secret-data.ts'
import { refuse } from '../../contract/problem.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { draftSecretName, ownedLabels } from '../../kinds/apps/names.ts'
import { withSpec } from '../../kinds/apps/spec/draft.ts'
import { doneSecretEdit, openSecretEdit } from '../../kinds/apps/spec/secret-edit.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import type { RecordStore } from '../store/record-store.ts'
import { type EditNeeds, editApp } from './edit-app.ts'
import { readOwnVariables, readVariables, type Values } from './variables-secret.ts'

type Secret = Sent<V1Secret>

export interface SecretNeeds extends EditNeeds {
  client: ClusterClient
  now: () => Date
}

export interface NameNeeds {
  client: ClusterClient
  projects: RecordStore<Project>
}

/** What callers may see of secret variables: their names, and the record after the edit. */
export interface SecretsEdited {
  app: App
  names: string[]
}

/** Sets one secret variable. Throws Problem not_found, invalid_request; errors never hold the value. */
export async function setSecret(needs: SecretNeeds, app: App, key: string, value: string): Promise<SecretsEdited> {
  return editSecrets(needs, app, (values) => ({ ...values, [key]: encoded(value) }))
}

/** Deletes one secret variable; harmless where it does not exist. */
export async function deleteSecret(needs: SecretNeeds, app: App, key: string): Promise<SecretsEdited> {
  return editSecrets(needs, app, (values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name !== key)),
  )
}

/**
 * The names of a service's secret variables, sorted. Throws Problem invalid_request when the record refers to a Secret
 * that it may not use.
 */
export async function secretNames({ client, projects }: NameNeeds, app: App): Promise<string[]> {
  return namesOf(await readVariables(client, app, await projects.read(app.spec.project)))
}

/**
 * 1. Mark the record (pending `variables`), 2. write the Secret, 3. mark the record again. A deploy that is accepted
 * between 1 and 3 sees one of the marks change and freezes again, or keeps `variables` pending; after a crash the mark
 * of step 1 remains.
 */
async function editSecrets(needs: SecretNeeds, app: App, change: (values: Values) => Values): Promise<SecretsEdited> {
  const { values: before } = await readOwnVariables(needs.client, app)
  // Nothing to write, but the record may have changed: the live one is checked and returned.
  if (canonical(change(before)) === canonical(before))
    return { app: (await needs.apps.edit(app.metadata.name, () => undefined)) ?? app, names: namesOf(before) }
  // Before the mark, since a refused edit would leave it behind.
  refuseTooMany(change(before))
  const id = randomBytes(6).toString('hex')
  const marked = await mark(needs, app, openSecretEdit(needs.now(), id))
  const after = await writeSecret(needs.client, marked, change)
  return { app: await mark(needs, marked, doneSecretEdit(id)), names: namesOf(after) }
}

async function mark(needs: SecretNeeds, app: App, text: string): Promise<App> {
  return editApp(needs, app.metadata.name, (current) => {
    if (current.metadata.annotations?.[annotations.secretEdit] === text) return current
    return withSpec(current, current.spec, text)
  })
}

async function writeSecret(client: ClusterClient, app: App, change: (values: Values) => Values): Promise<Values> {
  const read = () => readOwnVariables(client, app)
  return onConflict(crowded, read, async ({ values: known, current }) => {
    const values = change(known)
    refuseTooMany(values)
    const secret = secretOf(app, values)
    if (current === undefined) await client.create(coreTypes.secret, secret)
    // With new labels and owner: a Secret left by an earlier service of this name becomes this service's.
    else
      await client.replace(coreTypes.secret, { ...secret, metadata: { ...secret.metadata, ...sentVersionOf(current) } })
    return values
  })
}

function refuseTooMany(values: Values): void {
  const size = Object.values(values).reduce((sum, value) => sum + value.length, 0)
  if (size > secretVariablesBytes)
    throw refuse(`the secret variables of a service together must be at most ${secretVariablesBytes / 1024} KiB`)
}

const namesOf = (values: Values): string[] => Object.keys(values).sort()

/**
 * No owner reference: the removal of the service deletes the Secret by its labels
 * (docs/decisions/0014-no-owner-references-to-our-own-kinds.md).
 */
function secretOf(app: App, data: Values): Secret {
  const { name, uid = '' } = app.metadata
  const { project, environment } = app.spec
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: draftSecretName(name),
      namespace: systemNamespace,
      labels: { ...ownedLabels({ name, uid, project, environment }), [labels.purpose]: secretPurposes.variables },
    },
    type: 'Opaque',
    data: { ...data },
  }
}
