/**
 * What a bucket on the object server waits for, or fails by, before anything is created for it
 * (docs/reference/object-stores.md#ready-condition).
 */
import { bucketGate, rivalGate, serverGate } from '../../kinds/object-stores/gates.ts'
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import type { Pass } from '../provision/step.ts'
import { objectServerOf } from './server-session.ts'

export const awaitBucketName =
  ({ objectStores }: ActivityNeeds): Pass<ObjectStore> =>
  async (store) => {
    const effective = { ...store, spec: effectiveStoreSpec(store) ?? store.spec }
    return bucketGate(effective.spec) ?? rivalGate(effective, objectStores.cache.list())
  }

export const awaitServer =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async ({ spec }) => {
    const project = await needs.projects.read(spec.project)
    return serverGate(objectServerOf(needs), project?.spec.requiredTags ?? [])
  }
