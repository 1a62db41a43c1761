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
import { isThereNow, type RecordOf } from './if-gone.ts'

export type LiveJob = KubeObject & JobView & { spec?: { suspend?: boolean } }

export function readJob(client: ClusterClient, namespace: string, name: string): Promise<LiveJob | undefined> {
  return client.get<LiveJob>({ type: coreTypes.job, namespace, name })
}

export const ownerOf = ({ metadata }: LiveJob): string => metadata.labels?.[labels.owner] ?? ''

/**
 * Creates the Job, and resolves with it; undefined for one that another pass has created just now, which is left for
 * the next pass to read.
 */
export async function createJob(client: ClusterClient, job: KubeObject): Promise<LiveJob | undefined> {
  try {
    return await client.create<LiveJob>(coreTypes.job, job)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return undefined
  }
}

/** Whether the Job was created, and does not run yet: its record is read before that. */
export const isSuspended = ({ spec }: LiveJob): boolean => spec?.suspend === true

/**
 * For a Job that deletes data: 1. creates it suspended, 2. reads the record live, 3. lets it run, or removes it where
 * the record is gone. So what a pass that was cut off creates after the removal never runs, and a new record that could
 * be hit by the Job finds it, as long as its own passes look for it before they begin.
 */
export async function createSuspendedJob<T extends KubeObject>(
  client: ClusterClient,
  job: KubeObject & { spec: object },
  of: RecordOf<T>,
): Promise<void> {
  const suspended = { ...job, spec: { ...job.spec, suspend: true } }
  const made = await createJob(client, suspended)
  if (made !== undefined) await resumeJob(client, made, of)
}

/** The second half of `createSuspendedJob`, also for a Job whose worker died in between. */
export async function resumeJob<T extends KubeObject>(
  client: ClusterClient,
  job: LiveJob,
  of: RecordOf<T>,
): Promise<void> {
  if (!(await isThereNow(of))) return removeJob(client, job)
  const { name, namespace = '', uid } = job.metadata
  const ref = { type: coreTypes.job, namespace, name }
  await client.patch(ref, { metadata: defined({ uid }), spec: { suspend: false } })
}

/** Deletes in the foreground: the Job stays until its pods are gone, so none of them runs beside those of the next. */
export async function removeJob(
  client: ClusterClient,
  { metadata }: LiveJob,
  { unchanged = false } = {},
): Promise<void> {
  const { name, namespace = '', uid, resourceVersion } = metadata
  const version = unchanged ? defined({ resourceVersion }) : {}
  const ref = { type: coreTypes.job, namespace, name }
  await client.delete(ref, { ...defined({ uid }), ...version, propagation: 'Foreground' })
}
