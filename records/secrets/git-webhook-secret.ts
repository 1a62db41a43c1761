/**
 * The secret that a git server signs its deliveries for one service with: a Secret of its own in svc-system, which goes
 * with the service (docs/reference/githost.md#other-git-servers).
 */

import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textAt } from '../../cluster/objects/secret-data.ts'
import { refuse } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { gitWebhookSecretName, ownedLabels } from '../../kinds/apps/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { anyOf, isLeftBy, isMadeFor, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { findNamedSecret, readNamedSecret } from './named-secret.ts'

type Secret = Sent<V1Secret>

const key = 'secret'
const manager = 'svc-api'
const secretBytes = 32

/**
 * Makes it or replaces it, in one write: from its end on only the new secret is kept. 64 hexadecimal characters, which
 * every form of a git server takes. Throws Problem invalid_request where something else has its name.
 */
export async function rotateGitWebhookSecret(client: ClusterClient, app: App): Promise<string> {
  const { name: service, uid = '' } = app.metadata
  const { project, environment } = app.spec
  const name = gitWebhookSecretName(service)
  const mayReplace = anyOf(isOwn(app), isLeftBy(service, secretPurposes.gitWebhook))
  if ((await findNamedSecret(client, name, mayReplace)).foreign !== undefined)
    throw refuse(`the Secret ${name} was not made for this service; remove it`)
  const secret = randomBytes(secretBytes).toString('hex')
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: systemNamespace,
      labels: {
        ...ownedLabels({ name: service, uid, project, environment }),
        [labels.purpose]: secretPurposes.gitWebhook,
      },
    },
    type: 'Opaque',
    data: dataOf({ [key]: secret }),
  }
  await client.apply<Secret>(coreTypes.secret, object, { manager, force: true })
  return secret
}

/** Live: it is not watched. Undefined when there is none. */
export async function readGitWebhookSecret(client: ClusterClient, app: App): Promise<string | undefined> {
  return textAt(await readNamedSecret(client, gitWebhookSecretName(app.metadata.name), isOwn(app)), key)
}

const isOwn = ({ metadata: { uid } }: App) => isMadeFor(uid, secretPurposes.gitWebhook)
