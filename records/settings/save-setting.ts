/**
 * Saves a platform setting that consists of a Secret and fields of the configuration, so that the two agree also after
 * a crash.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isConflict } from '../../cluster/objects/errors.ts'
import { defined } from '../../contract/defined.ts'
import { type KubeObject, type Sent, sentVersionOf } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { onConflict, perRequest } from '../store/retry.ts'
import { dataOf, textsOf } from '../../cluster/objects/secret-data.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { PlatformConfig, PlatformConfigSpec } from '../../kinds/platform/kind.ts'
import {
  isCleared,
  isSet,
  type SavedSetting,
  type Setting,
  settingSecrets,
  turnOf,
  withSetting,
} from '../../kinds/platform/settings.ts'
import { savedSetting } from './saved-setting.ts'
import { type ConfigNeeds, editConfig, readConfig, refuseOtherVersion } from './platform-config.ts'

type Secret = Sent<V1Secret>

/** Plain texts by key, as the Secret holds them. */
export type Values = Readonly<Record<string, string>>

/** The values of the Secret, and the fields of the configuration that go with them. */
export interface Wanted {
  values: Values
  part: Partial<PlatformConfigSpec>
}

/** Who asks for a save, and the version of the configuration that it was decided on. */
export interface Asked {
  ifMatch?: string | undefined
  /** The run that follows says so. */
  actor?: string | undefined
}

const purpose = secretPurposes.platform
const types = {
  registry: 'kubernetes.io/dockerconfigjson',
  'dns-provider': 'Opaque',
  githost: 'Opaque',
} as const satisfies Record<Setting, string>
/** Kubernetes requires this key in a Secret of this type. */
const nothing = {
  registry: { '.dockerconfigjson': '{"auths":{}}' },
  'dns-provider': {},
  githost: {},
} as const satisfies Record<Setting, Values>

/**
 * 1. The Secret, with the values and the wanted fields of the configuration, in one conditional write. 2. The
 * configuration follows it. After a crash in between, the next save or the resync continues; of two concurrent saves
 * the one whose Secret was written last wins, values and fields together. `decide` refuses before anything is written.
 */
export async function saveSetting(
  needs: ConfigNeeds,
  setting: Setting,
  decide: (stored: Values, config: PlatformConfig | undefined) => Wanted,
  { ifMatch, actor }: Asked = {},
): Promise<PlatformConfig | undefined> {
  const read = () => Promise.all([readSecret(needs.client, setting), readConfig(needs)])
  await onConflict(perRequest, read, async ([secret, config], attempt) => {
    if (attempt === 1) refuseOtherVersion(config, ifMatch)
    const { values, part } = decide(textsOf(secret), config)
    const turn = Math.max(savedSetting(setting, secret)?.turn ?? 0, turnOf(config, setting)) + 1
    await writeSecret(needs.client, setting, secret, values, { turn, part, ...defined({ actor }) })
  })
  return followSetting(needs, setting)
}

/** Clears the fields first and then the Secret. Harmless to repeat. */
export async function clearSetting(needs: ConfigNeeds, setting: Setting, asked: Asked = {}): Promise<void> {
  const [secret, config] = await Promise.all([readSecret(needs.client, setting), readConfig(needs)])
  refuseOtherVersion(config, asked.ifMatch)
  if (secret === undefined && !isSet(config, setting)) return
  await saveSetting(needs, setting, () => ({ values: nothing[setting], part: {} }), defined({ actor: asked.actor }))
}

/**
 * Writes the wanted fields of the Secret into the configuration, and deletes the Secret of a cleared setting. Undefined
 * when neither exists.
 */
export async function followSetting(needs: ConfigNeeds, setting: Setting): Promise<PlatformConfig | undefined> {
  for (;;) {
    const secret = await readSecret(needs.client, setting)
    const saved = savedSetting(setting, secret)
    if (secret === undefined || saved === undefined) return readConfig(needs)
    const config = await editConfig(needs, (current) => withSetting(current, setting, saved))
    if (!isCleared(saved) || (await removeSecret(needs.client, secret))) return config
  }
}

/** Completes saves that a crash interrupted; returns how many Secrets were checked. */
export async function followSettings(needs: ConfigNeeds): Promise<number> {
  const { items } = await needs.client.list<KubeObject>(coreTypes.secret, {
    namespace: systemNamespace,
    labelSelector: `${labels.purpose}=${purpose}`,
    metadataOnly: true,
  })
  const settings = Object.keys(settingSecrets) as Setting[] // the keys of a constant object
  const there = settings.filter((setting) => items.some(({ metadata }) => metadata.name === settingSecrets[setting]))
  for (const setting of there) await followSetting(needs, setting)
  return there.length
}

/** The stored values of a setting, secret ones included; empty when it is not set. */
export async function readValues(client: ClusterClient, setting: Setting): Promise<Values> {
  return textsOf(await readSecret(client, setting))
}

async function readSecret(client: ClusterClient, setting: Setting): Promise<Secret | undefined> {
  return client.get<Secret>({ type: coreTypes.secret, namespace: systemNamespace, name: settingSecrets[setting] })
}

async function writeSecret(
  client: ClusterClient,
  setting: Setting,
  known: Secret | undefined,
  values: Values,
  saved: SavedSetting,
): Promise<void> {
  const name = settingSecrets[setting]
  const wanted: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: systemNamespace,
      labels: { [labels.managedBy]: managedBySvc, [labels.purpose]: purpose },
      annotations: { [annotations.setting]: JSON.stringify(saved) },
    },
    type: types[setting],
    data: dataOf(values),
  }
  // The type of a Secret cannot change: a hand-made one of another type is replaced.
  if (known !== undefined && known.type !== wanted.type) await client.delete(refOf(known), sentVersionOf(known))
  if (known === undefined || known.type !== wanted.type) await client.create(coreTypes.secret, wanted)
  else await client.replace(coreTypes.secret, { ...wanted, metadata: { ...wanted.metadata, ...sentVersionOf(known) } })
}

/** False when the setting was saved again meanwhile. */
async function removeSecret(client: ClusterClient, secret: Secret): Promise<boolean> {
  try {
    await client.delete(refOf(secret), sentVersionOf(secret))
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

const refOf = ({ metadata: { name } }: Secret) => ({ type: coreTypes.secret, namespace: systemNamespace, name })
