/**
 * The releases of svc as versions of a Temporal Worker Deployment: which are known, which is current, and which of them
 * have workers that poll.
 */
import type { Client } from '@temporalio/client'
import proto from '@temporalio/proto'
import { controlQueue } from '../../durable/queues.ts'
import { grpcCodeOf } from '../client/client.ts'
import type { Releases } from './verdict.ts'
import { defined } from '../../contract/defined.ts'

export const deploymentName = 'svc'
const callMs = 10_000
const notFound = 5
const failedPrecondition = 9
/**
 * PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED: the server is too old, has versioning switched off, or does not
 * allow this client to use it.
 */
const denied = new Set([7, 12, 16])
/** A build id that no release has: setting it as current changes nothing, and shows whether this client may do so. */
const nobody = 'none'

export interface SeenReleases extends Releases {
  /** The conflict token: Temporal refuses a change with it if the deployment has changed since. */
  token: Uint8Array | undefined
}

type Timestamp = proto.google.protobuf.ITimestamp | null | undefined
const nanosecondsOf = (time: Timestamp): bigint =>
  BigInt(String(time?.seconds ?? 0)) * 1_000_000_000n + BigInt(time?.nanos ?? 0)

const inTime = <R>(client: Client, call: () => Promise<R>): Promise<R> => client.withDeadline(Date.now() + callMs, call)

export async function readReleases(client: Client): Promise<SeenReleases> {
  const { namespace } = client.options
  try {
    const { workerDeploymentInfo: info, conflictToken } = await inTime(client, () =>
      client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
    )
    const known = (info?.versionSummaries ?? []).map((version) => ({
      id: version.deploymentVersion?.buildId ?? '',
      since: nanosecondsOf(version.createTime),
      wasCurrent: version.firstActivationTime !== null && version.firstActivationTime !== undefined,
    }))
    const current = info?.routingConfig?.currentDeploymentVersion?.buildId ?? ''
    return { current: current === '' ? undefined : current, known, token: conflictToken ?? undefined }
  } catch (error) {
    if (grpcCodeOf(error) === notFound) return { current: undefined, known: [], token: undefined }
    throw error
  }
}

/**
 * Makes a release current; `undefined` stands for workers without a version. False if the deployment has changed since
 * it was read, or if Temporal does not know the release yet.
 */
export async function setCurrent(
  client: Client,
  buildId: string | undefined,
  token: Uint8Array | undefined,
): Promise<boolean> {
  const { namespace, identity } = client.options
  const request = {
    namespace,
    deploymentName,
    buildId: buildId ?? '',
    identity,
    ...defined({ conflictToken: token }),
  }
  try {
    await inTime(client, () => client.workflowService.setWorkerDeploymentCurrentVersion(request))
    return true
  } catch (error) {
    const code = grpcCodeOf(error)
    if (code === notFound || code === failedPrecondition) return false
    throw error
  }
}

/** Why svc cannot use worker versioning on this server; undefined if it can. */
export async function whyUnversioned(client: Client): Promise<string | undefined> {
  try {
    await readReleases(client)
    await setCurrent(client, nobody, undefined)
    return undefined
  } catch (error) {
    const code = grpcCodeOf(error)
    if (code === undefined || !denied.has(code)) throw error
    return error instanceof Error ? error.message : String(error)
  }
}

/** The task queues that workers of this release poll, as far as Temporal knows. */
export async function queuesOf(client: Client, buildId: string): Promise<ReadonlySet<string>> {
  const { namespace } = client.options
  try {
    const { versionTaskQueues } = await inTime(client, () =>
      client.workflowService.describeWorkerDeploymentVersion({
        namespace,
        deploymentVersion: { deploymentName, buildId },
      }),
    )
    return new Set((versionTaskQueues ?? []).map(({ name }) => name ?? ''))
  } catch (error) {
    if (grpcCodeOf(error) === notFound) return new Set()
    throw error
  }
}

/** The latest poll of any worker of this release, in nanoseconds; a live worker polls at least once a minute. */
export async function lastPolls(client: Client, buildId: string): Promise<string> {
  const { namespace } = client.options
  const taskQueueType = proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
  const { pollers } = await inTime(client, () =>
    client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: controlQueue }, taskQueueType }),
  )
  return (pollers ?? [])
    .filter(
      ({ deploymentOptions }) =>
        deploymentOptions?.deploymentName === deploymentName && deploymentOptions.buildId === buildId,
    )
    .map(({ lastAccessTime }) => nanosecondsOf(lastAccessTime))
    .reduce((latest, at) => (at > latest ? at : latest), 0n)
    .toString()
}
