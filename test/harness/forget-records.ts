/** Removes what a test file left: every worker of a later file would go on with all of it. */
import { WorkflowNotFoundError } from '@temporalio/client'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { type ComparedKind, comparedKinds, resourceTypes } from '../../kinds/meta/resource-types.ts'
import { reservationsName } from '../../records/apps/reserve-capacity.ts'
import { useStack } from './stack.ts'
import { useClient } from './temporal-client.ts'

const compared = (Object.keys(comparedKinds) as ComparedKind[]).map((kind) => resourceTypes[kind])
const ofTests = [...compared, resourceTypes.deployment, resourceTypes.platformConfig]

/**
 * Removes all records and ends all runs: a service that fails, or a message to an address where no server listens, is
 * tried again every second as long as there is a worker. What a run has made in the cluster stays there.
 */
export async function forgetAll(): Promise<void> {
  await forgetRecords()
  const { workflow } = await useClient()
  for await (const { workflowId, runId } of workflow.list({ query: 'ExecutionStatus = "Running"' }))
    await workflow.getHandle(workflowId, runId).terminate('its test is over').catch(ignoreEnded)
}

/** It ended by itself meanwhile. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}

/** For files that run without a worker: removes the finalizers, since no controller does. */
export async function forgetRecords(): Promise<void> {
  const { client } = await useStack()
  for (const type of ofTests) {
    const { items } = await client.list<KubeObject>(type, { namespace: systemNamespace, metadataOnly: true })
    await Promise.all(
      items.map(async ({ metadata: { name, finalizers = [] } }) => {
        const ref = { type, namespace: systemNamespace, name }
        if (finalizers.length > 0) await client.patch(ref, { metadata: { finalizers: null } })
        await client.delete(ref)
      }),
    )
  }
  await client.delete({ type: coreTypes.configMap, namespace: systemNamespace, name: reservationsName })
}
