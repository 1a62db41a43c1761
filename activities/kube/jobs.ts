/**
 * The Jobs of a logical database on the cluster: looked at live, made once, and gone before another of their name is
 * made.
 */
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { JobView } from '../../kinds/logical-databases/jobs.ts'
import { defined } from '../../contract/defined.ts'

export type LiveJob = KubeObject & JobView

export function readJob(client: ClusterClient, namespace: string, name: string): Promise<LiveJob | undefined> {
  return client.get<LiveJob>({ type: coreTypes.job, namespace, name })
}

export const ownerOf = ({ metadata }: LiveJob): string => metadata.labels?.[labels.owner] ?? ''

/** One that another pass made just now is seen by the next pass. */
export async function createJob(client: ClusterClient, job: KubeObject): Promise<void> {
  try {
    await client.create(coreTypes.job, job)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** The Job stays until its pods are gone, so none of them works beside those of the next. */
export async function removeJob(client: ClusterClient, { metadata }: LiveJob): Promise<void> {
  const { name, namespace = '', uid } = metadata
  await client.delete({ type: coreTypes.job, namespace, name }, { ...defined({ uid }), propagation: 'Foreground' })
}
