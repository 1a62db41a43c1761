/** The PersistentVolumeClaim of a service: created once, enlarged when the spec asks for more, never made smaller. */
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { App, AppSpec, AppStatus } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { volumeClaimName } from '../../kinds/apps/names.ts'
import type { ServiceView } from '../../kinds/apps/view.ts'
import { growthRefusal, keptSize } from '../../kinds/apps/spec/volume.ts'
import { volumeClaim } from '../../kinds/apps/manifests/volume.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { applyStorage } from '../kube/apply-storage.ts'
import { recordEvent } from '../kube/event.ts'
import { canEnlarge } from '../kube/storage-class.ts'

/** The claim cannot get the size that the spec asks for. */
export class VolumeRefused extends Error {}

/**
 * Applies the claim. If the spec has no volume, a former claim stays. Throws VolumeRefused, OwnershipConflict; also if
 * the claim was made for a record that is gone.
 */
export async function applyVolume(needs: ActivityNeeds, app: App, spec: AppSpec): Promise<void> {
  const { name, uid = '' } = app.metadata
  if (spec.volume === undefined) return
  const claim = volumeClaimName(name)
  const live = await needs.client.get<Sent<V1PersistentVolumeClaim>>({
    type: coreTypes.persistentVolumeClaim,
    namespace: targetNamespace(spec),
    name: claim,
  })
  const size = live?.spec?.resources?.requests?.['storage']
  if (live !== undefined && size !== undefined && live.metadata.labels?.[labels.owner] === uid) {
    const expandable = await canEnlarge(needs.client, live.spec?.storageClassName ?? undefined)
    const refusal = growthRefusal(spec.volume.size, { size, expandable })
    if (refusal !== '') throw new VolumeRefused(refusal)
  }
  const had = app.status?.volume?.uid
  if (had !== undefined && live?.metadata.uid !== had) {
    const message = `the claim ${claim} was deleted, and the data of its volume with it; an empty one takes its place`
    await recordEvent(
      needs.client,
      app,
      { type: 'Warning', reason: 'VolumeLost', message, occurrence: had },
      needs.now(),
    )
  }
  const wanted = volumeClaim(spec, { name, uid }, keptSize(spec.volume.size, size))
  needs.children.volumeClaims.put(await applyStorage(needs, wanted, live, { record: app, store: needs.apps }))
}

/** The status of the volume that copies run with; a later pass detects by the uid that the claim was replaced. */
export function usedVolume(
  { children }: Pick<ActivityNeeds, 'children'>,
  { app: { metadata, status }, namespace }: ServiceView,
): Pick<AppStatus, 'volume'> {
  const claim = volumeClaimName(metadata.name)
  const { uid = status?.volume?.uid } = children.volumeClaims.get(claim, namespace)?.metadata ?? {}
  return { volume: { claim, ...defined({ uid }) } }
}
