/**
 * The login at the server elsewhere of a database: a Secret of svc-system that the record names, so that no record,
 * history or log has the password. One that the api wrote is for one server alone.
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

/** Which database a login is for. */
export interface LoginOwner {
  project: string
  database: string
}

export interface ExternalLogin {
  password: string
  sslmode?: string
  ca?: string
}

/** The key of the password, as the record names it; those beside it have the names that a person would give them. */
export const passwordKey = 'password'
const keys = { server: 'server', sslmode: 'sslmode', ca: 'ca.crt' } as const

/** `host:port`. */
export const serverText = (host: string, port: number): string => `${host}:${port}`

/**
 * Makes a Secret under a name of its own, and answers that name: the record that names it then changes from one whole
 * login to another in one write. One that no record comes to name is swept.
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

/** What a Secret says; `elsewhere` where it was given for another server than the one it is to be sent to. */
export type FoundLogin = { texts: Partial<ExternalLogin> } | 'none' | 'elsewhere'

/**
 * Live. A writer of records could otherwise have any value of svc-system sent to a host of his own, the keys and tokens
 * that svc itself labels for the project among them: so the Secret must be the database's own and for this server, or
 * made by hand for the project.
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

/** One that is not the database's own stays. False when nothing went. */
export const removeExternalLogin = (client: ClusterClient, owner: LoginOwner, name: string): Promise<boolean> =>
  removeNamed(client, coreTypes.secret, name, isExternalLoginOf(owner))

/** Secrets with logins of one database elsewhere, or of all, without their values. */
export async function listExternalLogins(client: ClusterClient, owner?: LoginOwner): Promise<KubeObject[]> {
  const of = owner === undefined ? '' : `,${labels.project}=${owner.project},${labels.database}=${owner.database}`
  const { items } = await client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=${secretPurposes.externalLogin}${of}`,
    metadataOnly: true,
  })
  return items
}
