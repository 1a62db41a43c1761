/** Services from git in the tests, and their builds: the simulated nodes run no builder, so its pod is played. */
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { buildsNamespace, jobName } from '../../kinds/builds/names.ts'
import { isFinished } from '../../kinds/builds/phase.ts'
import { notClonedCode } from '../../kinds/builds/wait-for-clone.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { eventually } from '../cluster/eventually.ts'
import { createApp, type TestRecords, until } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'

export const repository = 'https://git.example.test/team/web.git'
export const revision = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
export const digest = `sha256:${'ab'.repeat(32)}`
const waitMs = 25_000

/** For a worker that builds. Builds that other tests left running hold places, so there are more than one may leave. */
export const builderEnv = {
  SVC_BUILDER_IMAGE: 'svc/builder:test',
  SVC_BUILD_REGISTRY: 'registry.example.test/svc/builds',
  SVC_BUILDS_AT_ONCE: '50',
}

export const createGitApp = (
  records: TestRecords,
  project: Project,
  git: Partial<NonNullable<AppSpec['source']['git']>> = {},
  spec: Partial<AppSpec> = {},
): Promise<App> =>
  createApp(records, project, {
    source: { git: { repository, branch: 'main', ...git } } as AppSpec['source'],
    ...spec,
  })

const untilBuild = (
  { builds }: TestRecords,
  name: string,
  wanted: (build: Build) => boolean,
  what: string,
): Promise<Build> => until(builds, { metadata: { name } }, (build) => build !== undefined && wanted(build), what)

export const untilPhase = (records: TestRecords, name: string, phase: string): Promise<Build> =>
  untilBuild(records, name, ({ status }) => status?.phase === phase, phase)

/** It is over, and what was made for it is gone. */
export const untilCleaned = (records: TestRecords, name: string): Promise<Build> =>
  untilBuild(records, name, (build) => isFinished(build) && build.status?.jobRef === undefined, 'cleaned up')

export type Job = KubeObject & {
  spec?: { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } }
}

export const jobOf = ({ client }: TestRecords, build: Build): Promise<Job | undefined> =>
  client.get<Job>({ type: coreTypes.job, namespace: buildsNamespace, name: jobName(build) })

export const secretOf = ({ client }: TestRecords, build: Build): Promise<KubeObject | undefined> =>
  client.get<KubeObject>({ type: coreTypes.secret, namespace: buildsNamespace, name: jobName(build) })

/** How a container of the played pod ended. */
export interface Ending {
  exitCode?: number
  message?: string
  reason?: string
}

/** Ends the containers of the build's pod as the scripts of the builder would, once the Job has made it. */
export async function playBuild(
  { client }: TestRecords,
  build: Build,
  { clone, build: built }: { clone: Ending; build?: Ending },
): Promise<void> {
  const selector = { namespace: buildsNamespace, labelSelector: `${labels.owner}=${build.metadata.uid ?? ''}` }
  const pods = async () =>
    (await client.list<KubeObject & { status?: { phase?: string } }>(coreTypes.pod, selector)).items
  await eventually('the pod of the build runs', async () => (await pods())[0]?.status?.phase === 'Running', waitMs)
  const [pod] = await pods()
  if (pod !== undefined) await endPod(client, pod, { clone, build: built })
}

/** Ends the containers of a pod of a build as its scripts would. */
export async function endPod(
  client: TestRecords['client'],
  { metadata: { name } }: KubeObject,
  { clone, build: built }: { clone: Ending; build?: Ending | undefined },
): Promise<void> {
  const fails = [clone, built].some((end) => (end?.exitCode ?? 0) !== 0)
  const status = {
    phase: fails ? 'Failed' : 'Succeeded',
    containerStatuses: [ended('clone', clone), ended('build', built ?? { exitCode: notClonedCode, reason: 'Error' })],
  }
  await client.patch({ type: coreTypes.pod, namespace: buildsNamespace, name }, { status }, { subresource: 'status' })
}

/** A build that goes well. */
export const playSuccess = (records: TestRecords, build: Build, commit = revision): Promise<void> =>
  playBuild(records, build, {
    clone: { message: JSON.stringify({ revision: commit }) },
    build: { message: JSON.stringify({ digest, bytes: 4096, steps: 3, cachedSteps: 2 }) },
  })

const common = (name: string) => ({ name, image: 'svc/builder', imageID: '', ready: false, restartCount: 0 })

const ended = (name: string, { exitCode = 0, message = '', reason = 'Completed' }: Ending) => {
  const at = new Date().toISOString()
  return { ...common(name), state: { terminated: { exitCode, message, reason, startedAt: at, finishedAt: at } } }
}

/** The newest run of a workflow as text; payloads are bytes, which JSON would hide. */
export async function historyOf(workflow: string): Promise<string> {
  const { temporalAddress } = await useStack()
  const temporal = connectTemporal(temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress }))
  try {
    const { events } = await temporal.client.workflow.getHandle(workflow).fetchHistory()
    return JSON.stringify(events, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    )
  } finally {
    await temporal.close()
  }
}
