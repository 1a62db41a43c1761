/** The signing secret of a webhook: a Secret of its own in svc-system, so that no record, history or log has it. */
import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textAt } from '../../cluster/objects/secret-data.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { refuse } from '../../contract/problem.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isMadeFor, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { findNamedSecret, readNamedSecret, removeNamed } from './named-secret.ts'

type Secret = Sent<V1Secret>

const key = 'secret'
const manager = 'svc-api'
/** Standard Webhooks: between 24 and 64 random bytes. */
const secretBytes = 32

export const webhookSecretRef = (project: string, id: string) => ({
  type: coreTypes.secret,
  namespace: systemNamespace,
  name: `${project}-webhook-${id}`,
})

/** `whsec_` and base64. */
export const mintWebhookSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

/**
 * Creates or replaces the Secret, in one write that may be repeated. Throws Problem invalid_request where another owner
 * has its name.
 */
export async function writeWebhookSecret(
  client: ClusterClient,
  owner: Project,
  id: string,
  secret: string,
): Promise<void> {
  const { name: project, uid = '' } = owner.metadata
  const { name, namespace } = webhookSecretRef(project, id)
  if ((await findNamedSecret(client, name, isOwn(owner))).foreign !== undefined)
    throw refuse(`the Secret ${name} was not made for this project; remove it`)
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: {
        [labels.managedBy]: managedBySvc,
        [labels.project]: project,
        [labels.owner]: uid,
        [labels.purpose]: secretPurposes.webhook,
        [labels.webhook]: id,
      },
    },
    type: 'Opaque',
    data: dataOf({ [key]: secret }),
  }
  await client.apply<Secret>(coreTypes.secret, object, { manager, force: true })
}

/** Read live, since no cache has it. Undefined when it does not exist. */
export async function readWebhookSecret(
  client: ClusterClient,
  project: Project,
  id: string,
): Promise<string | undefined> {
  return textAt(await readNamedSecret(client, webhookSecretRef(project.metadata.name, id).name, isOwn(project)), key)
}

/** Deletes the Secret; harmless where it does not exist or belongs to another owner. */
export async function removeWebhookSecret(client: ClusterClient, project: Project, id: string): Promise<void> {
  await removeNamed(client, coreTypes.secret, webhookSecretRef(project.metadata.name, id).name, isOwn(project))
}

const isOwn = ({ metadata: { uid } }: Project) => isMadeFor(uid, secretPurposes.webhook)
