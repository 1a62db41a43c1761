/** The permissions of the two roles of crds/rbac.yaml, asked of a real kube-apiserver. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { isAlreadyExists } from '../../cluster/objects/errors.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { installRoles } from '../../deploy/roles.ts'
import { group } from '../../kinds/meta/group.ts'
import { environmentBindings } from '../../kinds/projects/bindings.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'

const reviews: ResourceType = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
}

interface Review extends KubeObject {
  spec: object
  status?: { allowed: boolean }
}

// The authorizer sees a binding a moment after its creation.
const waitMs = 5_000
const home = 'svc-system'
const project = 'proj-0a1b2c3d-production'
const elsewhere = 'default'
type Ask = { verb: string; group?: string; resource: string; subresource?: string; namespace?: string; name?: string }

describe('the roles of the api and the worker', function () {
  this.timeout(120_000)
  let client: ClusterClient

  before(async () => {
    client = (await useStack()).client
    await installRoles(client)
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: project } }
    await client.create<KubeObject>(coreTypes.namespace, namespace).catch(unlessThere)
    for (const binding of environmentBindings(project, {}))
      await client.create<KubeObject>(coreTypes.roleBinding, binding).catch(unlessThere)
    const reads = { verb: 'get', resource: 'secrets', namespace: project }
    await eventually(
      'the bindings count',
      async () => (await may('svc-worker', reads)) && (await may('svc-api', reads)),
      waitMs,
    )
  })
  after(() => client.delete({ type: coreTypes.namespace, name: project }))

  const unlessThere = (error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  }

  async function may(account: string, ask: Ask): Promise<boolean> {
    const review = await client.create<Review>(reviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      // A review has no name; the server answers it and stores nothing.
      metadata: {} as KubeObject['metadata'],
      spec: { user: `system:serviceaccount:${home}:${account}`, resourceAttributes: ask },
    })
    return review.status?.allowed === true
  }

  const cases: [boolean, string, Ask][] = [
    [true, 'svc-api', { verb: 'patch', group, resource: 'svcapps', namespace: home }],
    [true, 'svc-api', { verb: 'watch', resource: 'secrets', namespace: home }],
    [true, 'svc-api', { verb: 'get', resource: 'pods', subresource: 'log', namespace: project }],
    [true, 'svc-api', { verb: 'watch', resource: 'nodes' }],
    [true, 'svc-api', { verb: 'patch', resource: 'nodes' }],
    [true, 'svc-api', { verb: 'watch', resource: 'persistentvolumeclaims' }],
    [false, 'svc-api', { verb: 'delete', resource: 'nodes' }],
    [false, 'svc-api', { verb: 'patch', group, resource: 'svcapps', subresource: 'status', namespace: home }],
    [false, 'svc-api', { verb: 'patch', group, resource: 'svcapps', namespace: project }],
    [true, 'svc-api', { verb: 'get', resource: 'secrets', namespace: project }],
    [false, 'svc-api', { verb: 'get', resource: 'secrets', namespace: elsewhere }],
    [false, 'svc-api', { verb: 'get', resource: 'secrets' }],
    [false, 'svc-api', { verb: 'watch', resource: 'secrets', namespace: project }],
    [false, 'svc-api', { verb: 'patch', resource: 'secrets', namespace: project }],
    [false, 'svc-api', { verb: 'patch', group: 'apps', resource: 'deployments', namespace: project }],
    [false, 'svc-api', { verb: 'create', resource: 'namespaces' }],
    [true, 'svc-api', { verb: 'get', resource: 'pods', subresource: 'exec', namespace: project }],
    [true, 'svc-api', { verb: 'create', resource: 'pods', subresource: 'exec', namespace: project }],
    [false, 'svc-api', { verb: 'get', resource: 'pods', subresource: 'exec', namespace: elsewhere }],
    [false, 'svc-api', { verb: 'create', resource: 'pods', subresource: 'exec', namespace: elsewhere }],
    [false, 'svc-api', { verb: 'create', resource: 'pods', subresource: 'exec', namespace: 'svc-builds' }],
    [false, 'svc-api', { verb: 'create', resource: 'pods', subresource: 'attach', namespace: project }],
    [false, 'svc-worker', { verb: 'create', resource: 'pods', subresource: 'exec', namespace: project }],
    [true, 'svc-worker', { verb: 'patch', group, resource: 'svcapps', subresource: 'status', namespace: home }],
    [true, 'svc-worker', { verb: 'watch', group: 'networking.k8s.io', resource: 'ingressclasses' }],
    [false, 'svc-worker', { verb: 'create', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }],
    [true, 'svc-worker', { verb: 'create', resource: 'namespaces' }],
    [true, 'svc-worker', { verb: 'patch', group: 'apps', resource: 'deployments', namespace: project }],
    [true, 'svc-worker', { verb: 'patch', group: 'networking.k8s.io', resource: 'ingresses', namespace: project }],
    [true, 'svc-worker', { verb: 'create', resource: 'secrets', namespace: project }],
    [true, 'svc-worker', { verb: 'list', resource: 'secrets', namespace: project }],
    [false, 'svc-api', { verb: 'list', resource: 'secrets', namespace: project }],
    [true, 'svc-worker', { verb: 'watch', resource: 'secrets', namespace: project }],
    [true, 'svc-worker', { verb: 'create', resource: 'resourcequotas', namespace: project }],
    [
      true,
      'svc-worker',
      { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace: project },
    ],
    [true, 'svc-worker', { verb: 'watch', resource: 'pods' }],
    [false, 'svc-worker', { verb: 'watch', resource: 'secrets' }],
    [false, 'svc-worker', { verb: 'get', resource: 'secrets', namespace: elsewhere }],
    [false, 'svc-worker', { verb: 'list', resource: 'configmaps', namespace: elsewhere }],
    [false, 'svc-worker', { verb: 'create', group: 'apps', resource: 'deployments', namespace: elsewhere }],
    [false, 'svc-worker', { verb: 'create', group: 'batch', resource: 'jobs', namespace: 'kube-system' }],
    [false, 'svc-worker', { verb: 'delete', resource: 'pods', namespace: elsewhere }],
    [false, 'svc-worker', { verb: 'patch', resource: 'nodes' }],
    [
      false,
      'svc-worker',
      { verb: 'delete', group: 'rbac.authorization.k8s.io', resource: 'rolebindings', namespace: project },
    ],
    [
      true,
      'svc-worker',
      { verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'svc-worker-environment' },
    ],
    [
      false,
      'svc-worker',
      { verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'cluster-admin' },
    ],
    [
      false,
      'svc-worker',
      {
        verb: 'escalate',
        group: 'rbac.authorization.k8s.io',
        resource: 'clusterroles',
        name: 'svc-worker-environment',
      },
    ],
    [false, 'svc-worker', { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }],
  ]
  for (const [allowed, account, ask] of cases) {
    const what = [ask.resource, ask.subresource].filter((it) => it !== undefined).join('/')
    it(`${account} may ${allowed ? '' : 'not '}${ask.verb} ${what} in ${ask.namespace ?? 'the whole cluster'}`, async () => {
      expect(await may(account, ask)).to.equal(allowed)
    })
  }
})
