/** What the two roles of crds/rbac.yaml allow, asked of a real kube-apiserver. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/object.ts'
import type { ResourceType } from '../../cluster/resource-type.ts'
import { installRoles } from '../../deploy/roles.ts'
import { group } from '../../kinds/group.ts'
import { useStack } from '../harness/stack.ts'

const reviews: ResourceType = { group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', namespaced: false }

interface Review extends KubeObject {
  spec: object
  status?: { allowed: boolean }
}

const home = 'svc-system'
const project = 'proj-0a1b2c3d-production'
type Ask = { verb: string; group?: string; resource: string; subresource?: string; namespace?: string }

describe('the roles of the api and the worker', function () {
  this.timeout(120_000)
  let client: ClusterClient

  before(async () => {
    client = (await useStack()).client
    await installRoles(client)
  })

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
    [false, 'svc-api', { verb: 'watch', resource: 'secrets', namespace: project }],
    [false, 'svc-api', { verb: 'patch', resource: 'secrets', namespace: project }],
    [false, 'svc-api', { verb: 'patch', group: 'apps', resource: 'deployments', namespace: project }],
    [false, 'svc-api', { verb: 'create', resource: 'namespaces' }],
    [false, 'svc-api', { verb: 'create', resource: 'pods', subresource: 'exec', namespace: project }],
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
    [false, 'svc-worker', { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }],
  ]
  for (const [allowed, account, ask] of cases) {
    const what = [ask.resource, ask.subresource].filter((it) => it !== undefined).join('/')
    it(`${account} may ${allowed ? '' : 'not '}${ask.verb} ${what} in ${ask.namespace ?? 'the whole cluster'}`, async () => {
      expect(await may(account, ask)).to.equal(allowed)
    })
  }
})
