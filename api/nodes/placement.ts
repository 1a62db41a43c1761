/** `POST /nodes/{name}/placement`: replaces region, zone and tags of a node; what runs there is not moved. */
import { labels } from '../../kinds/annotations.ts'
import { systemNamespace } from '../../kinds/group.ts'
import { nodeChoiceOf, withTags } from '../../kinds/node-choice.ts'
import { placementTags } from '../../kinds/nodes/placement.ts'
import { placementWarnings, type PlacedService } from '../../kinds/nodes/warnings.ts'
import { placeNode } from '../../records/nodes/place-node.ts'
import type { Caches } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'

export const placement =
  ({ client, caches }: Needs): Handler<'nodes.placement'> =>
  async ({ params }) => {
    const { node: name, region, zone } = params
    const services = servicesOn(caches, name)
    const { before, after } = await placeNode({ client, nodes: caches.nodes }, name, { region, zone, tags: placementTags(params) })
    const others = caches.nodes.list().filter(({ metadata }) => metadata.name !== name)
    const projects = caches.projects.list().map(({ spec }) => spec)
    return { ok: true, warnings: placementWarnings(before, after, { others, projects, services }) }
  }

/** Services with copies on the node; what a project asks of its nodes is asked by all its services. */
function servicesOn({ pods, apps, projects }: Caches, node: string): PlacedService[] {
  const names = new Set(pods.list().flatMap(({ metadata, spec }) => (spec?.nodeName === node ? [metadata.labels?.[labels.app] ?? ''] : [])))
  return [...names].flatMap((name) => {
    const app = apps.get(name, systemNamespace)
    if (app === undefined) return []
    return [{ name, choice: withTags(nodeChoiceOf(projects.get(app.spec.project, systemNamespace)), app.spec.runOn.tags) }]
  })
}
