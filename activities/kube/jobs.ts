/**
 * The Jobs of backups, restores and logical databases: read live, created once, and gone before another of their name
 * is created.
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

/** Creates the Job; one that another pass has created just now is left for the next pass to read. */
export async function createJob(client: ClusterClient, job: KubeObject): Promise<void> {
  try {
    await client.create(coreTypes.job, job)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

/** Deletes in the foreground: the Job stays until its pods are gone, so none of them runs beside those of the next. */
export async function removeJob(client: ClusterClient, { metadata }: LiveJob): Promise<void> {
  const { name, namespace = '', uid } = metadata
  await client.delete({ type: coreTypes.job, namespace, name }, { ...defined({ uid }), propagation: 'Foreground' })
}
