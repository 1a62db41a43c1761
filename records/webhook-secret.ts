/** The signing secret of a webhook: a Secret of its own in svc-system, so that no record, history or log ever holds it. */

import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../cluster/client.ts'
import type { Sent } from '../cluster/object.ts'
import { coreTypes } from '../cluster/resource-type.ts'
import { labels, managedBySvc } from '../kinds/annotations.ts'
import { systemNamespace } from '../kinds/group.ts'
import type { Project } from '../kinds/projects/kind.ts'

type Secret = Sent<V1Secret>

/** The value of the purpose label. */
export const webhookPurpose = 'webhook'

const key = 'secret'
const manager = 'svc-api'
/** Standard Webhooks: between 24 and 64 random bytes. */
const secretBytes = 32

export const webhookSecretRef = (project: string, id: string) => ({ type: coreTypes.secret, namespace: systemNamespace, name: `${project}-webhook-${id}` })

/** `whsec_` and base64. */
export const mintWebhookSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`

/** Makes it or replaces it, in one write that may be repeated. */
export async function writeWebhookSecret(client: ClusterClient, { metadata: { name: project, uid = '' } }: Project, id: string, secret: string): Promise<void> {
  const { name, namespace } = webhookSecretRef(project, id)
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
        [labels.purpose]: webhookPurpose,
        [labels.webhook]: id,
      },
    },
    type: 'Opaque',
    data: { [key]: Buffer.from(secret).toString('base64') },
  }
  await client.apply<Secret>(coreTypes.secret, object, { manager, force: true })
}

/** Live: it is not watched. Undefined when there is none. */
export async function readWebhookSecret(client: ClusterClient, project: string, id: string): Promise<string | undefined> {
  const value = (await client.get<Secret>(webhookSecretRef(project, id)))?.data?.[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}
