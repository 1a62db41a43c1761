/** The peer of a database: the objects that svc made for one, applied and awaited with kubectl. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectCluster } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { resolveServer } from '../../one-machine/index.ts'

const run = promisify(execFile)
const namespace = 'bench-kubectl-databases'
const types = [
  coreTypes.secret,
  coreTypes.configMap,
  coreTypes.serviceAccount,
  coreTypes.service,
  coreTypes.persistentVolumeClaim,
  coreTypes.statefulSet,
]

export interface DatabasePeer {
  /**
   * `kubectl apply`, then `kubectl rollout status`, for a database of its own; resolves with the milliseconds both
   * took.
   */
  make(round: number): Promise<number>
}

/** Copies everything that carries the database's uid into a namespace of the peer's. */
export async function createDatabasePeer(
  kubeconfig: string,
  folder: string,
  made: { namespace: string; name: string },
): Promise<DatabasePeer> {
  const client = connectCluster({ kubeconfig })
  const server = await client.get<KubeObject>({ type: coreTypes.statefulSet, ...made })
  const owner = server?.metadata.labels?.[labels.owner]
  if (owner === undefined) throw new Error(`svc made no StatefulSet ${made.name} in ${made.namespace}`)
  const lists = await Promise.all(
    types.map((type) =>
      client.list<KubeObject>(type, { namespace: made.namespace, labelSelector: `${labels.owner}=${owner}` }),
    ),
  )
  await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await client.close()
  const objects = JSON.stringify(lists.flatMap(({ items }) => items.map(bare)))
  const kubectl = await resolveServer('kubectl', { progress: () => undefined })
  const call = (...args: string[]) => run(kubectl, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args])
  return {
    async make(round) {
      const name = `peer-${round}`
      const items: unknown = JSON.parse(objects.replaceAll(made.name, name).replaceAll(made.namespace, namespace))
      const file = join(folder, 'kubectl-database.json')
      await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
      const began = performance.now()
      await call('apply', '-f', file)
      await call('rollout', 'status', `statefulset/${name}`, '--timeout=120s')
      return performance.now() - began
    },
  }
}

/** As it was sent, and of no owner: without what the cluster added, and without the owner that svc looks for. */
function bare({ apiVersion, kind, metadata, ...content }: KubeObject & { status?: unknown; spec?: object }): object {
  const { status: _, spec, ...others } = content
  // A Service has addresses, a claim its volume.
  const {
    clusterIP: __,
    clusterIPs: ___,
    volumeName: ____,
    ...kept
  } = { ...spec } as { clusterIP?: string; clusterIPs?: string[]; volumeName?: string }
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    ...others,
    ...(spec === undefined ? {} : { spec: kept }),
  }
}
