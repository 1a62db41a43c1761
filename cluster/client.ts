/** Opens the connection to a cluster. */
import type { ClusterClient } from './cluster-client.ts'
import { openCredentials } from './credentials.ts'
import { createClient } from './kube-client.ts'
import type { CredentialSource } from './kubeconfig.ts'
import { createTransport } from './transport.ts'
import type { OnRequest } from './transport.ts'

export type { ClusterClient } from './cluster-client.ts'

export interface ConnectOptions extends CredentialSource {
  /** For metrics: verb (`list`), resource (`pods`), HTTP status or 0, milliseconds. */
  onRequest?: OnRequest
}

/**
 * Finds the cluster like kubectl does: the given kubeconfig, KUBECONFIG, ~/.kube/config, the pod's service account.
 * Throws at once when none of them names a cluster; connects with the first request.
 */
export function connectCluster(options: ConnectOptions = {}): ClusterClient & { close(): Promise<void> } {
  const credentials = openCredentials(options)
  const client = createClient(createTransport(credentials, options.onRequest))
  return { ...client, close: () => credentials.close() }
}
