/**
 * The rollout alone: the same Deployment, applied by one request of a warm client, and watched until its copies are up
 * by the rule of svc. What a deploy takes beyond this is svc's own, or kubectl's.
 */
import { ResourceCache } from '../../cluster/cache/cache.ts'
import { connectCluster } from '../../cluster/client.ts'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { copiesOf, type DeploymentView } from '../../kinds/apps/health.ts'
import type { PodView } from '../../kinds/pods/trouble.ts'
import { copyDeployment, peerName } from './copied-deployment.ts'

const namespace = 'bench-rollout'
const withinMs = 120_000

export interface BareRollout {
  /** Resolves with the milliseconds from the request until all copies are up. */
  deploy(image: string, release: string): Promise<number>
  close(): Promise<void>
}

export async function createBareRollout(
  kubeconfig: string,
  made: { namespace: string; name: string },
): Promise<BareRollout> {
  const client = connectCluster({ kubeconfig })
  const manifest = await copyDeployment(client, made, namespace)
  const watched = { client, namespace, log: silentLog }
  const deployments = new ResourceCache<KubeObject & DeploymentView>({ type: coreTypes.deployment, ...watched })
  const pods = new ResourceCache<KubeObject & PodView>({ type: coreTypes.pod, ...watched })
  await Promise.all([deployments.start(), pods.start()])
  return {
    async deploy(image, release) {
      const isUp = () => copiesOf(release, deployments.get(peerName, namespace), pods.list()).ready
      const up = Promise.withResolvers<number>()
      const look = () => {
        if (isUp()) up.resolve(performance.now())
      }
      const stops = [deployments.onChange(look), pods.onChange(look)]
      const late = setTimeout(() => up.reject(new Error(`the rollout of ${release} does not end`)), withinMs)
      try {
        const began = performance.now()
        await client.apply(coreTypes.deployment, manifest(image, release), { manager: 'bench', force: true })
        return (await up.promise) - began
      } finally {
        clearTimeout(late)
        for (const stop of stops) stop()
      }
    },
    async close() {
      await Promise.all([deployments.stop(), pods.stop()])
      await client.close()
    },
  }
}
