/** SvcCluster: a cluster projects run on; there is one, named `default`. */
import { z } from 'zod'
import { displayNameMax, dnsLabelMax } from '../../contract/limits.ts'
import type { KindDefinition } from '../schema/definition.ts'
import { reconciledStatus } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

export const clusterSpec = z.object({
  displayName: z.string().max(displayNameMax).default('').meta({ description: 'Readable name.' }),
  region: z.string().max(dnsLabelMax).default('').meta({ description: 'Region of the cluster.' }),
})

export const clusterStatus = z.object({
  ...reconciledStatus,
  version: z.string().optional().meta({ description: 'Kubernetes version of the cluster.' }),
  nodes: z.int().min(0).optional().meta({ description: 'Nodes that are ready.' }),
})

export type ClusterSpec = z.output<typeof clusterSpec>
export type ClusterStatus = z.output<typeof clusterStatus>
export type Cluster = Resource<ClusterSpec, ClusterStatus>

export const clusterKind = {
  type: resourceTypes.cluster,
  singular: 'svccluster',
  shortNames: ['sclu'],
  description: 'A cluster that projects run on.',
  spec: clusterSpec,
  status: clusterStatus,
  statusSubresource: true,
  columns: [
    { name: 'Ready', path: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Version', path: '.status.version' },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [],
} satisfies KindDefinition
