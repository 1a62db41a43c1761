/** `GET /nodes`: out of memory, by name. */
import type { View } from '../../contract/operations.ts'
import { regionOf, tagsOf, zoneOf } from '../../kinds/node-tags.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { isReady } from '../context/trim.ts'
import type { NodeSeen } from '../context/trim.ts'

/** The old name is still found on clusters that were made with it. */
const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

export const list =
  ({ caches }: Needs): Handler<'nodes.list'> =>
  async () => ({ items: caches.nodes.list().map(describeNode) })

function describeNode(node: NodeSeen): View<'nodes.list'>['items'][number] {
  const { allocatable = {} } = node.status ?? {}
  return {
    name: node.metadata.name,
    ready: isReady(node),
    schedulable: node.spec?.unschedulable !== true,
    controlPlane: controlPlaneLabels.some((label) => node.metadata.labels?.[label] !== undefined),
    region: regionOf(node),
    zone: zoneOf(node),
    tags: tagsOf(node),
    cpu: allocatable['cpu'] ?? '0',
    memory: allocatable['memory'] ?? '0',
  }
}
