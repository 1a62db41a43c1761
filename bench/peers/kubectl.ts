/** The peer of a deploy: the same Deployment, applied and awaited with kubectl. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectCluster } from '../../cluster/client.ts'
import { resolveServer } from '../../one-machine/index.ts'
import { type Made, makePeerNamespace, manifestOf, readSameObjects } from './same-objects.ts'

const run = promisify(execFile)
const namespace = 'bench-kubectl'
const name = 'peer'

export interface KubectlPeer {
  /** `kubectl apply`, then `kubectl rollout status`; resolves with the milliseconds both took. */
  deploy(image: string): Promise<number>
}

/**
 * Copies what svc made into a namespace of the peer's. kubectl applies the Deployment alone, which is least for it;
 * what stands beside it is there from the start.
 */
export async function createKubectlPeer(kubeconfig: string, folder: string, made: Made): Promise<KubectlPeer> {
  const client = connectCluster({ kubeconfig })
  const objects = await readSameObjects(client, made, name)
  await makePeerNamespace(client, namespace, objects)
  await client.close()
  const kubectl = await resolveServer('kubectl', { progress: () => undefined })
  const call = (...args: string[]) => run(kubectl, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args])
  return {
    async deploy(image) {
      const file = join(folder, 'kubectl-peer.json')
      await writeFile(file, JSON.stringify(manifestOf(objects.deployment(image))))
      const began = performance.now()
      await call('apply', '-f', file)
      await call('rollout', 'status', `deployment/${name}`, '--timeout=120s')
      return performance.now() - began
    },
  }
}
