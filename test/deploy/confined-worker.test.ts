/** What the login of the worker may not do, checked with this login against a real kube-apiserver. */
import { expect } from 'chai'
import { createEnvironmentAccess } from '../../activities/context/environment-access.ts'
import { isForbidden } from '../../cluster/objects/errors.ts'
import { withForbiddenAsNotFound } from '../../cluster/forbidden-as-not-found.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { buildsNamespace } from '../../kinds/builds/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { environmentBindings } from '../../kinds/projects/bindings.ts'
import { bindEnvironments } from '../../records/projects/environment-bindings.ts'
import { eventually } from '../cluster/eventually.ts'
import { bindings, deployments, namespaces, secrets, waitMs, useConfined } from './confined-world.ts'

describe('what the worker is kept from', function () {
  this.timeout(120_000)
  const { world, uniqueName, environmentOf, environment, secretIn, tokenOf, untilRefused, refusal, dryWorker } =
    useConfined()
  it('lets itself and the api into a namespace that it died over', async () => {
    const namespace = await environment()
    expect(await refusal(() => world.worker.create(secrets, secretIn(namespace.metadata.name)))).to.include('forbidden')
    expect(await createEnvironmentAccess(world.worker, () => 0)(namespace)).to.equal(true)
    const secret = secretIn(namespace.metadata.name)
    await world.worker.create(secrets, secret)
    const read = () => world.api.get({ type: secrets, namespace: namespace.metadata.name, name: secret.metadata.name })
    await eventually(
      'the api reads it',
      () =>
        read().then(
          (it) => it !== undefined,
          () => false,
        ),
      waitMs,
    )
    expect(await refusal(() => world.api.list(secrets, { namespace: namespace.metadata.name }))).to.include('forbidden')
    expect(await refusal(() => world.api.create(secrets, secret))).to.include('forbidden')
  })

  it('lets itself into environments that are older than the bindings, and puts right what gives other rights', async () => {
    const [older, wrong] = [await environment(), await environment()]
    const [binding] = environmentBindings(wrong.metadata.name, wrong.metadata.labels ?? {})
    await world.admin.create(bindings, {
      ...binding,
      subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
    } as KubeObject)
    expect(await bindEnvironments(world.worker)).to.be.at.least(2)
    for (const { metadata } of [older, wrong]) {
      const account = await world.admin.get<KubeObject & { subjects: object[] }>({
        type: bindings,
        namespace: metadata.name,
        name: 'svc-worker',
      })
      expect(account?.subjects).to.deep.equal([
        { kind: 'ServiceAccount', name: 'svc-worker', namespace: systemNamespace },
      ])
      const mayWrite = () =>
        world.worker.create(secrets, secretIn(metadata.name)).then(
          () => true,
          () => false,
        )
      await eventually('the worker is in', mayWrite, waitMs)
    }
    expect(await bindEnvironments(world.worker), 'lacking bindings').to.equal(0)
  })

  it('finds nothing where a namespace is gone, and no more than a refusal where one is not its own', async () => {
    const ref = { type: secrets, namespace: uniqueName('never'), name: 'any' }
    expect(isForbidden(await world.worker.get(ref).catch((error: unknown) => error))).to.equal(true)
    const seeing = withForbiddenAsNotFound(world.worker)
    expect(await seeing.get(ref)).to.equal(undefined)
    expect((await seeing.list(secrets, ref)).items).to.deep.equal([])
    expect(await seeing.delete(ref)).to.equal(false)
    expect(await refusal(() => seeing.get({ ...ref, namespace: world.foreign }))).to.include('forbidden')
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
      () => world.worker.get({ type: secrets, namespace: 'kube-system', name: 'any' }),
    ],
    ['list the Secrets of the cluster', 'forbidden', () => world.worker.list(secrets)],
    ['write into kube-system', 'forbidden', () => dryWorker.create(secrets, secretIn('kube-system'))],
    ['write into a namespace of another owner', 'forbidden', () => dryWorker.create(secrets, secretIn(world.foreign))],
    ['let itself into kube-system', 'only into svc-system', () => dryWorker.create(bindings, binding('kube-system'))],
    [
      'let itself into a namespace of another owner',
      'only into svc-system',
      () => dryWorker.create(bindings, binding(world.foreign)),
    ],
    [
      'give its rights to others',
      'and to no other account',
      () => dryWorker.apply(bindings, binding(world.own, other)),
    ],
    [
      'bind another role',
      'forbidden',
      () =>
        dryWorker.create(
          bindings,
          binding(world.own, { ...role('cluster-admin'), metadata: { name: 'more', namespace: world.own } }),
        ),
    ],
    [
      'bind a role of its own to another name',
      'no others',
      () => dryWorker.create(bindings, binding(world.own, { metadata: { name: 'more', namespace: world.own } })),
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
      () =>
        dryWorker.patch({ type: namespaces, name: world.foreign }, { metadata: environmentOf(world.foreign).metadata }),
    ],
    [
      'delete a namespace of another owner',
      'namespaces of environments only',
      () => dryWorker.delete({ type: namespaces, name: world.foreign }),
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
      () =>
        dryWorker.patch({ type: namespaces, name: world.own }, { metadata: { labels: { [labels.managedBy]: null } } }),
    ],
    [
      'ask for the token of the api',
      'the token of an account',
      () => dryWorker.create(secrets, tokenOf('svc-api', systemNamespace)),
    ],
    [
      'ask for the token of an account of an environment',
      'the token of an account',
      () => dryWorker.create(secrets, tokenOf('default', world.own)),
    ],
    [
      'let privileged pods into a namespace',
      'no privileged pods',
      () =>
        dryWorker.patch(
          { type: namespaces, name: world.own },
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
      () => world.own,
    ],
    ['with a projected token', 'no pod of the worker holds a token', () => pod(token), () => world.own],
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
      () => world.own,
    ],
    [
      'with a port of its node',
      'a part in its node',
      () => pod({ containers: [{ name: 'app', image: 'a:1', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
      () => systemNamespace,
    ],
    [
      'whose system calls nothing filters',
      'without the profiles of its runtime',
      () => pod(withContext({ seccompProfile: { type: 'Unconfined' } })),
      () => systemNamespace,
    ],
    [
      'that AppArmor does not confine',
      'without the profiles of its runtime',
      () => pod({ securityContext: { appArmorProfile: { type: 'Unconfined' } } }),
      () => systemNamespace,
    ],
  ]
  for (const [what, why, spec, where] of pods)
    it(`may not run a pod ${what}`, () => untilRefused(why, () => run(where(), spec())))
  it('may run pods without any of that', async () => {
    await run(world.own, pod())
    await run(world.own, pod({ serviceName: undefined }), coreTypes.statefulSet)
  })
  it('may run a builder, which makes namespaces of its own', async () => {
    const spec = pod({ ...withContext({ seccompProfile: { type: 'Unconfined' } }), restartPolicy: 'Never' })
    const metadata = { name: uniqueName('run'), namespace: buildsNamespace }
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { spec } } }
    await dryWorker.create(coreTypes.job, job)
  })
})
