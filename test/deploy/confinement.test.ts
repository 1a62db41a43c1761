/** What the logins of the two processes may not do, checked with these logins against a real kube-apiserver. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEnvironmentAccess } from '../../activities/context/environment-access.ts'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import type { Ref } from '../../cluster/objects/cluster-client.ts'
import { ClusterError, isForbidden } from '../../cluster/objects/errors.ts'
import { withForbiddenAsNotFound } from '../../cluster/forbidden-as-not-found.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { creationPath, objectPath } from '../../cluster/objects/paths.ts'
import { apiVersionOf, coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { loginAs, readKubeconfig, writeKubeconfig } from '../../deploy/login.ts'
import { installRoles } from '../../deploy/roles.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { NodeTag } from '../../kinds/placement/node-tags.ts'
import { environmentBindings } from '../../kinds/projects/bindings.ts'
import { placeNode } from '../../records/nodes/place-node.ts'
import { bindEnvironment, bindEnvironments } from '../../records/projects/environment-bindings.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'

const waitMs = 30_000
const {
  namespace: namespaces,
  secret: secrets,
  deployment: deployments,
  roleBinding: bindings,
  node: nodes,
} = coreTypes

describe('what svc is kept from', function () {
  this.timeout(120_000)
  const made: string[] = []
  let folder = ''
  let admin: ClusterClient
  let worker: ReturnType<typeof connectCluster>
  let api: ReturnType<typeof connectCluster>
  let own = ''
  let foreign = ''

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
  const environment = async (by = worker): Promise<KubeObject> => {
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
  const dryWorker = dry(() => worker)
  const dryApi = dry(() => api)

  before(async () => {
    const { client, kubeconfig } = await useStack()
    admin = client
    await installRoles(admin)
    folder = await mkdtemp(join(tmpdir(), 'svc-confined-'))
    const as = async (account: string) => {
      const file = join(folder, account)
      writeKubeconfig(file, await loginAs(admin, account, readKubeconfig(kubeconfig)))
      return connectCluster({ kubeconfig: file })
    }
    worker = await as('svc-worker')
    api = await as('svc-api')
    foreign = uniqueName('foreign')
    made.push(foreign)
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: foreign } })
    own = (await environment()).metadata.name
    await bindEnvironment(admin, environmentOf(own))
  })
  after(async () => {
    await worker.close()
    await api.close()
    for (const name of made) await admin.delete({ type: namespaces, name })
    await rm(folder, { recursive: true, force: true })
  })

  describe('the worker', () => {
    it('lets itself and the api into a namespace that it died over', async () => {
      const namespace = await environment()
      expect(await refusal(() => worker.create(secrets, secretIn(namespace.metadata.name)))).to.include('forbidden')
      expect(await createEnvironmentAccess(worker, () => 0)(namespace)).to.equal(true)
      const secret = secretIn(namespace.metadata.name)
      await worker.create(secrets, secret)
      const read = () => api.get({ type: secrets, namespace: namespace.metadata.name, name: secret.metadata.name })
      await eventually(
        'the api reads it',
        () =>
          read().then(
            (it) => it !== undefined,
            () => false,
          ),
        waitMs,
      )
      expect(await refusal(() => api.list(secrets, { namespace: namespace.metadata.name }))).to.include('forbidden')
      expect(await refusal(() => api.create(secrets, secret))).to.include('forbidden')
    })

    it('lets itself into environments that are older than the bindings, and puts right what gives other rights', async () => {
      const [older, wrong] = [await environment(), await environment()]
      const [binding] = environmentBindings(wrong.metadata.name, wrong.metadata.labels ?? {})
      await admin.create(bindings, {
        ...binding,
        subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
      } as KubeObject)
      expect(await bindEnvironments(worker)).to.be.at.least(2)
      for (const { metadata } of [older, wrong]) {
        const account = await admin.get<KubeObject & { subjects: object[] }>({
          type: bindings,
          namespace: metadata.name,
          name: 'svc-worker',
        })
        expect(account?.subjects).to.deep.equal([
          { kind: 'ServiceAccount', name: 'svc-worker', namespace: systemNamespace },
        ])
        const mayWrite = () =>
          worker.create(secrets, secretIn(metadata.name)).then(
            () => true,
            () => false,
          )
        await eventually('the worker is in', mayWrite, waitMs)
      }
      expect(await bindEnvironments(worker), 'lacking bindings').to.equal(0)
    })

    it('finds nothing where a namespace is gone, and no more than a refusal where one is not its own', async () => {
      const ref = { type: secrets, namespace: uniqueName('never'), name: 'any' }
      expect(isForbidden(await worker.get(ref).catch((error: unknown) => error))).to.equal(true)
      const seeing = withForbiddenAsNotFound(worker)
      expect(await seeing.get(ref)).to.equal(undefined)
      expect((await seeing.list(secrets, ref)).items).to.deep.equal([])
      expect(await seeing.delete(ref)).to.equal(false)
      expect(await refusal(() => seeing.get({ ...ref, namespace: foreign }))).to.include('forbidden')
    })

    const binding = (namespace: string, change: object = {}): KubeObject => {
      const [worker_] = environmentBindings(namespace, {})
      return { ...worker_, ...change } as KubeObject
    }
    const role = (name: string) => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name } })
    const other = { subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'kube-system' }] }
    const refused: [string, string, () => Promise<unknown>][] = [
      [
        'read a Secret of kube-system',
        'forbidden',
        () => worker.get({ type: secrets, namespace: 'kube-system', name: 'any' }),
      ],
      ['list the Secrets of the cluster', 'forbidden', () => worker.list(secrets)],
      ['write into kube-system', 'forbidden', () => dryWorker.create(secrets, secretIn('kube-system'))],
      ['write into a namespace of somebody else', 'forbidden', () => dryWorker.create(secrets, secretIn(foreign))],
      ['let itself into kube-system', 'only into svc-system', () => dryWorker.create(bindings, binding('kube-system'))],
      [
        'let itself into a namespace of somebody else',
        'only into svc-system',
        () => dryWorker.create(bindings, binding(foreign)),
      ],
      ['give its rights to others', 'and to no other account', () => dryWorker.apply(bindings, binding(own, other))],
      [
        'bind another role',
        'forbidden',
        () =>
          dryWorker.create(
            bindings,
            binding(own, { ...role('cluster-admin'), metadata: { name: 'more', namespace: own } }),
          ),
      ],
      [
        'bind a role of its own to another name',
        'no others',
        () => dryWorker.create(bindings, binding(own, { metadata: { name: 'more', namespace: own } })),
      ],
      [
        'change the bindings of svc-system',
        'belong to the install',
        () =>
          dryWorker.create(
            bindings,
            binding(systemNamespace, { metadata: { name: 'svc-worker', namespace: systemNamespace } }),
          ),
      ],
      [
        'take over a namespace by its labels',
        'namespaces of environments only',
        () => dryWorker.patch({ type: namespaces, name: foreign }, { metadata: environmentOf(foreign).metadata }),
      ],
      [
        'delete a namespace of somebody else',
        'namespaces of environments only',
        () => dryWorker.delete({ type: namespaces, name: foreign }),
      ],
      [
        'make a namespace that is no environment',
        'the labels of an environment',
        () =>
          dryWorker.create(namespaces, {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: uniqueName('plain') },
          }),
      ],
      [
        'take its labels from a namespace',
        'the labels of an environment',
        () => dryWorker.patch({ type: namespaces, name: own }, { metadata: { labels: { [labels.managedBy]: null } } }),
      ],
      [
        'ask for the token of the api',
        'the token of an account',
        () => dryWorker.create(secrets, tokenOf('svc-api', systemNamespace)),
      ],
      [
        'ask for the token of an account of an environment',
        'the token of an account',
        () => dryWorker.create(secrets, tokenOf('default', own)),
      ],
      [
        'let privileged pods into a namespace',
        'no privileged pods',
        () =>
          dryWorker.patch(
            { type: namespaces, name: own },
            { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
          ),
      ],
    ]
    for (const [what, why, call] of refused) it(`may not ${what}`, () => untilRefused(why, call))

    const pod = (change: object = {}) => ({
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: 'a:1' }],
      ...change,
    })
    const run = (namespace: string, spec: object, type: ResourceType = deployments) => {
      const metadata = { name: uniqueName('run'), namespace }
      const template = { metadata: { labels: { a: 'b' } }, spec }
      const object = {
        apiVersion: 'apps/v1',
        kind: type.kind,
        metadata,
        spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
      }
      return dryWorker.create(type, object)
    }
    const token = { volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }] }
    const withContext = (securityContext: object) => ({ containers: [{ name: 'app', image: 'a:1', securityContext }] })
    const pods: [string, string, () => object, () => string][] = [
      [
        'with the token of its account',
        'no pod of the worker holds a token',
        () => pod({ automountServiceAccountToken: true }),
        () => own,
      ],
      ['with a projected token', 'no pod of the worker holds a token', () => pod(token), () => own],
      [
        'as the api',
        "as one of svc's own processes",
        () => pod({ serviceAccountName: 'svc-api' }),
        () => systemNamespace,
      ],
      [
        'in the network of the node',
        'no pod of the worker has a part in its node',
        () => pod({ hostNetwork: true }),
        () => systemNamespace,
      ],
      [
        'with files of the node',
        'a part in its node',
        () => pod({ volumes: [{ name: 'h', hostPath: { path: '/' } }] }),
        () => systemNamespace,
      ],
      [
        'that is privileged',
        'no pod of the worker is privileged',
        () => pod(withContext({ privileged: true })),
        () => systemNamespace,
      ],
      [
        'with more capabilities',
        'is privileged',
        () => pod(withContext({ capabilities: { add: ['SYS_ADMIN'] } })),
        () => own,
      ],
    ]
    for (const [what, why, spec, where] of pods)
      it(`may not run a pod ${what}`, () => untilRefused(why, () => run(where(), spec())))
    it('may run pods without any of that', async () => {
      await run(own, pod())
      await run(own, pod({ serviceName: undefined }), coreTypes.statefulSet)
    })
  })

  describe('the api', () => {
    const name = uniqueName('node')
    const foreignTaint = { key: 'example.com/mine', value: 'x', effect: 'NoSchedule' }
    const patch = (change: object) => () => dryApi.patch({ type: nodes, name }, change)
    before(async () => {
      const metadata = { name, labels: { 'example.com/a': 'b' }, annotations: { 'kwok.x-k8s.io/node': 'left-alone' } }
      await admin.create(nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata,
        spec: { taints: [foreignTaint] },
      } as KubeObject)
    })
    after(() => admin.delete({ type: nodes, name }))
    const ours = { key: 'svc.dev/reserved-ssd', effect: 'NoSchedule' }

    it('places a node', async () => {
      const place = (region: string, tags: NodeTag[]) =>
        placeNode({ client: api, nodes: { put: () => {} } }, name, { region, zone: '', tags })
      await place('eu', [{ name: 'ssd', reserved: true, compliance: false }])
      await place('', [])
    })
    const refused: [string, string, object][] = [
      ['change a label of others', "of a node's labels", { metadata: { labels: { 'example.com/a': 'c' } } }],
      ['take a label of others', "of a node's labels", { metadata: { labels: { 'example.com/a': null } } }],
      [
        'add a label of others',
        "of a node's labels",
        { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
      ],
      ['take a taint of others', "of a node's taints", { spec: { taints: [] } }],
      [
        'drive the pods of a node away',
        "of a node's taints",
        { spec: { taints: [foreignTaint, { ...ours, effect: 'NoExecute' }] } },
      ],
      ['close a node', 'labels and taints only', { spec: { unschedulable: true } }],
      ['annotate a node', 'labels and taints only', { metadata: { annotations: { a: 'b' } } }],
    ]
    for (const [what, why, change] of refused) it(`may not ${what}`, () => untilRefused(why, patch(change)))
    it('may not become the worker by a Secret that the cluster fills with its token', () =>
      untilRefused('the token of an account', () => dryApi.create(secrets, tokenOf('svc-worker', systemNamespace))))
    it('may make other Secrets', () => dryApi.create(secrets, secretIn(systemNamespace)))
  })
})
