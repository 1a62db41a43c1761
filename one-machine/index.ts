/**
 * The public interface of the one-machine stack: bench/, deploy/ and the harness of the tests import this file and
 * processes/index.ts, and no other (check/imports/boundaries.ts).
 */
export { withLists } from './debian/apt.ts'
export { startGitServer } from './git/server.ts'
export { functionImageNames } from './images/functions.ts'
export { installInto, readDefinitions } from './install.ts'
export { storeSettings } from './logs/store-settings.ts'
export { createLogStore, type LogStore } from './logs/store.ts'
export { createMetricsStore, metricsStoreArguments, type MetricsStore } from './metrics/store.ts'
export { canHaveNode } from './node/can-have.ts'
export { aptInstall, aptIsHere } from './debian/packages.ts'
export { imageEnvironment } from './platform.ts'
export { locateCache } from './servers/cache.ts'
export type { ServerName } from './servers/catalogue.ts'
export { resolveServer, resolveServers } from './servers/resolve.ts'
export { serverNames } from './simulated/servers.ts'
export { startSimulatedCluster, type SimulatedCluster } from './simulated/start.ts'
export { type Stack, type StackOptions, serversOf, startStack } from './stack.ts'
export { startTemporal, type TemporalServer } from './temporal-server.ts'
export { withCluster } from './cluster.ts'
