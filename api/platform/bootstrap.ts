/** `GET /api/bootstrap`: everything a dashboard starts from, out of memory. */
import { canMutate } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import type { Handler } from '../handler.ts'
import type { Caches } from '../caches.ts'
import type { Needs } from '../needs.ts'
import { listed, redacted, whole } from './shown.ts'
import { runningPods, summarise } from './summary.ts'

type Bootstrap = View<'platform.bootstrap'>

/** CPU in use needs a metrics store; without one it is null, not nought. */
const unknownCpu = null

export const bootstrap =
  ({ caches }: Needs): Handler<'platform.bootstrap'> =>
  async ({ caller }) => ({
    ...(canMutate(caller) ? wholeLists(caches) : redactedLists(caches)),
    platform: summarise(caches, caller),
    metrics: { runningPods: runningPods(caches), nodes: caches.nodes.list().length, cpuCores: unknownCpu },
  })

type Lists = Omit<Bootstrap, 'platform' | 'metrics'>

function wholeLists(caches: Caches): Lists {
  return {
    projects: listed(caches.projects.list(), whole),
    apps: listed(caches.apps.list(), whole),
    databases: listed(caches.databases.list(), whole),
    logicalDatabases: listed(caches.logicalDatabases.list(), whole),
    objectStores: listed(caches.objectStores.list(), whole),
    deployments: listed(caches.deployments.list(), whole),
    builds: listed(caches.builds.list(), whole),
    clusters: listed(caches.clusters.list(), whole),
    haReadiness: listed(caches.haReadiness.list(), whole),
    backupArchives: listed(caches.backupArchives.list(), whole),
    cloudConnections: listed(caches.cloudConnections.list(), whole),
    platformConfig: listed(caches.platformConfig.list(), whole),
  }
}

/** "builds (empty for viewers/observers)", and so the connections and the configuration. */
function redactedLists(caches: Caches): Lists {
  const empty = { items: null }
  return {
    projects: listed(caches.projects.list(), redacted.project),
    apps: listed(caches.apps.list(), redacted.app),
    databases: listed(caches.databases.list(), redacted.owned),
    logicalDatabases: listed(caches.logicalDatabases.list(), redacted.owned),
    objectStores: listed(caches.objectStores.list(), redacted.owned),
    deployments: listed(caches.deployments.list(), redacted.deployment),
    builds: empty,
    clusters: listed(caches.clusters.list(), redacted.other),
    haReadiness: listed(caches.haReadiness.list(), redacted.other),
    backupArchives: listed(caches.backupArchives.list(), redacted.other),
    cloudConnections: empty,
    platformConfig: empty,
  }
}
