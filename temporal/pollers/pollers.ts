/** The pollers of a worker: the task queues that it serves, each with its activities and limits. */
import { type NativeConnection, Worker } from '@temporalio/worker'
import { createGitHostActivities } from '../../activities/githost/activities.ts'
import { createReportActivities } from '../../activities/githost/report.ts'
import type { createPlatformActivities } from '../../activities/platform/activities.ts'
import { createFunctionActivities } from '../../activities/functions/call.ts'
import { combineActivities, createProvisionedActivities } from '../../activities/provisioned-kinds.ts'
import { createResyncActivities, type ResyncNeeds } from '../../activities/resync/activities.ts'
import { createWebhookActivities } from '../../activities/webhooks/deliver.ts'
import { controlQueue, functionQueue, webhookQueue } from '../../durable/queues.ts'
import { createWebhookSender } from '../../outside/webhooks/sender.ts'
import { Heartbeat } from './heartbeat.ts'
import { createOwnActivities } from '../own-workflow-kinds.ts'
import { deploymentName } from '../releases/deployment.ts'
import type { WorkerOptions } from '../worker-options.ts'

/**
 * One poller for workflows and their activities on the cluster, one for webhooks and reports, and one for calls of
 * functions, so that a slow receiver never holds a slot that deploys need.
 */
export async function createPollers(
  {
    cluster,
    temporal: { namespace, policy },
    release,
    metrics,
    privateWebhooks,
    now = () => new Date(),
  }: WorkerOptions,
  connection: NativeConnection,
  needs: ResyncNeeds,
  platform: ReturnType<typeof createPlatformActivities>,
  versioned: boolean,
): Promise<Worker[]> {
  const beating = () => ({ inbound: new Heartbeat() })
  const polling = {
    connection,
    namespace,
    interceptors: { activity: [beating] },
    shutdownGraceTime: '5 s' as const,
    shutdownForceTime: '8 s' as const,
    // AUTO_UPGRADE moves open runs to the current release: the release that started them may have no workers left.
    workerDeploymentOptions: {
      version: { deploymentName, buildId: release.id },
      ...(versioned
        ? ({ useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' } as const)
        : ({ useWorkerVersioning: false } as const)),
    },
  }
  const control = await Worker.create({
    ...polling,
    interceptors: { activity: [beating, ...(metrics === undefined ? [] : [() => ({ inbound: metrics.passes })])] },
    taskQueue: controlQueue,
    workflowBundle: release.workflows,
    activities: combineActivities([
      ...createOwnActivities(needs),
      createGitHostActivities(needs),
      createProvisionedActivities(needs),
      createResyncActivities(needs),
      platform,
    ]),
    maxCachedWorkflows: 300,
    maxConcurrentActivityTaskExecutions: 40,
    maxConcurrentWorkflowTaskExecutions: 20,
    stickyQueueScheduleToStartTimeout: policy.stickyMs,
  })
  const sender = createWebhookSender({ allowPrivate: privateWebhooks, tryMs: policy.webhookTryMs, now })
  const webhooks = await Worker.create({
    ...polling,
    taskQueue: webhookQueue,
    activities: {
      ...createWebhookActivities({ client: cluster, projects: needs.projects, sender }),
      ...createReportActivities(needs),
    },
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentActivityTaskPolls: 2,
  })
  const functions = await Worker.create({
    ...polling,
    taskQueue: functionQueue,
    activities: createFunctionActivities(needs),
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentActivityTaskPolls: 2,
  })
  return [control, webhooks, functions]
}
