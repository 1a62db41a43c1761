/** A connection to a cluster for as long as one piece of work takes. */
import { connectCluster, type ClusterClient } from '../cluster/client.ts'
import { defined } from '../contract/defined.ts'

/** `kubeconfig` is a path; undefined finds the cluster as kubectl does. The connection is closed whatever happens. */
export async function withCluster<Result>(
  kubeconfig: string | undefined,
  work: (client: ClusterClient) => Promise<Result>,
): Promise<Result> {
  const client = connectCluster(defined({ kubeconfig }))
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}
