/** The platform's objects in svc-system; their owner label is that namespace's uid: it outlives the configuration. */
import { isConflict } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { canonical, digest } from '../../kinds/meta/digest.ts'
import { systemNamespace, fieldManager } from '../../kinds/meta/group.ts'
import type { PlatformNeeds } from './needs.ts'
import { defined } from '../../contract/defined.ts'

/** An object of this name exists and was not created by this install. */
export class TakenName extends Error {
  constructor(kind: string, name: string) {
    super(`${kind} ${name} in ${systemNamespace} belongs to another owner; remove it`)
    this.name = 'TakenName'
  }
}

interface OwnManifest {
  kind: string
  metadata: { name: string; namespace: string; labels: Record<string, string>; annotations?: Record<string, string> }
  data?: Record<string, string>
}

/** The uid that marks everything that this install creates, also at the DNS provider. */
export async function installUid({ client }: Pick<PlatformNeeds, 'client'>): Promise<string> {
  const namespace = await client.get<KubeObject>({ type: coreTypes.namespace, name: systemNamespace })
  if (namespace?.metadata.uid === undefined) throw new Error(`namespace ${systemNamespace} has no uid`)
  return namespace.metadata.uid
}

/**
 * Applies the object unless it is as wanted. A Secret is compared by its data, so that no digest of secrets is stored.
 * Throws TakenName.
 */
export async function applyOwn(
  { client }: PlatformNeeds,
  type: ResourceType,
  manifest: OwnManifest,
  install: string,
): Promise<KubeObject> {
  const { name, namespace } = manifest.metadata
  const live = await client.get<KubeObject & { data?: Record<string, string> }>({ type, namespace, name })
  if (live !== undefined && live.metadata.labels?.[labels.owner] !== install) throw new TakenName(manifest.kind, name)
  const secret = manifest.data !== undefined
  const applied = secret ? undefined : digest(manifest)
  const same = secret
    ? canonical(live?.data) === canonical(manifest.data)
    : live?.metadata.annotations?.[annotations.applied] === applied
  if (live !== undefined && live.metadata.deletionTimestamp === undefined && same) return live
  const noted =
    applied === undefined
      ? manifest.metadata.annotations
      : { ...manifest.metadata.annotations, [annotations.applied]: applied }
  const metadata = { ...manifest.metadata, ...defined({ annotations: noted }) }
  return client.apply<KubeObject>(type, { ...manifest, metadata }, { manager: fieldManager, force: true })
}

/** Deletes the object if this install created it; true if there was none to delete. */
export async function removeOwn(
  { client }: PlatformNeeds,
  type: ResourceType,
  name: string,
  install: string,
): Promise<boolean> {
  const ref = { type, namespace: systemNamespace, name }
  const live = await client.get<KubeObject>(ref)
  if (live === undefined || live.metadata.labels?.[labels.owner] !== install) return true
  try {
    await client.delete(ref, {
      ...defined({ uid: live.metadata.uid }),
      propagation: 'Background',
    })
  } catch (error) {
    if (!isConflict(error)) throw error // another object has the name now: the next call checks that one
  }
  return false
}
