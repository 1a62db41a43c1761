/** A caller who may write records but no Secrets, and the contents of svc-system that belong to other owners. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { kubectl } from '../harness/kubectl.ts'

const user = 'writes-records'
const apiGroup = 'rbac.authorization.k8s.io'

/** Part of every name and every value of a run. */
export const mark = randomBytes(4).toString('hex')

/** The keys that any reader of a Secret looks up. */
export const keys = [
  'uri',
  'username',
  'password',
  'accessKeyId',
  'secretAccessKey',
  'token',
  'organization',
  'apiToken',
  'accountId',
  'sessionKey',
  'secret',
  '.dockerconfigjson',
]

export const secretValue = (name: string): string => `value-${mark}-of-${name}`

export const dataOf = (name: string): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, Buffer.from(secretValue(name)).toString('base64')]))

const svc = { [labels.managedBy]: 'svc' }

/**
 * Secrets of svc-system that do not belong to the caller: of the platform, of services, of another project, and without
 * an owner.
 */
export const foreigners = (theirs: string) => ({
  users: { ...svc, 'svc.dev/auth': 'users' },
  token: { ...svc, 'svc.dev/auth': 'token', [labels.project]: theirs },
  variables: { ...svc, [labels.owner]: 'another', [labels.project]: theirs, [labels.purpose]: 'app-secrets' },
  release: { ...svc, [labels.owner]: 'another', [labels.project]: theirs, [labels.purpose]: 'release' },
  shared: { ...svc, [labels.owner]: 'another', [labels.project]: theirs, [labels.purpose]: 'shared-variables' },
  cloud: { ...svc, [labels.project]: theirs, [labels.purpose]: 'cloud-credentials' },
  root: { ...svc, [labels.owner]: 'another', [labels.purpose]: 'connection' },
  login: { [labels.project]: theirs },
  bare: {},
})

export type Foreigner = keyof ReturnType<typeof foreigners>

const noOwner = 'bare'
const otherPurpose = 'root'
const handMade = ['users', 'token', 'login', 'bare'] as const // for a project or not, with labels of svc or without

/**
 * The Secrets that each rule of kinds/secrets/named-secret.ts tells apart: one for every condition, or set of them,
 * that a Secret can fail. A field meets those of the rule that judges it, since the others fail there for the same
 * reasons. That no rule accepts any of the nine is a test of its own, without a cluster.
 */
export const judged = {
  /** By its project and by having no label of svc (`isHandMadeFor`). */
  handMade,
  /** The same, and by the owner of the Secret that the status names, which svc writes. */
  handMadeOrOwn: [...handMade, otherPurpose],
  /** By its project and purpose (`isCloudKeysOf`), or as one made by hand. */
  cloudKeys: ['cloud', 'token', 'login', noOwner],
  /** By the uid of its owner and by its purpose (`isMadeFor`). */
  variables: ['variables', otherPurpose, noOwner],
  release: ['release', otherPurpose, noOwner],
  shared: ['shared', otherPurpose, noOwner],
  /** By the owner alone. */
  own: [otherPurpose, noOwner],
  /** By its purpose (`isPlatformSetting`). */
  platform: [otherPurpose, noOwner],
  /** Named is a cloud connection of another project, whose Secret is the same for all. */
  connection: [noOwner],
} as const satisfies Record<string, readonly Foreigner[]>

/** Grants all verbs on records, their status included, and nothing else. */
export async function grantWriter(folder: string): Promise<void> {
  const rules = [{ apiGroups: [resourceTypes.app.group], resources: ['*'], verbs: ['*'] }]
  const binding = {
    roleRef: { apiGroup, kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  }
  const made = (kind: string, more: object) => ({
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata: { name: user },
    ...more,
  })
  await kubectl([
    'apply',
    '-f',
    await listIn(folder, [made('ClusterRole', { rules }), made('ClusterRoleBinding', binding)]),
  ])
}

export async function revokeWriter(): Promise<void> {
  await kubectl(['delete', 'clusterrole,clusterrolebinding', user, '--ignore-not-found'])
}

/** Runs kubectl as that caller. */
export const asWriter = (...args: string[]): Promise<string> => kubectl([`--as=${user}`, ...args])

/** Writes the status of a service as that caller. */
export const writesStatus = (app: string, status: object): Promise<string> =>
  asWriter(
    'patch',
    'svcapp',
    app,
    '-n',
    systemNamespace,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  )

/** Applies a verb to objects in a file as that caller. */
export async function writerDoes(
  folder: string,
  verb: string,
  items: readonly object[],
  ...more: string[]
): Promise<void> {
  await asWriter(verb, '-f', await listIn(folder, items), ...more)
}

async function listIn(folder: string, items: readonly object[]): Promise<string> {
  const file = join(folder, `${randomBytes(4).toString('hex')}.json`)
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  return file
}
