/**
 * The account at the DNS provider: the one in the settings, and the one that svc last created something with. Tokens
 * leave these Secrets only for calls to the provider.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { dataOf, textsOf } from '../../cluster/objects/secret-data.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { isPlatformSetting, secretPurposes } from '../../kinds/secrets/named-secret.ts'
import { usedAccountSecret } from '../../kinds/system-secrets.ts'
import type { Account } from '../../outside/dns-provider/call.ts'
import { findNamedSecret } from '../../records/secrets/named-secret.ts'
import { isUnreadable } from '../../records/settings/saved-setting.ts'
import type { PlatformNeeds } from './needs.ts'
import { applyOwn, removeOwn } from './own-objects.ts'

/** The account in the connection's Secret (docs/reference/platform.md#configuration). */
export interface GivenAccount extends Account {
  zoneName: string
  zones: string[]
}

/** An account in which svc has created something that has to be removed later. */
export interface UsedAccount extends Account {
  /** IDs of the zones that may have records of this install. */
  zones: string[]
  /** Whether the account may have a tunnel of this install. */
  tunnel: boolean
}

type Client = Pick<PlatformNeeds, 'client'>

/** The account in the settings, or a sentence why it is incomplete. */
export async function readGiven(needs: Client, name: string): Promise<GivenAccount | { incomplete: string }> {
  const { secret, foreign } = await findNamedSecret(needs.client, name, isPlatformSetting)
  if (foreign !== undefined)
    return { incomplete: `Secret ${name} lacks the label ${labels.purpose}=${secretPurposes.platform}` }
  if (secret === undefined)
    return { incomplete: `Secret ${name} with the connection to the DNS provider was not found` }
  if (isUnreadable('dns-provider', secret))
    return {
      incomplete: `the annotation ${annotations.setting} of Secret ${name} cannot be read; save the DNS provider again`,
    }
  const values = textsOf(secret)
  const missing = ['apiToken', 'accountId'].filter((key) => (values[key] ?? '').trim() === '')
  if (missing.length > 0) return { incomplete: `Secret ${name} has no ${missing.join(' and no ')}` }
  return { ...accountIn(values), zoneName: (values['zoneName'] ?? '').trim(), zones: listIn(values['zones']) }
}

export async function readUsed(needs: Client): Promise<UsedAccount | undefined> {
  const secret = await needs.client.get<Sent<V1Secret>>({
    type: coreTypes.secret,
    namespace: systemNamespace,
    name: usedAccountSecret,
  })
  const values = secret === undefined ? undefined : textsOf(secret)
  return values === undefined
    ? undefined
    : { ...accountIn(values), zones: listIn(values['zones']), tunnel: values['tunnel'] === 'true' }
}

/** Stores the account before the first write with it or in a zone, so that none is ever forgotten. */
export async function storeUsed(
  needs: PlatformNeeds,
  { apiToken, accountId, zones, tunnel }: UsedAccount,
  install: string,
): Promise<void> {
  const text = { apiToken, accountId, zones: zones.join(','), tunnel: String(tunnel) }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: usedAccountSecret,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, [labels.owner]: install, [labels.purpose]: 'dns-account' },
    },
    type: 'Opaque',
    data: dataOf(text),
  } satisfies V1Secret
  await applyOwn(needs, coreTypes.secret, secret, install)
}

export async function forgetUsed(needs: PlatformNeeds, install: string): Promise<void> {
  await removeOwn(needs, coreTypes.secret, usedAccountSecret, install)
}

const accountIn = (values: Record<string, string>): Account => ({
  apiToken: (values['apiToken'] ?? '').trim(),
  accountId: (values['accountId'] ?? '').trim(),
})

function listIn(text = ''): string[] {
  return text
    .split(/[\s,]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
