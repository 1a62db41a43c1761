/** What is made for a build, the Job, its Secret and its pods: made once, read live, and removed by the owner's uid. */

import type { V1Secret } from '@kubernetes/client-node'
import { isAlreadyExists, isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { type BuildCredentials, type BuildInputs, buildJob, buildSecret } from '../../kinds/builds/job.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import type { BuildJobView, BuildPodView } from '../../kinds/builds/outcome.ts'
import { buildsNamespace, jobName } from '../../kinds/builds/place.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'builder'>
export type LiveJob = KubeObject & BuildJobView
export type LivePod = KubeObject & BuildPodView

const namespace = buildsNamespace
const refOf = (build: Build) => ({ type: coreTypes.job, namespace, name: jobName(build) })
const isOwn = ({ metadata }: KubeObject, build: Build) => metadata.labels?.[labels.owner] === build.metadata.uid

/** Harmless to repeat. False where the install has no namespace for builds. */
export async function makeJob(
  { client, builder }: Needs,
  build: Build,
  credentials: BuildCredentials,
  inputs: BuildInputs,
): Promise<boolean> {
  try {
    await unlessThere(() =>
      client.create<Sent<V1Secret>>(coreTypes.secret, buildSecret(build, builder, credentials, inputs)),
    )
    await unlessThere(() => client.create<KubeObject>(coreTypes.job, buildJob(build, builder, credentials, inputs)))
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Its name holds the uid of the build, so what is there was made for it. */
async function unlessThere(create: () => Promise<unknown>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

export async function readJob({ client }: Needs, build: Build): Promise<LiveJob | undefined> {
  const job = await client.get<LiveJob>(refOf(build))
  return job !== undefined && isOwn(job, build) ? job : undefined
}

export async function podsOf({ client }: Needs, build: Build): Promise<LivePod[]> {
  const labelSelector = `${labels.owner}=${build.metadata.uid ?? ''}`
  return (await client.list<LivePod>(coreTypes.pod, { namespace, labelSelector })).items
}

/** True when nothing is left, its pods included. */
export async function removeMade(needs: Needs, build: Build): Promise<boolean> {
  const { client } = needs
  for (const type of [coreTypes.job, coreTypes.secret]) {
    const found = await client.get<KubeObject>({ ...refOf(build), type })
    if (found === undefined || !isOwn(found, build) || found.metadata.deletionTimestamp !== undefined) continue
    await client.delete({ ...refOf(build), type }, { propagation: 'Background' })
  }
  const left = await podsOf(needs, build)
  return left.length === 0 && (await client.get({ ...refOf(build) })) === undefined
}
