/** SvcHAReadiness, one named `platform`: whether the cluster can carry highly available workloads. */
import { z } from 'zod'
import type { KindDefinition } from '../schema/definition.ts'
import { reconciledStatus } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

export const haReadinessSpec = z.object({})

export const haReadinessStatus = z.object({
  ...reconciledStatus,
  ready: z
    .boolean()
    .optional()
    .meta({ description: 'Three ready nodes, a storage class, the cluster and its add-ons.' }),
  healthyNodes: z.int().min(0).optional().meta({ description: 'Nodes that are ready.' }),
  storageClassReady: z.boolean().optional().meta({ description: 'Whether volumes can be made.' }),
  clusterReady: z.boolean().optional().meta({ description: 'Whether the cluster is ready.' }),
  addonsReady: z.boolean().optional().meta({ description: 'Whether the add-ons are ready.' }),
})

export type HaReadinessSpec = z.output<typeof haReadinessSpec>
export type HaReadinessStatus = z.output<typeof haReadinessStatus>
export type HaReadiness = Resource<HaReadinessSpec, HaReadinessStatus>

export const haReadinessKind = {
  type: resourceTypes.haReadiness,
  singular: 'svchareadiness',
  shortNames: ['sha'],
  description: 'What the cluster has and lacks for high availability.',
  spec: haReadinessSpec,
  status: haReadinessStatus,
  statusSubresource: true,
  columns: [
    { name: 'Ready', path: '.status.ready', type: 'boolean' },
    { name: 'Nodes', path: '.status.healthyNodes', type: 'integer' },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [{ rule: "self.metadata.name == 'platform'", message: 'the readiness record must be named platform' }],
} satisfies KindDefinition
