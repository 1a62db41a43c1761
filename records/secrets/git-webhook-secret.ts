/**
 * The secret that a git server signs its deliveries for one service with: a Secret of its own in svc-system, which goes
 * with the service (docs/reference/githost.md#other-git-servers).
 */
import { randomBytes } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { textAt } from '../../cluster/objects/secret-data.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { gitWebhookSecretName } from '../../kinds/apps/names.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { type AppSecret, readAppSecret, writeAppSecret } from './app-secret.ts'

const key = 'secret'
const secretBytes = 32

/**
 * Makes it or replaces it, in one write: from its end on only the new secret is kept. 64 hexadecimal characters, which
 * every form of a git server takes. Throws Problem invalid_request where something else has its name.
 */
export async function rotateGitWebhookSecret(client: ClusterClient, app: App): Promise<string> {
  const secret = randomBytes(secretBytes).toString('hex')
  await writeAppSecret(client, app, secretOf(app), { [key]: secret })
  return secret
}

/** Live: it is not watched. Undefined when there is none. */
export async function readGitWebhookSecret(client: ClusterClient, app: App): Promise<string | undefined> {
  return textAt(await readAppSecret(client, app, secretOf(app)), key)
}

const secretOf = ({ metadata: { name } }: App): AppSecret => ({
  name: gitWebhookSecretName(name),
  purpose: secretPurposes.gitWebhook,
})
