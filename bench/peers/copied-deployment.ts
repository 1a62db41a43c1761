/** The Deployment that svc made, as a peer applies it in a namespace of its own. */
import type { V1Deployment } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations } from '../../kinds/meta/annotations.ts'

export const peerName = 'peer'

/** Makes the namespace; `manifest` gives the same Deployment with another image, as a release of that name. */
export async function copyDeployment(
  client: ClusterClient,
  made: { namespace: string; name: string },
  namespace: string,
): Promise<(image: string, release: string) => KubeObject> {
  const found = await client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, ...made })
  const spec = found?.spec
  if (spec === undefined) throw new Error(`svc made no Deployment ${made.name} in ${made.namespace}`)
  await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const labels = { app: peerName }
  // Its own namespace has no service account of that name.
  const { serviceAccountName: _, serviceAccount: __, ...pod } = spec.template.spec ?? { containers: [] }
  return (image, release) => {
    const notes = { [annotations.release]: release }
    const containers = pod.containers.map((container) => ({ ...container, image }))
    const metadata = { name: peerName, namespace, annotations: notes }
    return {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: {
        ...spec,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations: notes }, spec: { ...pod, containers } },
      },
    }
  }
}
