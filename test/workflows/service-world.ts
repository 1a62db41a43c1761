/** Makes the services of the tests and reads what exists for them on the cluster. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { workflowId } from '../../durable/ids.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { DeploymentView } from '../../kinds/apps/assess/health.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { acceptedIn } from '../../records/store/attempt-history.ts'
import { stepsOf as wholeSteps } from '../../records/store/success-steps.ts'
import { connectTemporal, temporalSettings } from '../../temporal/client/client.ts'
import { eventually } from '../cluster/eventually.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { useStack } from '../harness/stack.ts'
import { useWorker } from '../harness/worker.ts'

type Live = KubeObject & DeploymentView & { spec: { template: { spec: { containers: { image: string }[] } } } }

export interface ServiceWorld {
  records: TestRecords
  /** A project that is set up. */
  project: Project
}

/** Resolves when a worker runs and a project of the test file's own is ready. */
export async function openWorld(): Promise<ServiceWorld> {
  const records = await useRecords()
  await useWorker()
  const project = await createProject(records)
  await untilSetUp(records, project)
  return { records, project }
}

export async function untilSetUp(records: TestRecords, project: Project): Promise<void> {
  await until(
    records.projects,
    project,
    (seen) => seen?.status?.conditions?.some((it) => it.status === 'True') === true,
    'ready',
  )
}

export const attemptIn = (app: App): string => viewOf(app).attempt?.record ?? ''

export function liveDeployment({ client }: TestRecords, app: App): Promise<Live | undefined> {
  return client.get<Live>({ type: coreTypes.deployment, namespace: targetNamespace(app.spec), name: app.metadata.name })
}

/** Edits the spec past the api, as kubectl does. */
export function edit(
  { apps }: TestRecords,
  app: App,
  change: (spec: App['spec']) => Partial<App['spec']>,
): Promise<App | undefined> {
  return apps.edit(app.metadata.name, (current) => ({ ...current, spec: { ...current.spec, ...change(current.spec) } }))
}

/** The history of an attempt as callers read it, once it has more than its first line. */
export async function stepsOf(records: TestRecords, attempt: string): Promise<string> {
  let steps: readonly string[] = []
  await eventually(
    `the history of ${attempt}`,
    async () => (steps = await stepsNow(records, attempt)).some((line) => !/^\S+ accepted: /.test(line)),
    30_000,
  )
  return steps.join('\n')
}

/** The lines of an attempt as callers read them now. */
export async function stepsNow(
  { client, apps, deployments }: TestRecords,
  attempt: string,
): Promise<readonly string[]> {
  const record = await deployments.readLive(attempt)
  const app = record && (await apps.readLive(record.spec.app))
  const logged = (await readAttemptLog(client, attempt))?.steps ?? []
  return record && app ? wholeSteps(app, attempt, acceptedIn(record), logged) : logged
}

/** How many waits of the newest run ended without a wake. */
export async function timersFired(app: App): Promise<number> {
  const { temporalAddress } = await useStack()
  const temporal = connectTemporal(temporalSettings({ SVC_TEMPORAL_ADDRESS: temporalAddress }))
  try {
    const { events } = await temporal.client.workflow.getHandle(workflowId('app', app.metadata.name)).fetchHistory()
    return (events ?? []).filter(
      (event) => event.timerFiredEventAttributes !== undefined && event.timerFiredEventAttributes !== null,
    ).length
  } finally {
    await temporal.close()
  }
}
