/** A Secret in svc-system that svc makes for one service, under a name of its own, and removes with it. */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf } from '../../cluster/objects/secret-data.ts'
import { refuse } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { anyOf, isLeftBy, isMadeFor, type secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { findNamedSecret, readNamedSecret, removeNamed } from './named-secret.ts'

type Secret = Sent<V1Secret>

/** Identifies one Secret of a service. */
export interface AppSecret {
  name: string
  purpose: (typeof secretPurposes)[keyof typeof secretPurposes]
}

const manager = 'svc-api'

/** Creates or replaces the Secret, in one write. Throws Problem invalid_request where another owner has its name. */
export async function writeAppSecret(
  client: ClusterClient,
  app: App,
  { name, purpose }: AppSecret,
  texts: Readonly<Record<string, string>>,
): Promise<void> {
  const { name: service, uid = '' } = app.metadata
  const { project, environment } = app.spec
  const mayReplace = anyOf(isMadeFor(uid, purpose), isLeftBy(service, purpose))
  if ((await findNamedSecret(client, name, mayReplace)).foreign !== undefined)
    throw refuse(`the Secret ${name} was not made for this service; remove it`)
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { ...ownedLabels({ name: service, uid, project, environment }), [labels.purpose]: purpose },
    },
    type: 'Opaque',
    data: dataOf(texts),
  }
  await client.apply<Secret>(coreTypes.secret, object, { manager, force: true })
}

/** Read live, since no cache has it. Undefined when it does not exist. */
export const readAppSecret = (
  client: ClusterClient,
  { metadata: { uid } }: App,
  { name, purpose }: AppSecret,
): Promise<Secret | undefined> => readNamedSecret(client, name, isMadeFor(uid, purpose))

/** False where the Secret did not exist. */
export const removeAppSecret = (
  client: ClusterClient,
  { metadata: { uid } }: App,
  { name, purpose }: AppSecret,
): Promise<boolean> => removeNamed(client, coreTypes.secret, name, isMadeFor(uid, purpose))
