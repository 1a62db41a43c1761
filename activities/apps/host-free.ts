/** Whether a service's hosts are its own: two claims at the same moment pass the api, and only the older one is rolled out. */

import { hostsOf, ownerOfHost } from '../../kinds/apps/hosts.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import type { ActivityNeeds } from '../needs.ts'
import type { Wait } from '../environment-ready.ts'

/** Undefined when nobody else has the hosts. */
export function awaitHosts(needs: ActivityNeeds, app: App, spec: AppSpec): Wait | undefined {
  for (const host of hostsOf(spec)) {
    const owner = ownerOfHost([...needs.apps.cache.by('host', host).filter((other) => other.metadata.uid !== app.metadata.uid), app])
    if (owner !== undefined && owner.metadata.uid !== app.metadata.uid)
      return { reason: 'HostTaken', message: `host ${host} belongs to service ${owner.metadata.name}` }
  }
  return undefined
}
