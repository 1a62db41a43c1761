/** For a record that is removed without its cloud: names what may remain there, before anything else is deleted. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { recordEvent } from '../kube/event.ts'
import type { ActivityNeeds } from '../context/needs.ts'

/**
 * `stays` names what was created in the cloud, and holds no secret. A repetition writes neither the Event nor the log
 * line again.
 */
export async function recordAbandoned(
  { client, log, now }: Pick<ActivityNeeds, 'client' | 'log' | 'now'>,
  record: KubeObject,
  stays: readonly string[],
): Promise<void> {
  const message = `deleted without asking the cloud; what stays there: ${stays.join(', ')}`
  const isNew = await recordEvent(
    client,
    record,
    { type: 'Warning', reason: 'Abandoned', message, occurrence: 'removal' },
    now(),
  )
  if (isNew)
    log.warn({ kind: record.kind, name: record.metadata.name, stays }, 'a record was removed without asking its cloud')
}
