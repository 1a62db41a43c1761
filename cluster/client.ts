/** Opens the connection to a cluster. */
import { type ClusterClock, createClusterClock } from './http/clock.ts'
import type { ClusterClient } from './objects/cluster-client.ts'
import { openCredentials } from './http/credentials.ts'
import { createClient } from './http/kube-client.ts'
import type { CredentialSource } from './http/kubeconfig.ts'
import { createTransport, type OnRequest } from './http/transport.ts'

export type { ClusterClient } from './objects/cluster-client.ts'

export interface ConnectOptions extends CredentialSource {
  /** For metrics: verb (`list`), resource (`pods`), HTTP status or 0, milliseconds. */
  onRequest?: OnRequest
  /**
   * Called when the clock of this machine differs much from the cluster's: milliseconds ahead, below 0 for behind; 0
   * when the clocks agree again.
   */
  onSkew?: (aheadMs: number) => void
}

export interface ConnectedCluster extends ClusterClient {
  /** The clock to compare with times that the cluster or another process wrote. */
  clock: ClusterClock
  close(): Promise<void>
}

/**
 * Finds the cluster like kubectl does: the given kubeconfig, KUBECONFIG, ~/.kube/config, the pod's service account.
 * Throws at once when none of them names a cluster; connects with the first request.
 */
export function connectCluster(options: ConnectOptions = {}): ConnectedCluster {
  const credentials = openCredentials(options)
  const clock = createClusterClock(Date.now, options.onSkew)
  const client = createClient(createTransport(credentials, clock, options.onRequest))
  return { ...client, clock, close: () => credentials.close() }
}
