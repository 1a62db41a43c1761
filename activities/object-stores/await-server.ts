/** What a bucket on the object server of the cluster waits for (spec, Object store Ready condition). */

import { readyOf } from '../../kinds/conditions.ts'
import { isObjectServer, objectServerName } from '../../kinds/object-stores/in-force.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import type { ActivityNeeds } from '../needs.ts'
import { type Pass, waiting } from '../provision-step.ts'

export const awaitBucketName: Pass<ObjectStore> = async ({ spec }) =>
  spec.buckets.length === 0 ? waiting('Configure the bucket name in settings, then deploy') : undefined

export const awaitServer =
  (needs: ActivityNeeds): Pass<ObjectStore> =>
  async () => {
    const server = await needs.objectStores.read(objectServerName)
    const ready = server !== undefined && isObjectServer(server.spec) && readyOf(server.status?.conditions)?.status === 'True'
    return ready ? undefined : waiting('Set up the MinIO server in cluster settings first')
  }
