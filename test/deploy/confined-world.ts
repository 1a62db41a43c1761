/** The logins of the two processes, on a real kube-apiserver with their rights and its admission policies. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import type { Ref } from '../../cluster/objects/cluster-client.ts'
import { ClusterError } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { creationPath, objectPath } from '../../cluster/objects/paths.ts'
import { apiVersionOf, coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { loginAs, readKubeconfig, writeKubeconfig } from '../../deploy/login.ts'
import { installRoles } from '../../deploy/roles.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { bindEnvironment } from '../../records/projects/environment-bindings.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'

export const waitMs = 30_000
export const {
  namespace: namespaces,
  secret: secrets,
  deployment: deployments,
  roleBinding: bindings,
  node: nodes,
} = coreTypes

interface Confined {
  /** Of the install, without any bound. */
  admin: ClusterClient
  worker: ReturnType<typeof connectCluster>
  api: ReturnType<typeof connectCluster>
  /** A namespace of svc with its rights in it, and one of another owner. */
  own: string
  foreign: string
}

/** For the tests of a `describe`: clients with the logins of both processes; `world` is filled in before the first. */
export function useConfined() {
  const made: string[] = []
  let folder = ''
  const world = {} as Confined // by the hook below

  const uniqueName = (what: string) => `${what}-${randomBytes(4).toString('hex')}`
  const environmentOf = (name: string, more: Record<string, string> = {}) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        [labels.managedBy]: managedBySvc,
        [labels.project]: 'proj-0',
        [labels.environment]: 'production',
        [labels.owner]: 'u-0',
        ...more,
      },
    },
  })
  const environment = async (by = world.worker): Promise<KubeObject> => {
    const name = uniqueName('confined')
    made.push(name)
    return by.create<KubeObject>(namespaces, environmentOf(name))
  }
  const secretIn = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: uniqueName('s'), namespace },
  })
  /** One that the cluster fills with a token of that account. */
  const tokenOf = (account: string, namespace: string) => ({
    ...secretIn(namespace),
    type: 'kubernetes.io/service-account-token',
    metadata: { ...secretIn(namespace).metadata, annotations: { 'kubernetes.io/service-account.name': account } },
  })
  /** Each policy takes effect on its own, a moment after its creation. */
  const untilRefused = async (why: string, call: () => Promise<unknown>): Promise<void> => {
    let said = ''
    const isSo = async () => (said = await refusal(call)).includes(why)
    await eventually('it is refused', isSo, waitMs).catch(() => expect(said).to.include(why))
  }
  const refusal = async (call: () => Promise<unknown>): Promise<string> => {
    const error: unknown = await call().then(
      () => undefined,
      (cause: unknown) => cause,
    )
    return error instanceof ClusterError ? error.message : `no refusal: ${String(error)}`
  }

  /** Dry runs: the server decides and stores nothing, so a request that is not refused yet has no effect. */
  const dry = (client: () => ClusterClient) => {
    const query = { dryRun: 'All', fieldManager: 'svc', force: true }
    return {
      create: (type: ResourceType, object: KubeObject) =>
        client().raw('POST', creationPath(type, object.metadata.namespace), {
          query: { dryRun: 'All' },
          body: object,
          contentType: 'application/json',
        }),
      apply: (type: ResourceType, object: KubeObject) =>
        client().raw('PATCH', objectPath(type, object.metadata.namespace, object.metadata.name), {
          query,
          body: { ...object, apiVersion: apiVersionOf(type) },
          contentType: 'application/apply-patch+yaml',
        }),
      patch: ({ type, namespace, name }: Ref, body: object) =>
        client().raw('PATCH', objectPath(type, namespace, name), {
          query: { dryRun: 'All' },
          body,
          contentType: 'application/merge-patch+json',
        }),
      delete: ({ type, namespace, name }: Ref) =>
        client().raw('DELETE', objectPath(type, namespace, name), { query: { dryRun: 'All' } }),
    }
  }
  const dryWorker = dry(() => world.worker)
  const dryApi = dry(() => world.api)

  before(async () => {
    const { client, kubeconfig } = await useStack()
    world.admin = client
    await installRoles(world.admin)
    folder = await mkdtemp(join(tmpdir(), 'svc-confined-'))
    const as = async (account: string) => {
      const file = join(folder, account)
      writeKubeconfig(file, await loginAs(world.admin, account, readKubeconfig(kubeconfig)))
      return connectCluster({ kubeconfig: file })
    }
    world.worker = await as('svc-worker')
    world.api = await as('svc-api')
    world.foreign = uniqueName('foreign')
    made.push(world.foreign)
    await world.admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: world.foreign } })
    world.own = (await environment()).metadata.name
    await bindEnvironment(world.admin, environmentOf(world.own))
  })
  after(async () => {
    await world.worker.close()
    await world.api.close()
    for (const name of made) await world.admin.delete({ type: namespaces, name })
    await rm(folder, { recursive: true, force: true })
  })

  return { world, uniqueName, environmentOf, environment, secretIn, tokenOf, untilRefused, refusal, dryWorker, dryApi }
}
