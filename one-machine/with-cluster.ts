/** A connection to a cluster for the duration of one function. */
import { connectCluster, type ClusterClient } from '../cluster/client.ts'
import { defined } from '../contract/defined.ts'

/** `kubeconfig` is a path; undefined uses kubectl's rules. The connection is always closed. */
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
