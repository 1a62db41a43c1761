/**
 * The cluster that svc works with: a connection to it, and which Temporal its records are worked with, since two of
 * them would undo each other's work.
 */
import { connectCluster, type ClusterClient } from '../cluster/client.ts'
import { coreTypes } from '../cluster/objects/resource-type.ts'
import { defined } from '../contract/defined.ts'
import { systemNamespace } from './install.ts'

const manager = 'svc-start'

/** Annotations of the namespace svc-system. */
const annotations = { id: 'svc.dev/temporal', place: 'svc.dev/temporal-at' } as const

export interface ClusterOwner {
  /** ID of Temporal's namespace, the same for everybody who shares that server. */
  readonly id: string
  /** Where it is, for people: `/data on host-a`, or `temporal.example:7233`. */
  readonly place: string
}

/**
 * Writes down with which Temporal this cluster is worked from now on, on condition that no other process did meanwhile.
 * Throws a sentence where another Temporal is written down, unless `takeOver`; the same place with another ID is its
 * own successor, whose data were forgotten. A start that ended stays written down: its records are still there.
 */
export async function claimCluster(client: ClusterClient, owner: ClusterOwner, takeOver: boolean): Promise<void> {
  const { metadata } = (await client.get({ type: coreTypes.namespace, name: systemNamespace })) ?? {}
  const id = metadata?.annotations?.[annotations.id]
  const place = metadata?.annotations?.[annotations.place]
  if (id === owner.id) return
  if (id !== undefined && place !== owner.place && !takeOver)
    throw new Error(
      `this cluster is served by svc with Temporal at ${place ?? 'another place'}, and two of them undo each other's ` +
        'work: share that server with --temporal, or stop that svc and start with --take-over',
    )
  const version = metadata?.resourceVersion
  const claim = {
    name: systemNamespace,
    ...defined({ resourceVersion: version }),
    annotations: { [annotations.id]: owner.id, [annotations.place]: owner.place },
  }
  await client.apply(coreTypes.namespace, { metadata: claim }, { manager, force: true })
}

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
