/** The objects of a build, the Job, its Secret and its pods: created once, read live, removed by the owner's uid. */
import type { V1Secret } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists, isNotFound } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { textsOf } from '../../cluster/objects/secret-data.ts'
import { type BuildInputs, buildJob, buildSecret, gitKeys } from '../../kinds/builds/job.ts'
import type { BuildCredentials } from '../../kinds/builds/secrets.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import type { BuildJobView, BuildPodView } from '../../kinds/builds/outcome.ts'
import { buildsNamespace, jobName } from '../../kinds/builds/names.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { type RecordOf, removedIfGone } from '../kube/if-gone.ts'

type Needs = Pick<ActivityNeeds, 'client' | 'builder'>
export type LiveJob = KubeObject &
  BuildJobView & {
    spec?: { template: { spec: { containers: { env?: { name: string; value?: string }[] }[] } } }
  }
export type LivePod = KubeObject & BuildPodView

const namespace = buildsNamespace
const refOf = (build: Build) => ({ type: coreTypes.job, namespace, name: jobName(build) })
const isOwn = ({ metadata }: KubeObject, build: Build) => metadata.labels?.[labels.owner] === build.metadata.uid

/** Age up to which a Secret is used for a new Job: tokens of the git host expire after an hour. */
const secretGoodMs = 15 * 60_000

/**
 * Creates the Secret and the Job; harmless to repeat. Of a build that is gone by then neither stays: the Secret holds
 * logins, and the Job would push an image that no record names. False if the install has no namespace for builds.
 */
export function makeJob(
  needs: Needs & Pick<ActivityNeeds, 'now'> & { builds: RecordOf<Build>['store'] },
  build: Build,
  credentials: BuildCredentials,
  inputs: BuildInputs,
): Promise<boolean> {
  const { client, builder, now } = needs
  const make = async () => {
    try {
      await removeOldSecret(client, build, now())
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
  return removedIfGone({ record: build, store: needs.builds }, make, () => removeMade(needs, build))
}

/** Removes the old Secret of a worker that died before it created the Job. */
async function removeOldSecret(client: ClusterClient, build: Build, now: Date): Promise<void> {
  const ref = { ...refOf(build), type: coreTypes.secret }
  const left = await client.get<KubeObject>(ref)
  const age = now.getTime() - Date.parse(left?.metadata.creationTimestamp ?? '')
  if (left === undefined || age < secretGoodMs || (await client.get<KubeObject>(refOf(build))) !== undefined) return
  await client.delete(ref, { propagation: 'Background' })
}

const secretPrefix = 'build-secrets-'

/** The credentials of the build, from its Secret: tokens are kept nowhere else. Empty once the Secret is gone. */
export async function readCredentials({ client }: Needs, build: Build): Promise<BuildCredentials> {
  const secret = await client.get<Sent<V1Secret>>({ ...refOf(build), type: coreTypes.secret })
  const texts = textsOf(secret)
  const git = gitKeys.flatMap((key) => (texts[`git-${key}`] === undefined ? [] : [[key, texts[`git-${key}`]] as const]))
  const secrets = Object.entries(texts).flatMap(([key, text]) =>
    key.startsWith(secretPrefix) ? [[key.slice(secretPrefix.length), text] as const] : [],
  )
  return {
    git: Object.fromEntries(git) as Record<string, string>,
    registry: texts['registry-config.json'] ?? '',
    secrets: Object.fromEntries(secrets),
  }
}

/** Where the Job pushes the image, read from the Job since the settings may have changed. */
export function destinationIn({ spec }: LiveJob): string {
  const env = spec?.template.spec.containers.flatMap((container) => container.env ?? []) ?? []
  return env.find(({ name }) => name === 'DESTINATION')?.value ?? ''
}

/** Creates an object whose name holds the uid of the build: one that exists already was created for this build. */
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

/** Removes Job and Secret of the build; true once the Job and its pods are gone. */
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
