/** The peer of a deploy: the same Deployment, applied and awaited with kubectl. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { V1Deployment } from '@kubernetes/client-node'
import { connectCluster } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resolveServer } from '../../one-machine/index.ts'

const run = promisify(execFile)
const namespace = 'bench-kubectl'
const name = 'peer'

export interface KubectlPeer {
  /** `kubectl apply`, then `kubectl rollout status`; resolves with the milliseconds both took. */
  deploy(image: string): Promise<number>
}

/** Copies a Deployment that svc made into a namespace of the peer's, under labels of its own. */
export async function createKubectlPeer(
  kubeconfig: string,
  folder: string,
  made: { namespace: string; name: string },
): Promise<KubectlPeer> {
  const client = connectCluster({ kubeconfig })
  const found = await client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, ...made })
  if (found?.spec === undefined) throw new Error(`svc made no Deployment ${made.name} in ${made.namespace}`)
  await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await client.close()
  const { spec } = found
  const kubectl = await resolveServer('kubectl', { progress: () => undefined })
  const call = (...args: string[]) => run(kubectl, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args])
  return {
    async deploy(image) {
      const file = join(folder, 'kubectl-peer.json')
      await writeFile(file, JSON.stringify(manifest(spec, image)))
      const began = performance.now()
      await call('apply', '-f', file)
      await call('rollout', 'status', `deployment/${name}`, '--timeout=120s')
      return performance.now() - began
    },
  }
}

function manifest(spec: NonNullable<Sent<V1Deployment>['spec']>, image: string) {
  const labels = { app: name }
  // Its own namespace has no service account of that name.
  const { serviceAccountName: _, serviceAccount: __, ...pod } = spec.template.spec ?? { containers: [] }
  const containers = pod.containers.map((container): object => ({ ...container, image }))
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      ...spec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...pod, containers } },
    },
  }
}
