/**
 * The secret with which a git server signs its deliveries for one service: a Secret of its own in svc-system, removed
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
 * Creates or replaces the secret, in one write; the former one is invalid from then on. It has 64 hexadecimal
 * characters, which the forms of all git servers accept. Throws Problem invalid_request where another owner has the
 * name of the Secret.
 */
export async function rotateGitWebhookSecret(client: ClusterClient, app: App): Promise<string> {
  const secret = randomBytes(secretBytes).toString('hex')
  await writeAppSecret(client, app, secretOf(app), { [key]: secret })
  return secret
}

/** Read live, since no cache has it. Undefined when it does not exist. */
export async function readGitWebhookSecret(client: ClusterClient, app: App): Promise<string | undefined> {
  return textAt(await readAppSecret(client, app, secretOf(app)), key)
}

const secretOf = ({ metadata: { name } }: App): AppSecret => ({
  name: gitWebhookSecretName(name),
  purpose: secretPurposes.gitWebhook,
})
