/** The verbs of nodes. */
import type { OperationsOf, View } from '../../contract/operations.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { nodeChoiceOf, withTags } from '../../kinds/placement/node-choice.ts'
import { regionOf, tagsOf, zoneOf } from '../../kinds/placement/node-tags.ts'
import { placementTags } from '../../kinds/nodes/placement.ts'
import { placementWarnings, type PlacedService } from '../../kinds/nodes/warnings.ts'
import { placeNode } from '../../records/nodes/place-node.ts'
import type { Caches } from '../context/caches.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { isReady, type NodeSeen } from '../context/trim.ts'
import { createKeptView } from '../views/kept-view.ts'

export const nodeHandlers = (needs: Needs) =>
  ({
    'nodes.list': list(needs),
    'nodes.placement': placement(needs),
  }) satisfies HandlerTable<OperationsOf<'nodes'>>

/** The old name is still found on clusters that were made with it. */
const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/** `GET /nodes`: from the cache, by name. */
const list = ({ caches }: Needs): Handler<'nodes.list'> => {
  const kept = createKeptView<View<'nodes.list'>>()
  return async () => {
    const nodes = caches.nodes.list()
    return kept({ record: nodes }, () => ({ items: nodes.map(describeNode) }))
  }
}

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

/** `POST /nodes/{name}/placement`: replaces region, zone and tags of a node; what runs there is not moved. */
const placement =
  ({ client, caches }: Needs): Handler<'nodes.placement'> =>
  async ({ params }) => {
    const { node: name, region, zone } = params
    const services = servicesOn(caches, name)
    const { before, after } = await placeNode({ client, nodes: caches.nodes }, name, {
      region,
      zone,
      tags: placementTags(params),
    })
    const others = caches.nodes.list().filter(({ metadata }) => metadata.name !== name)
    const projects = caches.projects.list().map(({ spec }) => spec)
    return { ok: true, warnings: placementWarnings(before, after, { others, projects, services }) }
  }

/** Services with copies on the node; what a project asks of its nodes is asked by all its services. */
function servicesOn({ pods, apps, projects }: Caches, node: string): PlacedService[] {
  const names = new Set(
    pods.list().flatMap(({ metadata, spec }) => (spec?.nodeName === node ? [metadata.labels?.[labels.app] ?? ''] : [])),
  )
  return [...names].flatMap((name) => {
    const app = apps.get(name, systemNamespace)
    if (app === undefined) return []
    return [
      { name, choice: withTags(nodeChoiceOf(projects.get(app.spec.project, systemNamespace)), app.spec.runOn.tags) },
    ]
  })
}
