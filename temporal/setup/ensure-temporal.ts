/**
 * What svc needs of a Temporal server: its namespace, its search attributes and the resync schedule; repeating it is
 * harmless.
 */
import { type Client, type Connection, ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time.js'
import type { Logger } from '../../cluster/objects/log.ts'
import { resyncScheduleId } from '../../durable/ids.ts'
import type { Policy } from '../../durable/policy.ts'
import { controlQueue } from '../../durable/queues.ts'
import { searchAttributes } from '../../durable/search-attributes.ts'
import { grpcCodeOf } from '../client/client.ts'

const retention = '7 days'
const keywordType = 2 // temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
const alreadyExists = 6
const denied = new Set([7, 12, 16]) // PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED

/** Creates the namespace if the server allows that; on a managed Temporal it exists already. */
export async function ensureNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(retention),
    })
  } catch (error) {
    const code = grpcCodeOf(error)
    if (code !== alreadyExists && !(code !== undefined && denied.has(code))) throw error
  }
}

/** True once all search attributes are registered; false, with a log line, if this install may not register them. */
export async function ensureSearchAttributes(connection: Connection, namespace: string, log: Logger): Promise<boolean> {
  const wanted = Object.values(searchAttributes).map((attribute) => attribute.name)
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
    const missing = wanted.filter((name) => !(name in (customAttributes ?? {})))
    if (missing.length > 0)
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(missing.map((name) => [name, keywordType])),
      })
    return true
  } catch (error) {
    const code = grpcCodeOf(error)
    if (code === alreadyExists) return true
    if (code === undefined || !denied.has(code)) throw error
    log.warn(
      { error: String(error) },
      'no right to register search attributes: set SVC_SEARCH_ATTRIBUTES=off for api and worker, and runs go without them',
    )
    return false
  }
}

/** Creates or updates the Schedule of the resync; the policy of the worker that started last counts. */
export async function ensureResync(client: Client, policy: Policy): Promise<void> {
  const action = {
    type: 'startWorkflow' as const,
    workflowType: 'resync',
    taskQueue: controlQueue,
    args: [{ policy }],
    workflowId: resyncScheduleId,
  }
  const spec = { intervals: [{ every: policy.resyncMs }] }
  const policies = { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' as const }
  try {
    await client.schedule.create({ scheduleId: resyncScheduleId, spec, action, policies })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await client.schedule
      .getHandle(resyncScheduleId)
      .update((previous) => ({ ...previous, spec, action: { ...action, workflowId: resyncScheduleId }, policies }))
  }
}
