/** The objects that svc made for a service, under names and labels of a peer's own. */
import type { V1Deployment, V1PodDisruptionBudget, V1Service, V1ServiceAccount } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'

export interface PeerObject {
  readonly type: ResourceType
  readonly body: {
    readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  } & Record<string, unknown>
}

export interface PeerObjects {
  readonly deployment: (image: string) => PeerObject
  /** What stands beside it: the same at each deploy. */
  readonly beside: readonly PeerObject[]
}

export interface Made {
  readonly namespace: string
  readonly name: string
}

/** Throws when svc made no Deployment of that name. */
export async function readSameObjects(client: ClusterClient, made: Made, name: string): Promise<PeerObjects> {
  const [deployment, service, account, budget] = await Promise.all([
    client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, ...made }),
    client.get<Sent<V1Service>>({ type: coreTypes.service, ...made }),
    client.get<Sent<V1ServiceAccount>>({ type: coreTypes.serviceAccount, ...made }),
    client.get<Sent<V1PodDisruptionBudget>>({ type: coreTypes.podDisruptionBudget, ...made }),
  ])
  const spec = deployment?.spec
  if (spec === undefined) throw new Error(`svc made no Deployment ${made.name} in ${made.namespace}`)
  const labels = { app: name }
  const object = (type: ResourceType, fields: Record<string, unknown>): PeerObject => ({
    type,
    body: { metadata: { name, labels }, ...fields },
  })
  const { serviceAccountName: _, serviceAccount: __, ...pod } = spec.template.spec ?? { containers: [] }
  const ports = service?.spec?.ports?.map(({ nodePort: ___, ...port }) => port)
  return {
    deployment: (image) =>
      object(coreTypes.deployment, {
        spec: {
          ...spec,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              ...pod,
              ...(account === undefined ? {} : { serviceAccountName: name }),
              containers: pod.containers.map((container): object => ({ ...container, image })),
            },
          },
        },
      }),
    beside: [
      ...(account === undefined ? [] : [object(coreTypes.serviceAccount, { automountServiceAccountToken: false })]),
      ...(service === undefined ? [] : [object(coreTypes.service, { spec: { selector: labels, ports } })]),
      ...(budget?.spec === undefined
        ? []
        : [object(coreTypes.podDisruptionBudget, { spec: { ...budget.spec, selector: { matchLabels: labels } } })]),
    ],
  }
}

/** As a file for kubectl. */
export const manifestOf = ({ type, body }: PeerObject): object => ({
  apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}`,
  kind: type.kind,
  ...body,
})

/**
 * A namespace of the peer's with everything but the Deployment in it, so that each rollout has the same work beside it.
 */
export async function makePeerNamespace(
  client: ClusterClient,
  namespace: string,
  { beside }: PeerObjects,
): Promise<void> {
  await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await applyAll(client, namespace, beside)
}

/** All at once, through server-side apply. */
export async function applyAll(client: ClusterClient, namespace: string, objects: readonly PeerObject[]) {
  return await Promise.all(
    objects.map(({ type, body }) =>
      client.apply(type, { ...body, metadata: { ...body.metadata, namespace } }, { manager: 'svc-bench', force: true }),
    ),
  )
}
