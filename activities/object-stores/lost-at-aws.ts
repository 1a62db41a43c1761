/**
 * Finds users and buckets that were removed by hand at AWS, which no watch shows: the resync lists both once for each
 * connection, however many stores it has.
 */
import { readyOf } from '../../kinds/meta/conditions.ts'
import { isExternal, effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { regionOfStore, userPrefix } from '../../kinds/object-stores/remote.ts'
import { listBucketNames } from '../../outside/aws/buckets.ts'
import { listUsers } from '../../outside/aws/users.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readAccount } from '../../records/cloud-connections/read-account.ts'
import { eachAtOnce } from '../context/at-once.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'clouds' | 'objectStores'>

/**
 * Ready remote stores whose user or bucket is gone; those of an account that does not answer, or that may not be
 * listed, are left out.
 */
export async function lostAtAws(needs: Needs): Promise<ObjectStore[]> {
  const ready = needs.objectStores.cache.list().filter(isReadyRemote)
  const byConnection = Map.groupBy(ready, ({ status }) => status?.remote?.connection ?? '')
  const lost: ObjectStore[] = []
  await eachAtOnce([...byConnection], async ([connection, stores]) => {
    lost.push(...(await lostIn(needs, connection, stores)))
  })
  return lost
}

async function lostIn({ client, clouds }: Needs, name: string, stores: readonly ObjectStore[]): Promise<ObjectStore[]> {
  const found = await readAccount(client, name, { project: stores[0]?.spec.project ?? '', provider: 'AWS' })
  if ('unmet' in found) return []
  const { accessKeyId = '', secretAccessKey = '', region } = found.keys
  const account = clouds.aws.account(
    { accessKeyId, secretAccessKey },
    regionOfStore(undefined, found.connection.spec.region, region),
  )
  try {
    const [users, buckets] = [new Set<string>(), new Set<string>()]
    for await (const user of listUsers(account, userPrefix)) users.add(user)
    for await (const bucket of listBucketNames(account)) buckets.add(bucket)
    return stores.filter((store) => {
      const { made = [], user = '' } = store.status?.remote ?? {}
      const wanted = (effectiveStoreSpec(store) ?? store.spec).buckets.filter((bucket) => made.includes(bucket))
      return !users.has(user) || !wanted.every((bucket) => buckets.has(bucket))
    })
  } catch (error) {
    if (error instanceof UpstreamError) return []
    throw error
  } finally {
    account.close()
  }
}

function isReadyRemote({ metadata, spec, status }: ObjectStore): boolean {
  return metadata.deletionTimestamp === undefined && isExternal(spec) && readyOf(status?.conditions)?.status === 'True'
}
