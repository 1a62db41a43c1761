/** The peer of a deploy: the same Deployment, applied and awaited with kubectl. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectCluster } from '../../cluster/client.ts'
import { resolveServer } from '../../one-machine/index.ts'
import { copyDeployment, peerName } from './copied-deployment.ts'

const run = promisify(execFile)
const namespace = 'bench-kubectl'

export interface KubectlPeer {
  /** `kubectl apply`, then `kubectl rollout status`; resolves with the milliseconds both took. */
  deploy(image: string, release: string): Promise<number>
}

/** Copies a Deployment that svc made into a namespace of the peer's, under labels of its own. */
export async function createKubectlPeer(
  kubeconfig: string,
  folder: string,
  made: { namespace: string; name: string },
): Promise<KubectlPeer> {
  const client = connectCluster({ kubeconfig })
  const manifest = await copyDeployment(client, made, namespace)
  await client.close()
  const kubectl = await resolveServer('kubectl', { progress: () => undefined })
  const call = (...args: string[]) => run(kubectl, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args])
  return {
    async deploy(image, release) {
      const file = join(folder, 'kubectl-peer.json')
      await writeFile(file, JSON.stringify(manifest(image, release)))
      const began = performance.now()
      await call('apply', '-f', file)
      await call('rollout', 'status', `deployment/${peerName}`, '--timeout=120s')
      return performance.now() - began
    },
  }
}
