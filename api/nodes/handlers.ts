/** The handlers of nodes. */
import type { OperationsOf, Params, View } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { nodeChoiceOf, withTags } from '../../kinds/placement/node-choice.ts'
import { regionOf, tagsOf, zoneOf } from '../../kinds/placement/node-tags.ts'
import { placed, placementTags, type Placement } from '../../kinds/nodes/placement.ts'
import { placementWarnings, type PlacedService, type Surroundings } from '../../kinds/nodes/warnings.ts'
import { nodeNotFound, placementVersion, placeNode } from '../../records/nodes/place-node.ts'
import type { Caches } from '../context/caches.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { isReady, type NodeSeen } from '../context/trim.ts'
import { createKeptView } from '../views/kept-view.ts'

export const nodeHandlers = (needs: Needs) =>
  ({
    'nodes.list': list(needs),
    'nodes.placement': placement(needs),
    'nodes.placement-warnings': warnings(needs),
  }) satisfies HandlerTable<OperationsOf<'nodes'>>

/** The older name is still there on older clusters. */
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
    version: placementVersion(node),
  }
}

/** `POST /nodes/{name}/placement`: replaces region, zone and tags of a node; running pods are not moved. */
const placement =
  ({ client, caches }: Needs): Handler<'nodes.placement'> =>
  async ({ params, ifMatch }) => {
    const { node: name } = params
    const around = surroundings(caches, name)
    const { before, after } = await placeNode({ client, nodes: caches.nodes }, name, wanted(params), ifMatch)
    return { ok: true, warnings: placementWarnings(before, after, around) }
  }

/** `GET /api/nodes/{name}/placement/warnings`: the warnings of such a change, without writing it. */
const warnings =
  ({ caches }: Needs): Handler<'nodes.placement-warnings'> =>
  async ({ params }) => {
    const node = caches.nodes.list().find(({ metadata }) => metadata.name === params.node)
    if (node === undefined) throw new Problem('not_found', nodeNotFound)
    return { warnings: placementWarnings(node, placed(node, wanted(params)), surroundings(caches, params.node)) }
  }

const wanted = (params: Params<'nodes.placement'>): Placement => ({
  region: params.region,
  zone: params.zone,
  tags: placementTags(params),
})

/**
 * The rest of the cluster, for warnings. A service asks for the nodes of its project, with its own tags in addition.
 */
function surroundings({ nodes, pods, apps, projects }: Caches, node: string): Surroundings {
  const here = new Set(
    pods.list().flatMap(({ metadata, spec }) => (spec?.nodeName === node ? [metadata.labels?.[labels.app] ?? ''] : [])),
  )
  const placedApp = ({ metadata: { name }, spec }: App): PlacedService => ({
    name,
    choice: withTags(nodeChoiceOf(projects.get(spec.project, systemNamespace)), spec.runOn.tags),
  })
  return {
    others: nodes.list().filter(({ metadata }) => metadata.name !== node),
    projects: projects.list().map(({ spec }) => spec),
    services: apps
      .list()
      .filter(({ metadata }) => here.has(metadata.name))
      .map(placedApp),
    deployed: apps
      .list()
      .filter(({ spec }) => spec.deploy.enabled)
      .map(placedApp),
  }
}
