/** Deploying, going back, and waiting for the end of either: a deploy that failed is an answer, not an error. */
import { z } from 'zod'
import { ApiError } from '../../client/api-error.ts'
import { previousDeployment } from '../../client/apps/changes.ts'
import { describeDeploy, waitForDeploy, type DeployStatus } from '../../client/wait/deploy.ts'
import { operations } from '../../contract/operations.ts'
import { appName, resourceName, waitArguments } from '../tool/arguments.ts'
import { defineTool, ToolError, type ToolCall } from '../tool/tool.ts'
import { defined } from '../../contract/defined.ts'
import { failedDeployLogLines } from '../../contract/limits.ts'

const ended = z.object({
  app: z.string(),
  outcome: z
    .enum(['accepted', 'complete', 'failed', 'timed_out'])
    .describe('accepted: not waited for. timed_out: the deploy goes on; look with app_status.'),
  reason: z.string().optional().describe('Why it failed, or what it still waits for.'),
  elapsed_seconds: z.number().optional(),
  status: operations['apps.status'].view.optional().describe('The last status read while waiting.'),
  log: operations['apps.deployment-logs'].view.shape.sections
    .optional()
    .describe('Of a failed deploy: the last lines of each stage.'),
})

type Ended = z.output<typeof ended>

export const deployTools = [
  defineTool({
    name: 'deploy_app',
    title: 'Deploy a service',
    description:
      'Deploys everything that is saved for a service: settings and variables. Without a change it restarts the copies. ' +
      'With wait=true it returns at the end of the deploy: outcome complete or failed (with the reason and the end of ' +
      'the log), or timed_out while the deploy goes on. A failed deploy leaves the earlier release running. Not for ' +
      'the number of copies: scale_app applies at once.',
    effect: 'change',
    operations: ['apps.deploy', 'apps.status'],
    input: z.strictObject({ app: appName(), ...waitArguments }),
    output: ended,
    run: async ({ app, ...wait }, call) =>
      await actAndWait(call, app, wait, async ({ client, signal }) => {
        await client.call('apps.deploy', { app }, { signal })
      }),
    inWords: endedText,
  }),
  defineTool({
    name: 'rollback_app',
    title: 'Go back to an earlier deployment',
    description:
      'Deploys the image and number of copies of an earlier deployment again; variables stay as they are now. Without ' +
      '`deployment` it goes to the last one before the current that did not fail. Waits and returns as deploy_app ' +
      'does. Functions cannot be rolled back. Not for a change that was saved and not deployed.',
    effect: 'change',
    operations: ['apps.rollback', 'apps.deployments', 'apps.status'],
    input: z.strictObject({
      app: appName(),
      deployment: resourceName(
        'ID from app_deployments; the last one before the current that did not fail if left out.',
      ).optional(),
      ...waitArguments,
    }),
    output: ended,
    run: async ({ app, deployment, ...wait }, call) => {
      const revision = deployment ?? (await previousDeployment(call.client, app, call.signal))
      if (revision === undefined)
        throw new ToolError(`${app} has no earlier deployment to go back to that succeeded`, true)
      return await actAndWait(call, app, { ...wait, leavesPending: true }, async ({ client, signal }) => {
        await client.call('apps.rollback', { app, revision }, { signal })
      })
    },
    inWords: endedText,
  }),
]

interface WaitArguments {
  wait: boolean
  timeout_seconds: number
  /** A rollback leaves saved changes undeployed. */
  leavesPending?: boolean
}

/** The status is read before, so that the end of an earlier deploy does not count as the end of this one. */
async function actAndWait(
  call: ToolCall,
  app: string,
  { wait, timeout_seconds: seconds, leavesPending = false }: WaitArguments,
  act: (call: ToolCall) => Promise<void>,
): Promise<Ended> {
  const { client, signal, now, sleep, progress } = call
  if (!wait) {
    await act(call)
    return { app, outcome: 'accepted' }
  }
  const before = await client.call('apps.status', { app }, { signal })
  await act(call)
  const totalMs = seconds * 1000
  const { outcome, reason, status, elapsedMs } = await waitForDeploy({
    client,
    app,
    before,
    leavesPending,
    timeoutMs: totalMs,
    now,
    sleep,
    signal,
    onStatus: (seen, elapsed) => progress({ elapsedMs: elapsed, totalMs, message: stepText(seen) }),
    onTrouble: (error, elapsed) => progress({ elapsedMs: elapsed, totalMs, message: `${error.message}; trying again` }),
  })
  const log = outcome === 'failed' ? await logTail(call, app, status) : undefined
  return {
    app,
    outcome: outcome === 'timedOut' ? 'timed_out' : outcome,
    ...(reason === '' ? {} : { reason }),
    elapsed_seconds: Math.round(elapsedMs / 1000),
    ...defined({ status, log }),
  }
}

function stepText(status: DeployStatus): string {
  const { step, detail } = describeDeploy(status)
  return detail === '' ? step : `${step}: ${detail}`
}

/** The log is a help, not the answer: that it cannot be read changes no outcome. */
async function logTail({ client, signal }: ToolCall, app: string, status: DeployStatus | undefined) {
  const id = status?.lastAttempt?.id
  if (id === undefined) return undefined
  try {
    const { sections } = await client.call('apps.deployment-logs', { app, id }, { signal })
    return sections
      .filter(({ lines }) => lines.length > 0)
      .map((section) => ({ ...section, lines: section.lines.slice(-failedDeployLogLines) }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [{ id: 'log', title: 'Log', lines: [`the log of the deployment cannot be shown: ${error.message}`] }]
  }
}

function endedText({ app, outcome, reason, elapsed_seconds: seconds, status, log }: Ended): string {
  const why = reason === undefined ? '' : `: ${reason}`
  const first = {
    accepted: `the deploy of ${app} was accepted; look with app_status`,
    complete: `${app} is ready after ${seconds} seconds${status?.url ? `: ${status.url}` : ''}`,
    failed: `the deploy of ${app} failed after ${seconds} seconds${why}`,
    timed_out: `${app} is not ready after ${seconds} seconds${why}; the deploy goes on, look with app_status`,
  }[outcome]
  return [first, ...(log ?? []).map(({ title, lines }) => [`## ${title}`, ...lines].join('\n'))].join('\n\n')
}
