/**
 * The login of a database on a server elsewhere: a Secret in svc-system that the record names, so that no record,
 * history or log has the password. A Secret that the api wrote is valid for one server only.
 */
import { randomBytes } from 'node:crypto'
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textAt } from '../../cluster/objects/secret-data.ts'
import { defined } from '../../contract/defined.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { anyOf, isExternalLoginOf, isHandMadeFor, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { readNamedSecret, removeNamed } from './named-secret.ts'

type Secret = Sent<V1Secret>

/** The database that a login belongs to. */
export interface LoginOwner {
  project: string
  database: string
}

export interface ExternalLogin {
  password: string
  sslmode?: string
  ca?: string
}

/** The key of the password, as the record names it; the other keys have names that a person would choose. */
export const passwordKey = 'password'
const keys = { server: 'server', sslmode: 'sslmode', ca: 'ca.crt' } as const

/** `host:port`. */
export const serverText = (host: string, port: number): string => `${host}:${port}`

/**
 * Creates a Secret with a new name and returns the name: one write of the record then changes from one complete login
 * to another. The resync deletes a Secret that no record names.
 */
export async function writeExternalLogin(
  client: ClusterClient,
  { project, database }: LoginOwner,
  { server, login, now }: { server: string; login: ExternalLogin; now: Date },
): Promise<string> {
  const name = `${database}-external-login-${randomBytes(4).toString('hex')}`
  const { password, sslmode, ca } = login
  const object: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: systemNamespace,
      labels: {
        [labels.managedBy]: managedBySvc,
        [labels.project]: project,
        [labels.database]: database,
        [labels.purpose]: secretPurposes.externalLogin,
      },
      annotations: { [annotations.writtenAt]: now.toISOString() },
    },
    type: 'Opaque',
    data: dataOf({
      [passwordKey]: password,
      [keys.server]: server,
      ...defined({ [keys.sslmode]: sslmode, [keys.ca]: ca }),
    }),
  }
  await client.create<Secret>(coreTypes.secret, object)
  return name
}

/** The texts of a Secret; `elsewhere` where its login was given for another server. */
export type FoundLogin = { texts: Partial<ExternalLogin> } | 'none' | 'elsewhere'

/**
 * Read live. The Secret must be the database's own and for this server, or made by hand for the project: an editor of
 * records could otherwise make svc send any value in svc-system, such as keys and tokens of the project, to a host of
 * their choice.
 */
export async function readExternalLogin(
  client: ClusterClient,
  owner: LoginOwner,
  { name, key }: { name: string; key: string },
  server: string,
): Promise<FoundLogin> {
  const isOwn = isExternalLoginOf(owner)
  const secret = await readNamedSecret(client, name, anyOf(isHandMadeFor(owner.project), isOwn))
  if (secret === undefined) return 'none'
  const written = defined({ metadata: defined({ labels: secret.metadata.labels }) })
  if (isOwn(written) && textAt(secret, keys.server) !== server) return 'elsewhere'
  return {
    texts: defined({
      password: textAt(secret, key),
      sslmode: textAt(secret, keys.sslmode),
      ca: textAt(secret, keys.ca),
    }),
  }
}

/** Deletes the Secret if it is the database's own. False when nothing was deleted. */
export const removeExternalLogin = (client: ClusterClient, owner: LoginOwner, name: string): Promise<boolean> =>
  removeNamed(client, coreTypes.secret, name, isExternalLoginOf(owner))

/** The Secrets with external logins of one database, or of all, without their values. */
export async function listExternalLogins(client: ClusterClient, owner?: LoginOwner): Promise<KubeObject[]> {
  const of = owner === undefined ? '' : `,${labels.project}=${owner.project},${labels.database}=${owner.database}`
  const { items } = await client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=${secretPurposes.externalLogin}${of}`,
    metadataOnly: true,
  })
  return items
}
