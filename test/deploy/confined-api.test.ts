/** What the login of the api may not do, checked with this login against a real kube-apiserver. */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import type { NodeTag } from '../../kinds/placement/node-tags.ts'
import { placeNode } from '../../records/nodes/place-node.ts'
import { nodes, secrets, useConfined } from './confined-world.ts'

describe('what the api is kept from', function () {
  this.timeout(120_000)
  const { world, uniqueName, secretIn, tokenOf, untilRefused, dryApi } = useConfined()
  const name = uniqueName('node')
  const foreignTaint = { key: 'example.com/mine', value: 'x', effect: 'NoSchedule' }
  const patch = (change: object) => () => dryApi.patch({ type: nodes, name }, change)
  before(async () => {
    const metadata = { name, labels: { 'example.com/a': 'b' }, annotations: { 'kwok.x-k8s.io/node': 'left-alone' } }
    await world.admin.create(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata,
      spec: { taints: [foreignTaint] },
    } as KubeObject)
  })
  after(() => world.admin.delete({ type: nodes, name }))
  const ours = { key: 'svc.dev/reserved-ssd', effect: 'NoSchedule' }

  it('places a node', async () => {
    const place = (region: string, tags: NodeTag[]) =>
      placeNode({ client: world.api, nodes: { put: () => {} } }, name, { region, zone: '', tags })
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
