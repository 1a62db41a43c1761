/**
 * The key pair with which svc reads the repository of one service over ssh: a Secret of its own in svc-system, removed
 * with the service (docs/reference/builds.md#deploy-keys).
 */
import { generateKeyPairSync } from 'node:crypto'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict, isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textsOf } from '../../cluster/objects/secret-data.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { deployKeyName } from '../../kinds/apps/names.ts'
import { deployKeyFields, deployKeyPair } from '../../kinds/builds/deploy-key.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { type AppSecret, readAppSecret, removeAppSecret, writeAppSecret } from './app-secret.ts'

/** The public part of a deploy key. */
export interface DeployKey {
  /** One line, as a git server takes it. */
  publicKey: string
  /** The text of a known_hosts file; '' until a build has read the repository with this key. */
  hosts: string
}

/**
 * Creates or replaces the key, in one write that also clears its known hosts. Throws Problem invalid_request where
 * another owner has the name of the Secret.
 */
export async function rotateDeployKey(client: ClusterClient, app: App): Promise<DeployKey> {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [seed, publicKey] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]
  const pair = deployKeyPair(seed, publicKey, `svc-${app.metadata.name}`)
  const { secret, shown, hosts } = deployKeyFields
  await writeAppSecret(client, app, secretOf(app), { [secret]: pair.secret, [shown]: pair.shown, [hosts]: '' })
  return { publicKey: pair.shown, hosts: '' }
}

/** Read live, since no cache has it. Undefined when it does not exist. */
export async function readDeployKey(client: ClusterClient, app: App): Promise<DeployKey | undefined> {
  const texts = textsOf(await readAppSecret(client, app, secretOf(app)))
  const { [deployKeyFields.shown]: publicKey, [deployKeyFields.hosts]: hosts = '' } = texts
  return publicKey === undefined ? undefined : { publicKey, hosts }
}

/** The private key, and the known hosts where there are some: only builds read it. */
export async function readDeployLogin(client: ClusterClient, app: App): Promise<Record<string, string> | undefined> {
  const texts = textsOf(await readAppSecret(client, app, secretOf(app)))
  const { [deployKeyFields.secret]: secret, [deployKeyFields.hosts]: hosts = '' } = texts
  if (secret === undefined) return undefined
  return { [deployKeyFields.secret]: secret, ...(hosts === '' ? {} : { [deployKeyFields.hosts]: hosts }) }
}

/**
 * Saves the host keys that the first build met, so that later builds refuse others. Harmless to repeat; nothing is
 * saved where host keys are known already, or where the build used another key than the current one.
 */
export async function keepKnownHosts(
  client: ClusterClient,
  app: App,
  used: Readonly<Record<string, string>>,
  hosts: string,
): Promise<void> {
  const ref = secretOf(app)
  const secret = await readAppSecret(client, app, ref)
  const texts = textsOf(secret)
  const known = texts[deployKeyFields.hosts] ?? ''
  const isUsed = texts[deployKeyFields.secret] === used[deployKeyFields.secret]
  if (secret === undefined || known !== '' || !isUsed) return
  const { resourceVersion } = secret.metadata ?? {}
  const change = { metadata: { resourceVersion }, data: dataOf({ [deployKeyFields.hosts]: hosts }) }
  try {
    await client.patch<KubeObject>({ type: coreTypes.secret, namespace: systemNamespace, name: ref.name }, change)
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
}

/** False where the key did not exist. */
export const removeDeployKey = (client: ClusterClient, app: App): Promise<boolean> =>
  removeAppSecret(client, app, secretOf(app))

const secretOf = ({ metadata: { name } }: App): AppSecret => ({
  name: deployKeyName(name),
  purpose: secretPurposes.deployKey,
})
