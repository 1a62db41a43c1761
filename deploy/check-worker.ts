/** The health check of a worker's container: exit code 0 while Temporal receives polls of this container. */
import { hostname } from 'node:os'
import proto from '@temporalio/proto'
import { controlQueue } from '../durable/queues.ts'
import { connectTemporal, temporalSettings } from '../temporal/client/client.ts'

/** A poll lasts up to a minute; an older one belongs to a worker that is gone. */
const polledWithinMs = 90_000
const answerWithinMs = 4_000

const settings = temporalSettings(process.env)
const { client, close } = connectTemporal(settings)
try {
  const ask = {
    namespace: settings.namespace,
    taskQueue: { name: controlQueue },
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  }
  const { pollers } = await client.withDeadline(Date.now() + answerWithinMs, () =>
    client.workflowService.describeTaskQueue(ask),
  )
  // The SDK's identity is <pid>@<host name>.
  const received = (pollers ?? []).some(
    ({ identity, lastAccessTime }) =>
      identity?.endsWith(`@${hostname()}`) === true &&
      Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < polledWithinMs,
  )
  if (!received) throw new Error(`no worker of ${hostname()} asks for work`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await close()
}
