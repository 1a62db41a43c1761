/** Operations on nodes: the list, and where each is and what it is for. */
import { z } from 'zod'
import { matchingOrEmpty, nodeTag, region, resourceName, tagList } from '../fields/fields.ts'
import { nodeTagNameMax, nodeTagsPerNode } from '../limits.ts'
import { okView, operation } from '../operation.ts'
import { dnsLabel } from '../fields/patterns.ts'

const tag = 'Cluster'

const tooMany = `a node can have at most ${nodeTagsPerNode} tags`
/** Zones are named like regions. */
const zone = matchingOrEmpty(
  dnsLabel,
  `zone must use lowercase letters, digits, and hyphens, up to ${nodeTagNameMax} characters`,
  nodeTagNameMax,
)
const tags = () => tagList(nodeTag(), tooMany, nodeTagsPerNode).default([])

const nodeView = z.object({
  name: z.string(),
  ready: z.boolean(),
  schedulable: z.boolean(),
  controlPlane: z.boolean(),
  /** Empty when the node names none. */
  region: z.string(),
  zone: z.string(),
  tags: z.array(z.object({ name: z.string(), reserved: z.boolean(), compliance: z.boolean() })),
  /** What workloads may take of it, as quantities of Kubernetes: `8`, `32Gi`. */
  cpu: z.string(),
  memory: z.string(),
  /** Version of region, zone and tags; `If-Match` of a placement takes it. */
  version: z.string().optional(),
})

const placement = z
  .object({
    node: resourceName('node'),
    region: region().default(''),
    zone: zone.default(''),
    tags: tags(),
    reserved: tags(),
    compliance: tags(),
  })
  .refine(
    ({ tags: plain, reserved, compliance }) => new Set([...plain, ...reserved, ...compliance]).size <= nodeTagsPerNode,
    { error: tooMany },
  )
const warnings = z.array(z.string())

export const nodeOperations = {
  'nodes.list': operation({
    summary: 'List the nodes of the cluster',
    tag,
    access: 'viewer',
    v1: { method: 'GET', path: '/nodes' },
    dashboard: { method: 'GET', path: '/api/nodes' },
    params: z.object({}),
    view: z.object({ items: z.array(nodeView) }),
  }),
  'nodes.placement': operation({
    summary: 'Set region, zone and tags of a node',
    tag,
    access: 'admin',
    v1: { method: 'POST', path: '/nodes/{node}/placement' },
    dashboard: { method: 'POST', path: '/api/nodes/{node}/placement' },
    params: placement,
    view: okView.extend({ warnings }),
  }),
  'nodes.placement-warnings': operation({
    summary: 'Read what a placement of a node would bring about, without saving it',
    tag,
    access: 'admin',
    dashboard: { method: 'GET', path: '/api/nodes/{node}/placement/warnings' },
    params: placement,
    view: z.object({ warnings }),
  }),
} as const
