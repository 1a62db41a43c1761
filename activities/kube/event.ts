/** Kubernetes Events on a record: what `kubectl describe` shows. */
import type { CoreV1Event } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { digest } from '../../kinds/meta/digest.ts'
import type { EventReason } from '../../kinds/meta/event-reasons.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'

export interface RecordedEvent {
  type: 'Normal' | 'Warning'
  reason: EventReason
  message: string
  /** Identifies an occurrence; the same one is written once however often the activity runs. */
  occurrence: string
}

/** Creates the Event once, however often the call is repeated; resolves with whether this call created it. */
export async function recordEvent(
  client: ClusterClient,
  about: KubeObject,
  event: RecordedEvent,
  at: Date,
): Promise<boolean> {
  const { name, uid = '' } = about.metadata
  const time = at.toISOString().replace(/\.\d+Z$/, 'Z')
  const object: Sent<CoreV1Event> = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${digest([uid, event.reason, event.occurrence]).slice(0, 16)}`,
      namespace: systemNamespace,
    },
    involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace: systemNamespace, uid },
    type: event.type,
    reason: event.reason,
    message: event.message.slice(0, 1000),
    source: { component: 'svc' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    reportingComponent: 'svc',
    reportingInstance: 'svc',
  }
  try {
    await client.create(coreTypes.event, object)
    return true
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return false
  }
}
