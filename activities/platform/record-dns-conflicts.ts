/** Writes an Event for hosts of services that have DNS records of another owner, which svc leaves unchanged. */
import type { PlatformConfig } from '../../kinds/platform/kind.ts'
import { recordEvent } from '../kube/event.ts'
import type { PlatformNeeds } from './needs.ts'

const namedMax = 10

export async function recordForeign(
  { client, now }: PlatformNeeds,
  config: PlatformConfig,
  hosts: readonly string[],
): Promise<void> {
  if (hosts.length === 0) return
  const named = `${hosts.slice(0, namedMax).join(', ')}${hosts.length > namedMax ? ` and ${hosts.length - namedMax} more` : ''}`
  const message = `left alone, since their DNS records were not made by svc: ${named}`
  await recordEvent(
    client,
    config,
    { type: 'Warning', reason: 'ForeignRecords', message, occurrence: hosts.join(' ') },
    now(),
  )
}
