/** Applies the objects of a server, and waits until they are ready. */
import type { V1StatefulSet } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { pinnedTo } from '../../kinds/apps/deploy/image.ts'
import { isSharedServer } from '../../kinds/databases/draft.ts'
import { databaseImage, runsImage, engineVersionOf } from '../../kinds/databases/image.ts'
import type { Database, DatabaseSpec } from '../../kinds/databases/kind.ts'
import { type DatabasePlacing, instanceObjects, volumeClaim } from '../../kinds/databases/manifests.ts'
import { volumeName } from '../../kinds/databases/names.ts'
import { operatedAwaited, operatedObject } from '../../kinds/databases/cloudnativepg.ts'
import { instanceAwaited } from '../../kinds/databases/progress.ts'
import { storageSizeOf } from '../../kinds/databases/sizes.ts'
import { homeOf } from '../../kinds/meta/namespaces.ts'
import { nodeChoiceOf, withTags } from '../../kinds/placement/node-choice.ts'
import { bytes } from '../../kinds/pods/quantity.ts'
import { applyChild } from '../kube/apply-child.ts'
import { applyStorage } from '../kube/apply-storage.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type Pass, waiting } from '../provision/step.ts'
import { readLogin, readOperated, readVolume, specOf } from './server.ts'

export const applyServer =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    const placing = await placingOf(needs, database, spec)
    const of = { record: database, store: needs.databases }
    const operated = (await readLogin(needs, database))?.operated === true
    if (operated) {
      const found = await readOperated(needs, database)
      // The apply has the read version as its condition, since the manifest holds parts of the read object.
      await applyStorage(needs, operatedObject(spec, placing, found), found, of)
      return undefined
    }
    const manifests = instanceObjects(spec, { ...placing, image: await frozenImage(needs, spec, placing.name) })
    for (const manifest of manifests)
      if (manifest.kind === 'PersistentVolumeClaim')
        await applyStorage(needs, manifest, await readVolume(needs, database), of)
      else await applyChild(needs, manifest, placing.uid)
    return undefined
  }

/** Applies only the volume, for a restore that fills it before the server exists. */
export async function applyVolume(needs: ActivityNeeds, database: Database): Promise<void> {
  const spec = specOf(database)
  const placing = await placingOf(needs, database, spec)
  const found = await readVolume(needs, database)
  await applyStorage(needs, volumeClaim(spec, placing), found, { record: database, store: needs.databases })
}

/**
 * The tag of a version is resolved to a digest once, when the server is created or changes its version; the StatefulSet
 * keeps the digest, so a moved tag does not change a running database. A server that runs by the tag keeps the tag: a
 * digest resolved later would restart it.
 */
async function frozenImage(needs: ActivityNeeds, spec: DatabaseSpec, name: string): Promise<string> {
  const wanted = databaseImage(spec)
  const set = await needs.client.get<Sent<V1StatefulSet>>({
    type: coreTypes.statefulSet,
    namespace: homeOf(spec),
    name,
  })
  const running = set?.spec?.template.spec?.containers[0]?.image ?? ''
  if (runsImage(running, wanted)) return running
  const meaning = await needs.registries?.meaningOf(wanted, async () => undefined)
  return meaning !== undefined && 'digest' in meaning ? pinnedTo(wanted, meaning.digest) : wanted
}

async function placingOf(needs: ActivityNeeds, { metadata }: Database, spec: DatabaseSpec): Promise<DatabasePlacing> {
  const place = isSharedServer(spec)
    ? { region: spec.serverRegion ?? '', tags: [] }
    : nodeChoiceOf(await needs.projects.read(spec.project))
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    nodes: withTags(place, spec.runOn.tags),
    storage: storageSizeOf(spec),
  }
}

export const awaitServer =
  (needs: ActivityNeeds): Pass<Database> =>
  async (database) => {
    const spec = specOf(database)
    if ((await readLogin(needs, database))?.operated === true) {
      const { uid = '' } = database.metadata
      const copies = { namespace: homeOf(spec), labelSelector: `${labels.owner}=${uid}`, metadataOnly: true }
      const { items } = await needs.client.list<KubeObject>(coreTypes.pod, copies)
      const awaited = operatedAwaited(await readOperated(needs, database), items)
      return awaited === '' ? undefined : waiting(awaited)
    }
    const { name, uid = '' } = database.metadata
    // Read live, since the cache may still have the StatefulSet of before the apply.
    const set = await needs.client.get<Sent<V1StatefulSet>>({
      type: coreTypes.statefulSet,
      namespace: homeOf(spec),
      name,
    })
    const volume = await readVolume(needs, database)
    const awaited = instanceAwaited(set, needs.children.pods.by('owner', uid), volume?.status?.phase === 'Bound')
    if (awaited !== '') return waiting(awaited)
    if (isGrowing(volume)) return waiting('volume being enlarged')
    // The data's version is written only once the server runs: a version that never started may still be reverted.
    if (volume !== undefined && volume.metadata.annotations?.[annotations.dataVersion] !== engineVersionOf(spec)) {
      const ref = { type: coreTypes.persistentVolumeClaim, namespace: homeOf(spec), name: volumeName(name) }
      await needs.client.patch(ref, {
        metadata: { uid: volume.metadata.uid, annotations: { [annotations.dataVersion]: engineVersionOf(spec) } },
      })
    }
    return undefined
  }

/** Whether the bound volume is still smaller than its claim requests. */
function isGrowing(volume: Awaited<ReturnType<typeof readVolume>>): boolean {
  const size = volume?.status?.capacity?.['storage']
  return size !== undefined && bytes(size) < bytes(volume?.spec?.resources?.requests?.['storage'])
}
