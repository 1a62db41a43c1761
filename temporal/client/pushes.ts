/** Starts the durable work on a push; a delivery that was ever started is left alone. */
import { pushId, pushWorkflow } from '../../durable/ids.ts'
import type { PushInput } from '../../kinds/apps/push.ts'
import { startOnce } from './start-once.ts'
import type { WakeOptions } from './wakes.ts'

/** `start` resolves when the work is started, now or before. Rejects when Temporal does not answer. */
export function createPushes(options: WakeOptions): { start(input: PushInput): Promise<void> } {
  return {
    // The git host sends a delivery again for days at most, and ended runs are kept longer.
    start: (input) =>
      startOnce(options, {
        type: pushWorkflow,
        workflowId: pushId(input.delivery),
        input,
        summary: `push to ${input.push.branch} of ${input.push.repository}`,
        attributes: { kind: 'githost', resource: input.push.repository, operation: 'push' },
      }),
  }
}
